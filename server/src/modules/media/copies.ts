// The files that went between a person and the business: what is known of each, and those that can still be had.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { columns, type Row, toMedia } from './media.ts';

export const copyOfMedia: Copying = {
  provided: true,
  purpose: 'To exchange files with the person.',
  source: 'The person for what is inbound, the business for what is outbound.',
  async page(t, { family }, page) {
    const rows = await t.many<Row>(sql`
      select ${columns(t)} from media
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid > ${page.after ?? ''}
         and (not ${page.provided} or direction = 'INBOUND')
         and sid in (
           select u.media_sid from media_uses u
            where u.account_sid = ${t.accountSid} and u.livemode = ${t.livemode} and u.contact_sid = any (${family}::text[]))
       order by sid limit ${page.limit}`);
    const items = rows.map(toMedia);
    return {
      ...copied(
        items.map(({ object: _, accountSid: __, livemode: ___, sourceUrl: ____, scan: _____, ...item }) => ({
          place: item.sid,
          ...item,
        })),
        page,
      ),
      files: items.filter(({ status }) => status === 'READY').map(({ sid }) => sid),
    };
  },
};
