// Proves the audit chains.
import { detailColumn, type Link, type Verdict, verifyChain } from '../../platform/chain.ts';
import type { Database, Tenant } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { detailsErased, erasedBy } from './forget-details.ts';

/** `chain` is `audit`, or `platform`: what the platform does to an account and may not tell it. */
export type ChainReport = Verdict & { accountSid: string; livemode: boolean; chain: Chain };
type Chain = 'audit' | 'platform';
type Head = { sequence: string; hash: Buffer };

const tables = { audit: sql.id('audit_entries'), platform: sql.id('platform_audit_entries') };

const batch = 1_000;

/** Follows every audit chain, or one account's, and names the first broken link of each. */
export async function* verifyAudit(database: Database, accountSid?: string): AsyncGenerator<ChainReport> {
  for (const chain of ['audit', 'platform'] as const)
    for (const { head, ...tenant } of await findChains(database, chain, accountSid)) {
      const erasures = await erasuresOf(database, tenant);
      yield { ...tenant, chain, ...(await prove(database, { ...tenant, chain }, head, erasures)) };
    }
}

/** The entries that name forgotten details, if the chain they stand in holds; otherwise they prove nothing. */
export async function provenErasures(database: Database, tenant: Tenant): Promise<Link[]> {
  const erasures = await erasuresOf(database, tenant);
  if (erasures.length === 0) return [];
  const known = await findChains(database, 'audit', tenant.accountSid);
  const own = known.find(({ livemode }) => livemode === tenant.livemode);
  const { broken } = await prove(database, { ...tenant, chain: 'audit' }, own?.head ?? null, erasures);
  return broken ? [] : erasures;
}

type Which = Tenant & { chain: Chain };

function prove(database: Database, which: Which, head: Head | null, erasures: Link[]): Promise<Verdict> {
  const erased = erasedBy(erasures, which.chain);
  return verifyChain(entriesOf(database, which), head, (sequence) => erased.has(sequence));
}

/** Chains are found by their heads and by their entries: a removed head must not hide a chain. */
async function findChains(
  database: Database,
  chain: Chain,
  accountSid?: string,
): Promise<(Tenant & { head: Head | null })[]> {
  const rows = await database.system((s) =>
    s.many<{ accountSid: string; livemode: boolean; sequence: string | null; hash: Buffer | null }>(sql`
      select account_sid as "accountSid", livemode, h.sequence, h.hash
        from (select account_sid, livemode, sequence, hash from chain_heads where chain = ${chain}) h
        full join (select distinct account_sid, livemode from ${tables[chain]}) e using (account_sid, livemode)
       where ${accountSid ?? null}::text is null or account_sid = ${accountSid ?? null}
       order by 1, 2`),
  );
  return rows.map(({ sequence, hash, ...tenant }) => ({
    ...tenant,
    head: sequence !== null && hash !== null ? { sequence, hash } : null,
  }));
}

const erasuresOf = (database: Database, { accountSid, livemode }: Tenant): Promise<Link[]> =>
  database.system((s) =>
    s.many<Link>(sql`
      select sequence, payload, previous_hash as "previousHash", hash from audit_entries
       where account_sid = ${accountSid} and livemode = ${livemode} and action = ${detailsErased} order by sequence`),
  );

async function* entriesOf(database: Database, { accountSid, livemode, chain }: Which): AsyncGenerator<Link> {
  let last = '0';
  for (;;) {
    const links = await database.system((s) =>
      s.many<Link>(sql`
        select sequence, payload, previous_hash as "previousHash", hash, ${detailColumn(chain, sql`e`)}
          from ${tables[chain]} e
         where account_sid = ${accountSid} and livemode = ${livemode} and sequence > ${last}
         order by sequence limit ${batch}`),
    );
    yield* links;
    if (links.length < batch) return;
    last = links.at(-1)!.sequence;
  }
}
