// What a person is shown of what they wrote and were sent.
import { type Copying, copied } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';
import { type MessageRow, messageColumns, messageOf } from '../messages.ts';
import type { Message } from '../schema.ts';

export const copyOfMessages: Copying = {
  provided: true,
  purpose: 'To exchange messages with the person, and to know later what was said.',
  source: 'The person for what is inbound, the business for what is outbound.',
  async page(t, { family }, page) {
    const { after, limit, provided } = page;
    // One walk of the index for each contact: together they would be sorted whole for every page.
    const rows = await t.many<MessageRow>(sql`
      select ${messageColumns}
        from (
          select found.sid from unnest(${family}::text[]) as person (contact_sid)
           cross join lateral (
             select f.sid from messages f
              where f.account_sid = ${t.accountSid} and f.livemode = ${t.livemode} and f.contact_sid = person.contact_sid
                and f.sid > ${after ?? ''} and (not ${provided} or f.direction = 'inbound')
              order by f.sid limit ${limit}) as found
           order by found.sid limit ${limit}) as page
        join messages m on m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = page.sid
        join message_states s on s.account_sid = m.account_sid and s.sid = m.sid
       order by m.sid`);
    return copied(
      rows.map((row) => ({ place: row.sid, ...ofPerson(messageOf(t, row)) })),
      page,
    );
  },
};

/** As it is told, without what is between the business and us. */
function ofPerson({
  object: _,
  accountSid: __,
  livemode: ___,
  text: ____,
  price: _____,
  statusCallbackUrl: ______,
  statusCallbackSid: _______,
  ...message
}: Message) {
  return message;
}

export const copyOfMarketingCaps: Copying = {
  purpose: 'To send no more marketing than the provider lets a person get.',
  source: 'The provider that carries the messages.',
  async page(t, { family }, page) {
    const rows = await t.many<{ place: string; until: string; createdAt: string }>(sql`
      select contact_sid as place, until, created_at as "createdAt" from marketing_caps
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
         and contact_sid > ${page.after ?? ''}
       order by contact_sid limit ${page.limit}`);
    return copied(rows, page);
  },
};
