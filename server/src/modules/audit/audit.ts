// The append-only record of who did what. Each entry carries the hash of the one before it.
import { chainPayload, type Link, nextLink, type Verdict, verifyChain } from '../../platform/chain.ts';
import type { Database, Flush, TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { newUuid } from '../../platform/ids.ts';
import { type Principal, principalName } from '../../platform/principal.ts';

/** `facts` must not hold secrets: the chain can never be cleaned. */
export type AuditFact = {
  action: string;
  resource?: string;
  facts?: Record<string, unknown>;
  /** Who did it, where several share a transaction and it is nobody's in particular. */
  principal?: Principal;
  /** Written down and told to nobody, for whom it would be news is not there yet. */
  untold?: boolean;
};

/** A chain is an account's own, and so is the statement that goes on with it. */
const auditChain: Flush<AuditFact> = {
  name: 'audit',
  write: (shares) => shares.map(({ t, items }) => nextLinks(t, items)),
};

function nextLinks(t: TenantTx, items: AuditFact[]): Sql {
  const occurredAt = t.now.toISOString();
  const actors = items.map(({ principal = t.principal }) => principalName(principal));
  const ids = items.map(() => newUuid(t.now));
  const payloads = items.map(({ action, resource = null, facts = {} }, i) =>
    chainPayload({
      id: ids[i],
      accountSid: t.accountSid,
      livemode: t.livemode,
      action,
      resource,
      actor: actors[i],
      requestId: t.requestId,
      occurredAt,
      facts,
    }),
  );
  if (items.length === 1)
    return oneEntry(t, items[0]!, { id: ids[0]!, actor: actors[0]!, payload: payloads[0]! });
  return sql`
      insert into audit_entries (account_sid, livemode, sequence, id, action, resource, actor, occurred_at,
        payload, previous_hash, hash)
      select ${t.accountSid}, ${t.livemode}, next.sequence, item.id, item.action, item.resource, item.actor,
        ${t.now}, item.payload, next.previous_hash, next.hash
      from chain_next(${t.accountSid}, ${t.livemode}, 'audit', ${payloads}::text[]) as next
      join unnest(${ids}::uuid[], ${items.map(({ action }) => action)}::text[],
          ${items.map(({ resource }) => resource ?? null)}::text[], ${actors}::text[], ${payloads}::text[])
        with ordinality as item (id, action, resource, actor, payload, link) using (link)`;
}

/** Nearly every transaction owes one entry: without lists and functions it costs the database half. */
const oneEntry = (
  t: TenantTx,
  { action, resource }: AuditFact,
  { id, actor, payload }: { id: string; actor: string; payload: string },
): Sql => sql`
  with link as (${nextLink(t, 'audit', payload)})
  insert into audit_entries (account_sid, livemode, sequence, id, action, resource, actor, occurred_at, payload,
    previous_hash, hash)
  select ${t.accountSid}, ${t.livemode}, link.sequence, ${id}::uuid, ${action}, ${resource ?? null}::text, ${actor}, ${t.now}::timestamptz,
    ${payload}, link.previous_hash, link.hash from link`;

type Reaction = (t: TenantTx, fact: AuditFact) => void;
let reactions: ReadonlyMap<string, Reaction> = new Map();

/** Lets something else be written with every act of a kind, in its transaction. Told once, at the start. */
export function reactToActs(byAction: ReadonlyMap<string, Reaction>): void {
  reactions = byAction;
}

/** Writes down an act with the transaction that performs it. */
export function audit(t: TenantTx, fact: AuditFact): void {
  t.atCommit(auditChain, fact);
  if (!fact.untold) reactions.get(fact.action)?.(t, fact);
}

export type ChainReport = Verdict & { accountSid: string; livemode: boolean };

const batch = 1_000;

/** Follows every audit chain, or one account's, and names the first broken link of each. */
export async function* verifyAudit(database: Database, accountSid?: string): AsyncGenerator<ChainReport> {
  // Chains are found by their heads and by their entries: a removed head must not hide a chain.
  const chains = await database.system((s) =>
    s.many<{ accountSid: string; livemode: boolean; sequence: string | null; hash: Buffer | null }>(sql`
      select account_sid as "accountSid", livemode, h.sequence, h.hash
        from (select account_sid, livemode, sequence, hash from chain_heads where chain = 'audit') h
        full join (select distinct account_sid, livemode from audit_entries) e using (account_sid, livemode)
       where ${accountSid ?? null}::text is null or account_sid = ${accountSid ?? null}
       order by 1, 2`),
  );
  for (const { sequence, hash, ...chain } of chains) {
    const head = sequence !== null && hash !== null ? { sequence, hash } : null;
    yield { ...chain, ...(await verifyChain(entriesOf(database, chain), head)) };
  }
}

async function* entriesOf(
  database: Database,
  chain: { accountSid: string; livemode: boolean },
): AsyncGenerator<Link> {
  let last = '0';
  for (;;) {
    const links = await database.system((s) =>
      s.many<Link>(sql`
        select sequence, payload, previous_hash as "previousHash", hash from audit_entries
         where account_sid = ${chain.accountSid} and livemode = ${chain.livemode} and sequence > ${last}
         order by sequence limit ${batch}`),
    );
    yield* links;
    if (links.length < batch) return;
    last = links.at(-1)!.sequence;
  }
}
