// What the business was instructed to do about a person.
import { type Copying, copied } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';

type Instruction = Record<'task' | 'resourceRef' | 'instruction' | 'createdAt', string>;

export const copyOfAuthorizations: Copying = {
  purpose: 'To show by whose word something was done.',
  source: 'The business.',
  async page(t, { family }, page) {
    const rows = await t.many<Instruction & { place: string }>(sql`
      select id::text as place, task, resource_ref as "resourceRef", instruction, created_at as "createdAt"
        from authorizations
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource_ref = any (${family}::text[])
         and id::text > ${page.after ?? ''}
       order by id::text limit ${page.limit}`);
    return copied(rows, page);
  },
};
