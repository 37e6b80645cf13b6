import { cameToBe, mentioning, type Person, type Store, untilFew } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { copyOfSubmissions } from './copies.ts';

const theirs = (
  t: TenantTx,
  { family }: Person,
) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
  and contact_sid = any (${family}::text[])`;

export const optInBelongings: Store[] = [
  {
    name: 'opt_in_submissions',
    copy: copyOfSubmissions,
    within: cameToBe(
      (t, person) => sql`select created_at from opt_in_submissions where ${theirs(t, person)}`,
    ),
    async erase(t, person, page) {
      const own = theirs(t, person);
      const rows = await t.run(sql`
        delete from opt_in_submissions
         where ${own} and id = any (array(select id from opt_in_submissions where ${own} limit ${page.limit}))`);
      return untilFew(rows, page);
    },
  },
  {
    name: 'opt_in_links',
    mentions: mentioning(
      'opt_in_link',
      (t) => sql`
        select sid, concat_ws(' ', label, consent_text) from opt_in_links
         where account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ),
  },
];
