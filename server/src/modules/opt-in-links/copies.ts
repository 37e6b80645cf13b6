// The forms a person filled in.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';

type Filled = Record<'linkSid' | 'purpose' | 'consentText' | 'wordingVersion' | 'createdAt', string> & {
  confirmedAt: string | null;
};

export const copyOfSubmissions: Copying = {
  provided: true,
  purpose: 'To record what the person agreed to on a form.',
  source: 'The person.',
  async page(t, { family }, page) {
    const rows = await t.many<Filled & { place: string }>(sql`
      select s.id::text as place, s.link_sid as "linkSid", l.purpose, l.consent_text as "consentText",
        s.wording_version as "wordingVersion", s.confirmed_at as "confirmedAt", s.created_at as "createdAt"
        from opt_in_submissions s join opt_in_links l on l.account_sid = s.account_sid and l.sid = s.link_sid
       where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.contact_sid = any (${family}::text[])
         and s.id::text > ${page.after ?? ''}
       order by s.id::text limit ${page.limit}`);
    return copied(rows, page);
  },
};
