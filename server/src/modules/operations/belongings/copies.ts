// What became of a person in work on many, such as their row in an import.
import { bySid, type Copying, namesPerson, unmistakable } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';

type Child = {
  operationSid: string;
  position: string;
  ref: string | null;
  state: string;
  input: unknown;
  result: unknown;
  error: unknown;
  createdAt: string;
};

export const copyOfChildren: Copying = {
  purpose: 'To tell what became of each row of an import, and of other work on many.',
  source: 'The business.',
  // Nothing but their words says whose they are: each page looks at as many, and most have nothing of the person.
  async page(t, person, { after, limit }) {
    const [operationSid = '', position = '0'] = after?.split(' ') ?? [];
    const words = sql`concat_ws(' ', c.ref, c.input, c.result, c.error)`;
    const looked = await t.many<Child & { names: boolean }>(sql`
      select c.operation_sid as "operationSid", c.position, c.ref, c.state, c.input, c.result, c.error, c.created_at as "createdAt",
        coalesce(${namesPerson(words, bySid(unmistakable(person)))}, false) as names
        from operation_children c
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode}
         and (c.operation_sid, c.position) > (${operationSid}, ${position}::bigint)
       order by c.operation_sid, c.position limit ${limit}`);
    const last = looked.length < limit ? undefined : looked.at(-1);
    return {
      entries: looked.filter(({ names }) => names).map(({ names: _, ...entry }) => entry),
      next: last ? `${last.operationSid} ${last.position}` : null,
    };
  },
};
