// The append-only record of who did what. Each entry carries the hash of the one before it.
import { chainPayload, type Link, nextLink, type Verdict, verifyChain } from '../../platform/chain.ts';
import type { Database, Flush, Share, TenantTx } from '../../platform/db/database.ts';
import { plainArray, type Sql, sql } from '../../platform/db/query.ts';
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

type Entry = { id: string; action: string; resource: string | null; actor: string; payload: string };

const auditChain: Flush<Entry> = {
  name: 'audit',
  write(shares) {
    const [{ t, items }] = shares as [Share<Entry>];
    if (shares.length === 1) return [items.length === 1 ? oneEntry(t, items[0]!) : entriesOfMany(t, shares)];
    return [
      shares.every(({ items }) => items.length === 1) ? oneEntryEach(t, shares) : entriesOfMany(t, shares),
    ];
  },
};

function toEntry(t: TenantTx, fact: AuditFact): Entry {
  const { action, facts = {}, principal = t.principal } = fact;
  const resource = fact.resource ?? null;
  const id = newUuid(t.now);
  const actor = principalName(principal);
  const payload = chainPayload({
    id,
    accountSid: t.accountSid,
    livemode: t.livemode,
    action,
    resource,
    actor,
    requestId: t.requestId,
    occurredAt: t.now.toISOString(),
    facts,
  });
  return { id, action, resource, actor, payload };
}

/** Nearly every transaction owes one entry: without lists and functions it costs the database half. */
const oneEntry = (t: TenantTx, { id, action, resource, actor, payload }: Entry): Sql => sql`
  with link as (${nextLink(t, 'audit', payload)})
  insert into audit_entries (account_sid, livemode, sequence, id, action, resource, actor, occurred_at, payload,
    previous_hash, hash)
  select ${t.accountSid}, ${t.livemode}, link.sequence, ${id}::uuid, ${action}, ${resource}::text, ${actor}, ${t.now}::timestamptz,
    ${payload}, link.previous_hash, link.hash from link`;

const entryColumns = sql`account_sid, livemode, sequence, id, action, resource, actor, occurred_at, payload, previous_hash,
  hash`;

/** As rows: whose, which of its account, and what. */
function rowsOf(shares: Share<Entry>[]): Sql {
  const entries = shares.flatMap(({ items }) => items);
  const owners = shares.flatMap(({ t, items }) => items.map(() => t.accountSid));
  const links = shares.flatMap(({ items }) => items.map((_, at) => at + 1));
  return sql`unnest(${plainArray(owners)}::text[], ${plainArray(links)}::bigint[],
    ${plainArray(entries.map(({ id }) => id))}::uuid[], ${entries.map(({ action }) => action)}::text[],
    ${entries.map(({ resource }) => resource)}::text[], ${entries.map(({ actor }) => actor)}::text[],
    ${entries.map(({ payload }) => payload)}::text[]) as item (account_sid, link, id, action, resource, actor, payload)`;
}

/** The chains of many accounts by a link each. */
const oneEntryEach = ({ livemode, now }: TenantTx, shares: Share<Entry>[]): Sql => sql`
  with item as (select * from ${rowsOf(shares)}),
  next as (
    insert into chain_heads as h (account_sid, livemode, chain, sequence, previous_hash, hash)
    select account_sid, ${livemode}, 'audit', 1, sha256(''), chain_hash(sha256(''), 1, payload)
      from item order by account_sid
    on conflict (account_sid, livemode, chain) do update set sequence = h.sequence + 1, previous_hash = h.hash,
      hash = chain_hash(h.hash, h.sequence + 1, (select payload from item where item.account_sid = h.account_sid))
    returning account_sid, sequence, previous_hash, hash)
  insert into audit_entries (${entryColumns})
  select account_sid, ${livemode}, next.sequence, item.id, item.action, item.resource, item.actor,
    ${now}::timestamptz, item.payload, next.previous_hash, next.hash
    from item join next using (account_sid)`;

/** Chains are taken in the order of their accounts, and each once, whatever way the planner would join. */
const entriesOfMany = ({ livemode, now }: TenantTx, shares: Share<Entry>[]): Sql => sql`
  with item as (select * from ${rowsOf(shares)}),
  next as materialized (
    select account_sid, next.link, next.sequence, next.previous_hash, next.hash
      from (
        select account_sid, array_agg(payload order by link) as payloads from item
         group by account_sid order by account_sid offset 0) as account
     cross join lateral chain_next(account_sid, ${livemode}, 'audit', payloads) as next)
  insert into audit_entries (${entryColumns})
  select account_sid, ${livemode}, next.sequence, item.id, item.action, item.resource, item.actor,
    ${now}::timestamptz, item.payload, next.previous_hash, next.hash
    from item join next using (account_sid, link)`;

type Reaction = (t: TenantTx, fact: AuditFact) => void;
let reactions: ReadonlyMap<string, Reaction> = new Map();

/** Lets something else be written with every act of a kind, in its transaction. Told once, at the start. */
export function reactToActs(byAction: ReadonlyMap<string, Reaction>): void {
  reactions = byAction;
}

/** Writes down an act with the transaction that performs it. */
export function audit(t: TenantTx, fact: AuditFact): void {
  t.atCommit(auditChain, toEntry(t, fact));
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
