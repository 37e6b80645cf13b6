import { type Store, unmistakable, untilFew } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { defineJob, type TenantJobContext } from '../../platform/jobs/jobs.ts';
import { type Copy, copiesAtProvider, forgetCopies, forgettingCopies } from '../media/index.ts';
import { eraseParkedCallbacks } from '../provider/index.ts';
import { connectionOf } from '../wabas/index.ts';
import { copyOfPoolContacts } from './copies.ts';

async function numbersOf(t: TenantTx): Promise<string[]> {
  const rows = await t.many<{ id: string }>(sql`
    select provider_phone_number_id as id from senders
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and provider_phone_number_id is not null`);
  return rows.map(({ id }) => id);
}

export const senderBelongings: Store[] = [
  {
    name: 'sender_pool_contacts',
    copy: copyOfPoolContacts,
    erase: async (t, { family }) => ({
      rows: await t.run(sql`
        delete from sender_pool_contacts c using sender_pools p
         where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode} and c.account_sid = p.account_sid
           and c.pool_sid = p.sid and c.contact_sid = any (${family}::text[])`),
      next: null,
    }),
  },
  {
    name: 'provider_callbacks',
    kept: 'What the provider told, as it told it: gone by itself a day after it was applied, 8 days after it could not be placed.',
    async erase(t, person, page) {
      const { identifiers } = unmistakable(person);
      return untilFew(await eraseParkedCallbacks(t, await numbersOf(t), identifiers, page.limit), page);
    },
  },
];

/** Has the provider delete its copies of a file. One that is not reached any more forgets them by itself, after 30 days. */
export const forgetCopiesOfMedia = defineJob({
  ...forgettingCopies,
  async run(context, { mediaSid }) {
    for (const copy of await context.read((t) => copiesAtProvider(t, mediaSid)))
      await forgetCopy(context, copy);
    await context.write((t) => forgetCopies(t, mediaSid));
  },
});

async function forgetCopy({ ports, read }: TenantJobContext, copy: Copy): Promise<void> {
  const connection = await read(async (t) => {
    const wabaSid = copy.wabaSid ?? (await wabaOfNumber(t, copy.phoneNumberId!));
    return wabaSid === null ? null : connectionOf(t, wabaSid);
  });
  const answer = connection && (await ports.provider.deleteMedia(connection, copy.providerMediaId));
  if (answer && !answer.ok && answer.failure.retryable)
    throw new Error(`the provider cannot delete a file now: ${answer.failure.reason}`);
}

async function wabaOfNumber(t: TenantTx, phoneNumberId: string): Promise<string | null> {
  const row = await t.maybe<{ wabaSid: string | null }>(sql`
    select waba_sid as "wabaSid" from senders
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and provider_phone_number_id = ${phoneNumberId}`);
  return row?.wabaSid ?? null;
}
