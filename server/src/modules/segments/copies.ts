// The segments a person was found to be in.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';

type Membership = { segmentSid: string; name: string; matchedAt: string };

export const copyOfMemberships: Copying = {
  purpose: 'To write to people who have something in common.',
  source: 'What the business knows of the person, compared with what it looks for.',
  async page(t, { family }, page) {
    const rows = await t.many<Membership & { place: string }>(sql`
      select m.segment_sid || ' ' || m.contact_sid as place, m.segment_sid as "segmentSid", s.name, m.matched_at as "matchedAt"
        from segments s
        join segment_members m on m.account_sid = s.account_sid and m.segment_sid = s.sid and m.contact_sid = any (${family}::text[])
       where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode}
         and m.segment_sid || ' ' || m.contact_sid > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};
