// What the platform does to an account and may not tell it, such as a legal hold that the customer must not know of. It is written
// to a chain of its own: a gap in the account's would tell.
import { keepDetail, nextLink } from '../../platform/chain.ts';
import type { Flush, TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { type AuditFact, type Entry, toEntry } from './audit.ts';

const platformChain: Flush<Entry> = {
  name: 'platform-audit',
  write: (shares) => shares.flatMap(({ t, items }) => items.map((entry) => oneEntry(t, entry))),
};

const oneEntry = (t: TenantTx, { id, action, resource, actor, payload, detail }: Entry): Sql => sql`
  with link as (${nextLink(t, 'platform', payload)})${keepDetail(t, 'platform', detail)}
  insert into platform_audit_entries (account_sid, livemode, sequence, id, action, resource, actor, occurred_at, payload,
    previous_hash, hash)
  select ${t.accountSid}, ${t.livemode}, link.sequence, ${id}::uuid, ${action}, ${resource}::text, ${actor}, ${t.now}::timestamptz,
    ${payload}, link.previous_hash, link.hash from link`;

/** Writes down an act of which nobody is told. */
export function auditUnseen(t: TenantTx, fact: AuditFact): void {
  t.atCommit(platformChain, toEntry(t, fact));
}
