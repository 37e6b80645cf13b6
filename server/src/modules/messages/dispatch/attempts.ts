// Hand-offs: one row each, written before the provider is called and ended by its answer.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ProviderFailure } from '../../provider/index.ts';
import type { LiveMessage } from '../states/live-messages.ts';

/**
 * The provider's names of hand-offs that it called failed and that are made again: a late word about such a hand-off says
 * nothing of the present one. Asked of every message that is reported on, so only those are looked up that may have any.
 */
export async function supersededIds(t: TenantTx, messages: LiveMessage[]): Promise<Set<string>> {
  const sids = messages.filter(({ attempts, waiting }) => waiting || attempts > 1).map(({ sid }) => sid);
  if (sids.length === 0) return new Set();
  const rows = await t.many<{ id: string }>(sql`
    select provider_message_id as id from message_attempts
     where account_sid = ${t.accountSid} and message_sid = any(${sids}::text[]) and outcome in ('retry', 'refused')
       and provider_message_id is not null`);
  return new Set(rows.map(({ id }) => id));
}

/** Writes down what is about to be tried, in the name of the process that tries it. */
export async function openAttempts(t: TenantTx, messages: LiveMessage[], processId: string): Promise<void> {
  if (messages.length === 0) return;
  await t.run(sql`
    insert into message_attempts (account_sid, livemode, message_sid, number, process_id, started_at)
    select ${t.accountSid}, ${t.livemode}, item.sid, item.number, ${processId}, ${t.now}
      from unnest(${messages.map(({ sid }) => sid)}::text[], ${messages.map(({ attempts }) => attempts)}::smallint[])
        as item (sid, number)`);
}

export type AttemptEnd = {
  messageSid: string;
  number: number;
  outcome: 'accepted' | 'refused' | 'retry' | 'unknown';
  code: string | null;
  providerCode: number | null;
  reason: string | null;
  providerMessageId: string | null;
};

/**
 * Ends attempts that are still open; tells which. An attempt somebody else has ended keeps that end, unless the provider said
 * since that nothing came of it.
 */
export async function endAttempts(
  t: TenantTx,
  ends: AttemptEnd[],
  { evenIfEnded = false } = {},
): Promise<Set<string>> {
  if (ends.length === 0) return new Set();
  // The statement below finds rows by their place, and does not see the new place of one that somebody is just ending.
  if (evenIfEnded) await lockAttempts(t, ends);
  const rows = await t.many<{ sid: string }>(sql`
    with item as (
      select given.*, found.place
        from unnest(${ends.map(({ messageSid }) => messageSid)}::text[], ${ends.map(({ number }) => number)}::smallint[],
        ${ends.map(({ outcome }) => outcome)}::text[], ${ends.map(({ code }) => code)}::text[],
        ${ends.map(({ providerCode }) => providerCode)}::integer[],
        ${ends.map(({ reason }) => reason?.replaceAll('\u0000', '').slice(0, 1000) ?? null)}::text[],
        ${ends.map(({ providerMessageId }) => providerMessageId)}::text[])
        as given (sid, number, outcome, code, provider_code, reason, name)
       cross join lateral (
         select ctid as place from message_attempts
          where account_sid = ${t.accountSid} and message_sid = given.sid and number = given.number
            and (ended_at is null or ${evenIfEnded})
          limit 1 for no key update) as found)
    update message_attempts a set ended_at = coalesce(a.ended_at, ${t.now}), outcome = item.outcome, code = item.code,
      provider_code = item.provider_code, reason = item.reason, provider_message_id = item.name
      from item where a.ctid = item.place
    returning a.message_sid as sid`);
  return new Set(rows.map(({ sid }) => sid));
}

const lockAttempts = (t: TenantTx, attempts: readonly AttemptEnd[]) =>
  t.run(sql`
    select from unnest(${attempts.map(({ messageSid }) => messageSid)}::text[],
        ${attempts.map(({ number }) => number)}::smallint[]) as given (sid, number)
     cross join lateral (
       select from message_attempts
        where account_sid = ${t.accountSid} and message_sid = given.sid and number = given.number
        limit 1 for no key update) as found`);

/** How an attempt ended that the provider refused, in its own words. */
export const refusedBy = ({ code, providerCode, reason }: ProviderFailure) => ({
  code,
  providerCode,
  reason,
});
