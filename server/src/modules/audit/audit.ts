// The append-only record of who did what. Each entry carries the hash of the one before it.
import { type Committed, committed, keepDetail, nextLink } from '../../platform/chain.ts';
import type { Flush, Share, TenantTx } from '../../platform/db/database.ts';
import { plainArray, type Sql, sql } from '../../platform/db/query.ts';
import { newUuid } from '../../platform/ids.ts';
import { type Principal, principalName } from '../../platform/principal.ts';

/** `facts` must not hold secrets: but for `words`, the chain can never be cleaned. */
export type AuditFact = {
  action: string;
  resource?: string;
  facts?: Record<string, unknown>;
  /** Which of the facts are in people's own words: they are hashed by a commitment, and can be forgotten. */
  words?: readonly string[];
  /** Who did it, where several share a transaction and it is nobody's in particular. */
  principal?: Principal;
  /** Written down and told to nobody, for whom it would be news is not there yet. */
  untold?: boolean;
};

export type Entry = Committed & { id: string; action: string; resource: string | null; actor: string };

const auditChain: Flush<Entry> = {
  name: 'audit',
  write(shares) {
    const [{ t, items }] = shares as [Share<Entry>];
    if (shares.length === 1) return [items.length === 1 ? oneEntry(t, items[0]!) : entriesOfMany(t, shares)];
    const isPlain = shares.every(({ items }) => items.length === 1 && items[0]!.detail === null);
    return [isPlain ? oneEntryEach(t, shares) : entriesOfMany(t, shares)];
  },
};

export function toEntry(t: TenantTx, fact: AuditFact): Entry {
  const { action, facts = {}, principal = t.principal } = fact;
  const resource = fact.resource ?? null;
  const id = newUuid(t.now);
  const actor = principalName(principal);
  const { plain, said } = toldApart(facts, fact.words);
  const record = {
    id,
    accountSid: t.accountSid,
    livemode: t.livemode,
    action,
    resource,
    actor,
    requestId: t.requestId,
    occurredAt: t.now.toISOString(),
    facts: plain,
  };
  return { id, action, resource, actor, ...committed(record, said) };
}

function toldApart(facts: Record<string, unknown>, words: readonly string[] = []) {
  const said = Object.entries(facts).filter(([name, value]) => words.includes(name) && value != null);
  if (said.length === 0) return { plain: facts, said: {} };
  const plain = Object.entries(facts).filter((fact) => !said.some(([name]) => name === fact[0]));
  return { plain: Object.fromEntries(plain), said: { facts: Object.fromEntries(said) } };
}

/** Nearly every transaction owes one entry: without lists and functions it costs the database half. */
const oneEntry = (t: TenantTx, { id, action, resource, actor, payload, detail }: Entry): Sql => sql`
  with link as (${nextLink(t, 'audit', payload)})${keepDetail(t, 'audit', detail)}
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

/** The details of those that have one, by the links they were given. */
function detailsOf({ livemode }: TenantTx, shares: Share<Entry>[]): Sql {
  const rows = shares.flatMap(({ t, items }) =>
    items.flatMap(({ detail }, at) => (detail ? [{ account: t.accountSid, link: at + 1, ...detail }] : [])),
  );
  if (rows.length === 0) return sql``;
  return sql`, detail as (
    insert into chain_details (account_sid, livemode, chain, sequence, salt, text)
    select account_sid, ${livemode}, 'audit', next.sequence, decode(said.salt, 'hex'), said.text
      from unnest(${plainArray(rows.map(({ account }) => account))}::text[], ${plainArray(rows.map(({ link }) => link))}::bigint[],
        ${plainArray(rows.map(({ salt }) => salt))}::text[], ${rows.map(({ text }) => text)}::text[])
        as said (account_sid, link, salt, text)
      join next using (account_sid, link))`;
}

/** Chains are taken in the order of their accounts, and each once, whatever way the planner would join. */
const entriesOfMany = (t: TenantTx, shares: Share<Entry>[]): Sql => sql`
  with item as (select * from ${rowsOf(shares)}),
  next as materialized (
    select account_sid, next.link, next.sequence, next.previous_hash, next.hash
      from (
        select account_sid, array_agg(payload order by link) as payloads from item
         group by account_sid order by account_sid offset 0) as account
     cross join lateral chain_next(account_sid, ${t.livemode}, 'audit', payloads) as next)${detailsOf(t, shares)}
  insert into audit_entries (${entryColumns})
  select account_sid, ${t.livemode}, next.sequence, item.id, item.action, item.resource, item.actor,
    ${t.now}::timestamptz, item.payload, next.previous_hash, next.hash
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
