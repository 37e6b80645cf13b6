import { cameToBe, mentioning, type Person, type Store, untilFew } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { copyOfAuthorizations } from './copies.ts';

const namesOf = ({ family, identifiers }: Person) => [...family, ...identifiers.map(({ value }) => value)];
const words = sql`resource_ref || ' ' || instruction`;

export const authorizationBelongings: Store[] = [
  {
    name: 'authorizations',
    copy: copyOfAuthorizations,
    within: cameToBe(
      (t, person) => sql`
        select created_at from authorizations
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource_ref = any (${namesOf(person)}::text[])`,
    ),
    kept: 'That an instruction was given, by whom and when, without words: the defence of legal claims (GDPR Art. 17(3)(e)).',
    async erase(t, person, page) {
      const rows = await t.many<{ id: string }>(sql`
        update authorizations set instruction = '[erased]',
          resource_ref = case when resource_ref = any (${person.family}::text[]) then resource_ref else '[erased]' end
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = any (array(
           select id from authorizations
            where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource_ref = any (${namesOf(person)}::text[])
              and instruction <> '[erased]' limit ${page.limit}))
        returning id`);
      return untilFew(
        rows.length,
        page,
        rows.map(({ id }) => id),
      );
    },
    mentions: mentioning(
      'authorization',
      (t) => sql`
        select id::text, ${words} from authorizations where account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ),
  },
];
