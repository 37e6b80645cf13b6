// Asking an endpoint for something: an event for it alone, delivered, signed, logged and tried again like any other. The answer is
// handed to whoever listens, in the transaction in which the attempt is written down.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { lockName } from '../../../platform/db/tenant-lock.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import { requestEvents } from './events.ts';

/** `key` names what is asked for. Asking again under the same key does nothing. */
export type NewRequest = { key: string; endpointSid: string; body: object };

const mostBytes = 64 * 1024;

/** Null for each that is asked or was already; otherwise why its endpoint cannot be. */
export async function requestDeliveries(
  t: TenantTx,
  requests: readonly NewRequest[],
): Promise<(ApiError | null)[]> {
  if (requests.length === 0) return [];
  const asked = await askedBefore(
    t,
    requests.map(({ key }) => key),
  );
  const refusals = await refusalsOf(
    t,
    requests.map(({ endpointSid }) => endpointSid),
  );
  return requests.map(({ key, endpointSid, body }) => {
    if (asked.has(key)) return null;
    if (Buffer.byteLength(JSON.stringify(body)) > mostBytes)
      return invalid({ path: 'body', issue: `must be at most ${mostBytes / 1024} KiB as JSON` });
    const refusal = refusals.get(endpointSid);
    if (refusal !== null) return refusal ?? new ApiError('NOT_FOUND');
    asked.add(key);
    emit(t, requestEvents.made, { object: 'webhook_request', id: key, endpointSid, body });
    return null;
  });
}

/** Held until the transaction ends, so that of two who ask under one key the second finds what the first did. */
async function askedBefore(t: TenantTx, keys: string[]): Promise<Set<string>> {
  const names = keys.map((key) => lockName(t, 'webhook request', key));
  await t.run(sql`
    select pg_advisory_xact_lock(number) from (
      select distinct hashtextextended(name, 0) as number from unnest(${names}::text[]) as name order by number) as wanted`);
  const rows = await t.many<{ key: string }>(sql`
    select resource_sid as key from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource_sid = any (${keys}::text[])
       and type = ${requestEvents.made.name}`);
  return new Set(rows.map(({ key }) => key));
}

/** By endpoint: null where it can be asked. */
async function refusalsOf(t: TenantTx, sids: string[]): Promise<Map<string, ApiError | null>> {
  const rows = await t.many<{ sid: string; verified: boolean; suspended: boolean; disabled: boolean }>(sql`
    select sid, verified_at is not null as verified, suspended_at is not null as suspended,
      disabled_at is not null as disabled from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}::text[])`);
  return new Map(
    rows.map(({ sid, verified, suspended, disabled }) => {
      const state = disabled ? 'disabled' : suspended ? 'suspended' : verified ? null : 'not verified';
      return [sid, state && new ApiError('CONFLICT', { message: `The endpoint is ${state}.` })];
    }),
  );
}

/** How a request ended: with an answer, or given up for the reason named. */
export type RequestAnswer = {
  key: string;
  endpointSid: string;
  /** Null where none was sent. */
  deliverySid: string | null;
  status: number | null;
  failure: string | null;
  /** The whole answer, at most 64 KiB; null where it was given up. */
  body: string | null;
};

/** A request that nobody will send any more, because its endpoint was disabled or suspended. */
export const unsent = (
  request: Pick<RequestAnswer, 'key' | 'endpointSid' | 'deliverySid'>,
  failure: 'disabled' | 'suspended',
): RequestAnswer => ({ ...request, status: null, failure, body: null });

type Listener = (t: TenantTx, answers: RequestAnswer[]) => Promise<void>;
let listener: Listener | null = null;

/** Told once, at the start: who is handed the answers. Gives who was before, for whoever listens in between. */
export function hearAnswers(listen: Listener | null): Listener | null {
  const before = listener;
  listener = listen;
  return before;
}

export async function handAnswers(t: TenantTx, answers: RequestAnswer[]): Promise<void> {
  if (answers.length > 0) await listener?.(t, answers);
}
