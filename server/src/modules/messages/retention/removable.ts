// Which messages may go: one condition, by which they are counted beforehand and removed.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { isUnsettled } from '../../billing/index.ts';
import { isRestricted, restrictsAnybody } from '../../contacts/index.ts';
import { holdsAnything, isHeld } from '../../legal-holds/index.ts';
import type { Stretch } from '../states/countable-messages.ts';

const held = (t: TenantTx, how = {}) =>
  isHeld(
    t,
    {
      at: sql`m.created_at`,
      refs: [sql`coalesce(m.origin_contact_sid, m.contact_sid)`, sql`m.campaign_sid`],
      sender: sql`m.sender_sid`,
    },
    how,
  );

/** Whoever asked that their data be kept as it is may need it as proof. */
const restricted = (t: TenantTx) => isRestricted(t, sql`m.contact_sid`);

/** Nothing is to happen to it any more: it neither waits nor is on its way, and no money is set aside for it. */
const isFinished = sql`(not s.waiting and s.status <> 'sending' and not ${isUnsettled(sql`m`)})`;

/** Messages `m` with their states `s`. */
export const inStretch = (
  t: TenantTx,
  { from, before }: Stretch,
): Sql => sql`m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode}
  and m.sid >= ${from} and m.sid < ${before} and s.account_sid = m.account_sid and s.sid = m.sid
  and s.sid >= ${from} and s.sid < ${before}`; // PostgreSQL draws no conclusions about ranges

/** Whether the row itself goes, or only its content. */
export type What = 'messages' | 'contents';

const isThere = (what: What) => (what === 'contents' ? sql`m.content_removed_at is null` : sql`true`);

/** Whether the account has legal holds, and restricted contacts. */
export type Exceptions = { holds: boolean; restrictions: boolean };

/** Most accounts have none: then every message need not be asked about them. It stays so while `removing`. */
export async function exceptionsIn(t: TenantTx): Promise<Exceptions> {
  const [holds, restrictions] = await Promise.all([holdsAnything(t), restrictsAnybody(t)]);
  return { holds, restrictions };
}

const unknown: Exceptions = { holds: true, restrictions: true };

export const isRemovable = (t: TenantTx, what: What, { holds, restrictions } = unknown): Sql =>
  sql`(${isThere(what)} and ${isFinished} and not ${holds ? held(t) : sql`false`} and not ${restrictions ? restricted(t) : sql`false`})`;

/** It would go, if the customer had not placed a hold, or could not see that somebody else did; or if nobody were restricted. */
export const isHeldBack = (t: TenantTx, what: What): Sql =>
  sql`(${isThere(what)} and ${isFinished} and (${held(t, { visibly: true })} or ${restricted(t)}))`;
