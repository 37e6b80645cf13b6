// Forgetting what links of a chain say in people's own words. An entry of the audit chain names the links, so that whoever proves a
// chain knows a forgotten detail from a stolen one.
import { type Link, removeDetails } from '../../platform/chain.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { audit } from './audit.ts';

export const detailsErased = 'chain_details.erased';
const mostNamed = 1_000;

/** Removes the details of these links as far as they have any, and writes down of which; tells how many. */
export async function forgetDetails(
  t: TenantTx,
  chain: 'audit' | 'consent',
  sequences: readonly string[],
): Promise<number> {
  const removed = await t.many<{ sequence: string }>(removeDetails(t, chain, [...sequences]));
  const named = removed.map(({ sequence }) => sequence).sort((a, b) => Number(BigInt(a) - BigInt(b)));
  for (let at = 0; at < named.length; at += mostNamed) {
    const facts = { chain, sequences: named.slice(at, at + mostNamed) };
    audit(t, { action: detailsErased, facts });
  }
  return named.length;
}

/** The same of all entries about some resources. */
export async function forgetEntries(t: TenantTx, resources: readonly string[]): Promise<number> {
  const entries = await t.many<{ sequence: string }>(sql`
    select a.sequence from audit_entries a
      join chain_details d on d.account_sid = a.account_sid and d.livemode = a.livemode and d.chain = 'audit'
       and d.sequence = a.sequence
     where a.account_sid = ${t.accountSid} and a.livemode = ${t.livemode} and a.resource = any (${[...resources]}::text[])`);
  const sequences = entries.map(({ sequence }) => sequence);
  return forgetDetails(t, 'audit', sequences);
}

/** The links of a chain that entries of the audit chain name as forgotten. */
export function erasedBy(entries: readonly Pick<Link, 'payload'>[], chain: string): Set<string> {
  const told = entries.map(({ payload }) => JSON.parse(payload) as Erasure);
  const meant = told.filter(({ action, facts }) => action === detailsErased && facts.chain === chain);
  return new Set(meant.flatMap(({ facts }) => facts.sequences));
}

type Erasure = { action: string; facts: { chain: string; sequences: string[] } };
