// Hash chains: every link carries the hash of the one before, so that a changed, removed or inserted record breaks
// the chain at its place. Several ledgers use it, each with a table of its own.
import type { Tenant } from './db/database.ts';
import { type Sql, sql } from './db/query.ts';
import { canonicalJson, sha256 } from './hashing.ts';

export type Link = { sequence: string; payload: string; previousHash: Buffer; hash: Buffer };
export type Verdict = { links: number; broken: null | { sequence: string; reason: string } };

/** The text that is hashed and stored for a record. */
export const chainPayload = (record: object): string => canonicalJson(record);

export const chainStart = sha256('');

export function linkHash(previous: Buffer, sequence: bigint, payload: string): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(sequence);
  return sha256(Buffer.concat([previous, number, Buffer.from(payload, 'utf8')]));
}

/**
 * Takes the next place in a chain for one record, and tells it as `sequence`, `previous_hash` and `hash`. Several records at
 * once take theirs by the function `chain_next`, which costs twice as much for one.
 */
export const nextLink = ({ accountSid, livemode }: Tenant, chain: string, payload: string): Sql => sql`
  insert into chain_heads as h (account_sid, livemode, chain, sequence, previous_hash, hash)
  values (${accountSid}, ${livemode}, ${sql.lit(chain)}, 1, sha256(''), chain_hash(sha256(''), 1, ${payload}))
  on conflict (account_sid, livemode, chain) do update set sequence = h.sequence + 1, previous_hash = h.hash,
    hash = chain_hash(h.hash, h.sequence + 1, ${payload})
  returning sequence, previous_hash, hash`;

/** Follows a chain from its first link to its head and names the first link that does not hold. */
export async function verifyChain(
  links: AsyncIterable<Link> | Iterable<Link>,
  head: { sequence: string; hash: Buffer } | null,
): Promise<Verdict> {
  let previous = chainStart;
  let count = 0;
  for await (const link of links) {
    const expected = BigInt(count) + 1n;
    const broken = (reason: string) => ({ links: count, broken: { sequence: link.sequence, reason } });
    if (BigInt(link.sequence) !== expected) return broken(`link ${expected} is missing`);
    if (!link.previousHash.equals(previous)) return broken('it does not follow from the link before it');
    if (!link.hash.equals(linkHash(previous, expected, link.payload)))
      return broken('its content was changed');
    previous = link.hash;
    count += 1;
  }
  const end = head ?? { sequence: '0', hash: chainStart };
  const broken = (sequence: bigint | number, reason: string) => ({
    links: count,
    broken: { sequence: String(sequence), reason },
  });
  const missing = BigInt(end.sequence) - BigInt(count);
  if (missing > 0n) return broken(count + 1, 'the chain ends before its head');
  if (missing < 0n) return broken(BigInt(end.sequence) + 1n, 'it stands beyond the head of its chain');
  if (!end.hash.equals(previous)) return broken(count, 'it is not the link its head tells of');
  return { links: count, broken: null };
}
