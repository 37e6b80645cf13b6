// One attempt: the signed request, and what the endpoint made of it. Anything but a 2xx in time is a failure; what may be
// told of it is little, so that nobody explores a network by reading delivery logs.
import type { KeyObject } from 'node:crypto';
import type { Outbound, OutboundFailureClass, OutboundResult } from '../../../platform/outbound/outbound.ts';
import { retryAfterMs } from './retry-after.ts';
import { signatureOf } from './signature.ts';

export type FailureClass = 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked';

export type Target = {
  url: string;
  livemode: boolean;
  timeoutMs: number;
  secrets: KeyObject[];
  headers: Record<string, string>;
};
export type Parcel = { deliverySid: string; eventSid: string; version: string; body: Buffer };

export type Outcome = {
  attemptedAt: Date;
  durationMs: number;
  url: string;
  signature: string;
  status: number | null;
  failure: FailureClass | null;
  /** What was wrong, in words; null for a success. */
  reason: string | null;
  /** How long the endpoint asked to be left alone, when it failed and did ask. */
  retryAfterMs: number | null;
  /** The beginning of the answer, fit to be stored and shown. */
  answer: string | null;
};

const maxAnswerBytes = 64 * 1024;
const excerptBytes = 1024;

export function headersOf({ deliverySid, eventSid, version }: Omit<Parcel, 'body'>, signature: string) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Godwit-Webhooks/1',
    'x-service-signature': signature,
    'x-service-event-id': eventSid,
    'x-service-delivery-id': deliverySid,
    'x-service-api-version': version,
  };
}

/** Tries once. Null when it was called off before its end: nobody can say how it would have ended. */
export async function attempt(
  outbound: Outbound,
  { url, livemode, timeoutMs, secrets, headers }: Target,
  parcel: Parcel,
  now: Date,
  signal?: AbortSignal,
): Promise<(Outcome & { whole: Buffer }) | null> {
  const signature = signatureOf(parcel.body, secrets, now);
  const result = await outbound.request({
    livemode,
    url,
    method: 'POST',
    headers: { ...headers, ...headersOf(parcel, signature) },
    body: parcel.body,
    timeoutMs,
    maxResponseBytes: maxAnswerBytes,
    ...(signal && { signal }),
  });
  if (signal?.aborted && !result.ok) return null;
  const verdict = judge(result);
  const whole = result.ok ? result.body : Buffer.alloc(0);
  return {
    attemptedAt: now,
    durationMs: Math.round(result.durationMs),
    url,
    signature,
    status: result.ok ? result.status : null,
    ...verdict,
    retryAfterMs: result.ok && verdict.failure !== null ? askedFor(result, now) : null,
    answer: result.ok ? excerpt(whole) : null,
    whole,
  };
}

/** Counted from the answer on, as its sender counts. */
const askedFor = ({ headers, durationMs }: Answered, now: Date) =>
  retryAfterMs(headers['retry-after'], new Date(now.getTime() + durationMs));

type Answered = Extract<OutboundResult, { ok: true }>;

const classes: Record<OutboundFailureClass, FailureClass> = {
  blocked: 'blocked',
  dns: 'dns',
  connect: 'connect',
  tls: 'tls',
  timeout: 'timeout',
  // Told apart from a refused connection they would say which ports are open.
  reset: 'connect',
  protocol: 'connect',
};

function judge(result: OutboundResult): Pick<Outcome, 'failure' | 'reason'> {
  if (!result.ok) return { failure: classes[result.failure], reason: result.reason };
  const { status, truncated } = result;
  if (status >= 300 && status < 400)
    return { failure: 'status', reason: `The endpoint answered ${status}. Redirects are not followed.` };
  if (status < 200 || status > 299)
    return { failure: 'status', reason: `The endpoint answered ${status} instead of 2xx.` };
  if (truncated)
    return { failure: 'status', reason: `The answer is longer than ${maxAnswerBytes / 1024} KiB.` };
  return { failure: null, reason: null };
}

/** Whatever bytes came: cut between characters, and without the one character that PostgreSQL cannot store. */
function excerpt(body: Buffer): string {
  const isWhole = body.length <= excerptBytes;
  const text = isWhole
    ? body.toString('utf8')
    : new TextDecoder('utf-8').decode(body.subarray(0, excerptBytes), { stream: true });
  return text.replaceAll('\0', '�');
}
