import {
  namesPerson,
  type Person,
  type Store,
  unmistakable,
  untilFew,
} from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { copyOfChildren } from './copies.ts';

/** An error without its words. Not read as JSON, whose functions refuse what people can write. */
const bare = (error: Sql) => sql`case when ${error} is null then null
  else concat('{"code":"', substring(${error}::text from '"code":"([A-Z_]+)"'), '","message":"[erased]"}')::json end`;

/** What is still to be done needs what it was given; it is looked at again once it has ended. */
const children = (t: TenantTx, person: Person) => sql`
  select c.ctid from operation_children c
   where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.state <> 'PENDING'
     and ${namesPerson(sql`concat_ws(' ', c.ref, c.input, c.result, c.error)`, person)}`;

const operations = (t: TenantTx, person: Person) => sql`
  select o.ctid from operations o
   where o.account_sid = ${t.accountSid} and o.livemode = ${t.livemode} and o.finished_at is not null
     and ${namesPerson(sql`concat_ws(' ', o.input, o.checkpoint, o.result, o.error)`, person)}`;

export const operationBelongings: Store[] = [
  {
    name: 'operation_children',
    copy: copyOfChildren,
    async erase(t, person, page) {
      await t.takesUpTo(120);
      const rows = await t.run(sql`
        update operation_children set ref = null, input = null, result = null, error = ${bare(sql`error`)}, updated_at = ${t.now}
         where ctid = any (array(${children(t, unmistakable(person))} limit ${page.limit}))`);
      return untilFew(rows, page);
    },
  },
  {
    name: 'operations',
    async erase(t, person, page) {
      await t.takesUpTo(120);
      const rows = await t.many<{ sid: string }>(sql`
        update operations set input = '{}', checkpoint = null, result = null, error = ${bare(sql`error`)}, updated_at = ${t.now}
         where ctid = any (array(${operations(t, unmistakable(person))} limit ${page.limit}))
        returning sid`);
      return untilFew(
        rows.length,
        page,
        rows.map(({ sid }) => sid),
      );
    },
  },
];
