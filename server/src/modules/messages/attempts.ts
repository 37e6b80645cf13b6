// Hand-offs: one row each, written before the provider is called and ended by its answer.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { LiveMessage } from './live-messages.ts';

/**
 * The provider's names of hand-offs that it called failed and that were begun anew since. Only a message that may wait
 * for a marketing cap has any; a late word about such a hand-off says nothing of the present one.
 */
export async function supersededIds(t: TenantTx, messages: LiveMessage[]): Promise<Set<string>> {
  const sids = messages.filter(({ deferIfCapped }) => deferIfCapped).map(({ sid }) => sid);
  if (sids.length === 0) return new Set();
  const rows = await t.many<{ id: string }>(sql`
    select provider_message_id as id from message_attempts
     where account_sid = ${t.accountSid} and message_sid = any(${sids}::text[]) and outcome = 'refused'
       and provider_message_id is not null`);
  return new Set(rows.map(({ id }) => id));
}

/** The provider took these and said later that nothing was sent: their last hand-off counts as refused. */
export async function refuseLastAttempts(t: TenantTx, messages: LiveMessage[]): Promise<void> {
  await t.run(sql`
    update message_attempts a set outcome = 'refused', code = item.code, provider_code = item.provider_code,
      ended_at = coalesce(a.ended_at, ${t.now}), provider_message_id = coalesce(a.provider_message_id, item.name)
      from unnest(${messages.map(({ sid }) => sid)}::text[], ${messages.map(({ attempts }) => attempts)}::smallint[],
        ${messages.map(({ error }) => error?.code ?? null)}::text[],
        ${messages.map(({ error }) => error?.providerCode ?? null)}::integer[],
        ${messages.map(({ providerMessageId }) => providerMessageId)}::text[])
        as item (sid, number, code, provider_code, name)
     where a.account_sid = ${t.accountSid} and a.message_sid = item.sid and a.number = item.number`);
}
