// What a person is shown of with whom they spoke, and until when they may be answered.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { columnsAt } from './conversations.ts';
import type { Conversation } from './schema.ts';

export const copyOfConversations: Copying = {
  purpose: 'To answer the person, and to see who does.',
  source: 'The messages exchanged with the person.',
  async page(t, { family }, page) {
    const rows = await t.many<Conversation>(sql`
      select ${columnsAt(t.now)} from conversations c
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.contact_sid = any (${family}::text[])
         and c.sid > ${page.after ?? ''}
       order by c.sid limit ${page.limit}`);
    return copied(
      rows.map(({ object: _, accountSid: __, livemode: ___, composerHeldBy: ____, ...row }) => ({
        place: row.sid,
        ...row,
      })),
      page,
    );
  },
};

type Window = Record<'senderSid' | 'contactSid' | 'openedAt' | 'lastInboundAt' | 'expiresAt', string>;

export const copyOfWindows: Copying = {
  purpose: 'To know until when the person may be answered freely.',
  source: 'The messages the person sent.',
  async page(t, { family }, page) {
    const rows = await t.many<Window & { place: string }>(sql`
      select sender_sid || ' ' || origin_contact_sid as place, sender_sid as "senderSid", contact_sid as "contactSid",
        opened_at as "openedAt", last_inbound_at as "lastInboundAt", expires_at as "expiresAt"
        from service_windows
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
         and sender_sid || ' ' || origin_contact_sid > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};
