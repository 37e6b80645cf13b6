import { detailColumn, type Link, readRecord } from '../../platform/chain.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import type { AuditEvent, AuditQuery } from './schema.ts';

export async function listAuditEvents(t: TenantTx, query: AuditQuery, pager: Pager) {
  const [before] = pager.after ?? [null];
  const { action = null, actor = null, resource = null, occurredAfter = null, occurredBefore = null } = query;
  const rows = await t.many<Link>(sql`
    select sequence, payload, previous_hash as "previousHash", hash, ${detailColumn('audit', sql`e`)}
      from audit_entries e
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${before}::bigint is null or sequence < ${before}::bigint)
       and (${action}::text is null or action = ${action})
       and (${actor}::text is null or actor = ${actor})
       and (${resource}::text is null or resource = ${resource})
       and (${occurredAfter}::timestamptz is null or occurred_at > ${occurredAfter}::timestamptz)
       and (${occurredBefore}::timestamptz is null or occurred_at < ${occurredBefore}::timestamptz)
     order by sequence desc limit ${pager.fetch}`);
  return pager.page(rows, (row) => [row.sequence], toEvent);
}

/** What is shown is what was hashed: the stored text, read back, with the detail it is a commitment to. */
function toEvent(link: Link): AuditEvent {
  const { sequence, previousHash, hash } = link;
  const { record, detail } =
    readRecord<Omit<AuditEvent, 'object' | 'sequence' | 'previousHash' | 'hash'>>(link);
  return {
    object: 'audit_event',
    ...record,
    detail,
    sequence: Number(sequence),
    previousHash: previousHash.toString('hex'),
    hash: hash.toString('hex'),
  };
}
