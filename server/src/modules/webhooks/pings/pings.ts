// A signed test.ping sent while its caller waits: to verify an endpoint, or to see how it answers. It is an event and a
// delivery like any other and stands in the log, but it is tried once and nobody else gets it.
import { timingSafeEqual } from 'node:crypto';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Outside } from '../../../platform/http/operations/operation.ts';
import { newSid, newUuid, randomToken } from '../../../platform/ids.ts';
import { sampleIn } from '../../../platform/samples.ts';
import { loadEndpoint, markVerified, refuseDisabled } from '../endpoints/endpoints.ts';
import { testEvents } from '../endpoints/events.ts';
import { maskHeaders } from '../endpoints/headers.ts';
import type { Endpoint, Sample, TestReport } from '../endpoints/schema.ts';
import { requireEventType } from '../events/catalogue.ts';
import { eventBody, type StoredEvent } from '../events/event-body.ts';
import { shapedFor } from '../events/versions.ts';
import { attempt, headersOf, type Outcome, type Parcel, type Target } from '../sending/attempt.ts';
import { eventColumns, loadLane } from '../sending/load-due.ts';
import { storeAttempts } from '../sending/record.ts';

type Answered = { parcel: Parcel; target: Target; outcome: Outcome & { whole: Buffer } };

/** Sends the challenge and, when the endpoint answers it, lets deliveries begin. */
export async function verifyEndpoint(call: Outside, sid: string): Promise<Endpoint> {
  const challenge = randomToken(24);
  const { outcome, target } = await ping(call, sid, { challenge });
  const wrong = challengeProblem(outcome, challenge);
  if (wrong !== null) {
    throw new ApiError('WEBHOOK_DELIVERY_ERROR', {
      message: `The endpoint did not pass its challenge. ${wrong}`,
      details: [{ path: 'url', issue: wrong }],
    });
  }
  return call.write((t) => markVerified(t, sid, target.url));
}

function challengeProblem({ reason, status, whole }: Answered['outcome'], challenge: string): string | null {
  if (reason !== null) return reason;
  if (status !== 200) return `The endpoint answered ${status}; the challenge needs 200.`;
  const text = whole.toString('utf8').trim();
  if (isSame(text, challenge) || isSame(challengeIn(text), challenge)) return null;
  return 'The answer must be data.challenge, as the whole body or as member "challenge" of a JSON object.';
}

function challengeIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { challenge?: unknown } | null)?.challenge;
  } catch {
    return undefined;
  }
}

function isSame(given: unknown, challenge: string): boolean {
  if (typeof given !== 'string' || Buffer.byteLength(given) !== challenge.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(challenge));
}

/** Sends a ping and tells how the endpoint took it. */
export const testEndpoint = async (call: Outside, sid: string): Promise<TestReport> =>
  reportOf(call, sid, await ping(call, sid, { challenge: null }));

/** Sends an example of a type, to this endpoint alone and said to be one. It did not happen, so the log has a ping. */
export async function sendSample(call: Outside, sid: string, { eventType }: Sample): Promise<TestReport> {
  const { sample } = requireEventType('eventType', eventType);
  const data = sampleIn(call, sample);
  const { verifiedAt } = await call.read((t) => loadEndpoint(t, sid));
  if (verifiedAt === null) throw new ApiError('CONFLICT', { message: 'The endpoint is not verified.' });
  const content = { challenge: null, sample: { type: eventType, data } };
  return reportOf(call, sid, await ping(call, sid, content));
}

function reportOf(call: Outside, sid: string, { outcome, parcel, target }: Answered): TestReport {
  const { url } = target;
  return {
    object: 'webhook_test',
    accountSid: call.accountSid,
    livemode: call.livemode,
    endpointSid: sid,
    eventSid: parcel.eventSid,
    deliverySid: parcel.deliverySid,
    delivered: outcome.failure === null,
    status: outcome.status,
    durationMs: outcome.durationMs,
    tls: tlsOf(url, outcome),
    failure: outcome.failure,
    problems: problemsOf(outcome),
    answer: outcome.answer,
    request: {
      method: 'POST',
      url,
      headers: { ...maskHeaders(target.headers), ...headersOf(parcel, outcome.signature) },
      body: parcel.body.toString('utf8'),
    },
    createdAt: outcome.attemptedAt.toISOString(),
  };
}

function tlsOf(url: string, { failure }: Outcome): TestReport['tls'] {
  if (!url.startsWith('https:')) return 'none';
  if (failure === 'tls') return 'refused';
  return failure === null || failure === 'status' ? 'verified' : null;
}

const slowMs = 5_000;

function problemsOf({ reason, durationMs }: Outcome): string[] {
  const slow = `It took ${durationMs} ms to answer. Answer first and work afterwards: other deliveries wait meanwhile.`;
  return [...(reason === null ? [] : [reason]), ...(reason === null && durationMs > slowMs ? [slow] : [])];
}

type Content = { challenge: string | null; sample?: { type: string; data: object } };

async function ping(call: Outside, sid: string, content: Content): Promise<Answered> {
  const id = newUuid(call.now);
  await call.write(async (t) => {
    refuseDisabled(await loadEndpoint(t, sid));
    emit(t, testEvents.ping, { object: 'ping', id, endpointSid: sid, ...content });
  });
  const { parcel, target } = await call.write((t) => prepare(t, sid, id));
  const outcome = (await attempt(call.ports.outbound, target, parcel, call.now))!;
  await call.write((t) => storeAttempts(t, [{ endpointSid: sid, deliverySid: parcel.deliverySid, outcome }]));
  return { parcel, outcome, target };
}

/** The delivery of a ping: never due, because whoever asked for it sends it. */
async function prepare(t: TenantTx, sid: string, id: string) {
  const event = await t.one<StoredEvent>(sql`
    select ${eventColumns} from events ev
     where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode} and ev.resource_sid = ${id}`);
  const { apiVersion } = await loadEndpoint(t, sid);
  const version = shapedFor(apiVersion, event.apiVersion);
  const deliverySid = newSid('WD', t.now);
  await t.run(sql`
    insert into webhook_deliveries (account_sid, livemode, endpoint_sid, sid, event_sequence, event_sid, event_type,
      resource_sid, api_version, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${deliverySid}, ${event.sequence}, ${event.sid}, ${event.type}, ${sid},
      ${version}, ${t.now})`);
  const parcel = { deliverySid, eventSid: event.sid, version, body: Buffer.from(eventBody(event, version)) };
  return { parcel, target: await loadLane(t, sid) };
}
