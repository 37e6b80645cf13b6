// The entries of the audit chain as they were written, with what was said in people's own words.
import { type Detail, readRecord } from '../../src/platform/chain.ts';
import type { TestApp } from './app.ts';

export type AuditRecord = {
  resource: string | null;
  actor: string;
  requestId: string;
  occurredAt: string;
  facts: Record<string, unknown>;
};

/** Those of an action, oldest first; of one resource, where it is named. */
export async function auditedAs(
  app: Pick<TestApp, 'sql' | 'accountSid'>,
  action: string,
  { resource = null, accountSid = app.accountSid }: { resource?: string | null; accountSid?: string } = {},
): Promise<AuditRecord[]> {
  const rows = await app.sql<{ payload: string; detail: Detail | null }>(
    `select e.payload, case when d.text is not null
         then json_build_object('salt', encode(d.salt, 'hex'), 'text', d.text) end as detail
       from audit_entries e left join chain_details d on d.chain = 'audit' and d.account_sid = e.account_sid
         and d.livemode = e.livemode and d.sequence = e.sequence
      where e.account_sid = $1 and e.action = $2 and ($3::text is null or e.resource = $3) order by e.sequence`,
    [accountSid, action, resource],
  );
  return rows.map((row) => readRecord<AuditRecord>(row).record);
}
