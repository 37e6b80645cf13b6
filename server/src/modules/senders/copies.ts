// The sender of a pool that writes to a person.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';

type Chosen = Record<'poolSid' | 'senderSid' | 'chosenAt', string>;

export const copyOfPoolContacts: Copying = {
  purpose: 'To write to the person from one number and not from many.',
  source: 'The messages sent to the person.',
  async page(t, { family }, page) {
    const rows = await t.many<Chosen & { place: string }>(sql`
      select c.pool_sid || ' ' || c.contact_sid as place, c.pool_sid as "poolSid", c.sender_sid as "senderSid",
        c.chosen_at as "chosenAt"
        from sender_pools p
        join sender_pool_contacts c on c.account_sid = p.account_sid and c.pool_sid = p.sid and c.contact_sid = any (${family}::text[])
       where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode}
         and c.pool_sid || ' ' || c.contact_sid > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};
