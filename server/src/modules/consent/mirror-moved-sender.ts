// The provider's list of blocked people belongs to a number at one place: where the number moves, everybody is blocked anew there.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, enqueue, untilDone } from '../../platform/jobs/jobs.ts';
import { queueMirroring } from './mirror-suppressions.ts';

const batch = 500;
/** By then whatever was asked of the number where it was has been answered. */
const afterMs = 60_000;

export const mirrorMovedSender = defineJob({
  name: 'consent.mirror-moved-sender',
  payload: Closed({ senderSid: Sid('WA') }),
  attempts: untilDone,
  async run({ write }, { senderSid }) {
    for (let after: string | null = ''; after !== null; ) {
      const from: string = after;
      after = await write((t) => mirrorNext(t, senderSid, from));
    }
  },
});

/** To be called with the commit that moves it. */
export const mirrorAnew = (t: TenantTx, senderSid: string): void =>
  enqueue(
    t,
    mirrorMovedSender,
    { senderSid },
    { key: `mirror-moved:${senderSid}`, runAt: new Date(t.now.getTime() + afterMs) },
  );

const blocksOf = (t: TenantTx, senderSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${senderSid}`;

/** Where to go on; null after the last. */
async function mirrorNext(t: TenantTx, senderSid: string, after: string): Promise<string | null> {
  const rows = await t.many<{ user: string; contactSid: string }>(sql`
    with changed as (
      update provider_blocks set confirmed = false
       where ${blocksOf(t, senderSid)} and provider_user in (select provider_user from provider_blocks
         where ${blocksOf(t, senderSid)} and provider_user > ${after} order by provider_user limit ${batch})
      returning provider_user, contact_sid)
    select provider_user as user, contact_sid as "contactSid" from changed order by provider_user`);
  for (const contactSid of new Set(rows.map((row) => row.contactSid))) queueMirroring(t, contactSid);
  return rows.length < batch ? null : rows.at(-1)!.user;
}
