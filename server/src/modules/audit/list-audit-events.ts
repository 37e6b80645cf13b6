import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import type { AuditEvent, AuditQuery } from './schema.ts';

type Row = { sequence: string; payload: string; previousHash: Buffer; hash: Buffer };

export async function listAuditEvents(t: TenantTx, query: AuditQuery, pager: Pager) {
  const [before] = pager.after ?? [null];
  const { action = null, actor = null, resource = null, occurredAfter = null, occurredBefore = null } = query;
  const rows = await t.many<Row>(sql`
    select sequence, payload, previous_hash as "previousHash", hash from audit_entries
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

/** What is shown is what was hashed: the stored text, read back. */
function toEvent({ sequence, payload, previousHash, hash }: Row): AuditEvent {
  return {
    object: 'audit_event',
    ...(JSON.parse(payload) as Omit<AuditEvent, 'object' | 'sequence' | 'previousHash' | 'hash'>),
    sequence: Number(sequence),
    previousHash: previousHash.toString('hex'),
    hash: hash.toString('hex'),
  };
}
