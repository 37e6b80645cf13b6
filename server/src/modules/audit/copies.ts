// What was done with a person's record, and when; by whom is between the business and its people.
import { type Copying, copied } from '../../platform/belongings.ts';
import { detailColumn, type Link, readRecord } from '../../platform/chain.ts';
import { sql } from '../../platform/db/query.ts';
import type { AuditEvent } from './schema.ts';

export const copyOfEntries: Copying = {
  purpose: 'To show who did what with the data of people.',
  source: 'The acts themselves.',
  async page(t, { family }, page) {
    const rows = await t.many<Link>(sql`
      select sequence, payload, previous_hash as "previousHash", hash, ${detailColumn('audit', sql`e`)}
        from audit_entries e
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource = any (${family}::text[])
         and sequence > ${page.after ?? '0'}::bigint
       order by sequence limit ${page.limit}`);
    return copied(
      rows.map((row) => {
        const { action, resource, occurredAt, facts } = readRecord<AuditEvent>(row).record;
        return { place: row.sequence, action, resource, occurredAt, facts };
      }),
      page,
    );
  },
};
