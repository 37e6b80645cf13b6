// Hash chains: every link carries the hash of the one before, so that a changed, removed or inserted record breaks
// the chain at its place. Several ledgers use it, each with a table of its own.
//
// What a record says in people's own words is its *detail*: it stands in `chain_details`, and the link hashes only a commitment
// to it, the HMAC of the text under a random salt. Text and salt can be removed: the chain still holds, and what the link said
// can be guessed by nobody.
import { randomBytes } from 'node:crypto';
import type { Tenant } from './db/database.ts';
import { type Sql, sql } from './db/query.ts';
import { canonicalJson, hmacSha256, sha256 } from './hashing.ts';

/** The salt in hex, and the canonical JSON of the members that were taken out of the record. */
export type Detail = { salt: string; text: string };
export type Link = {
  sequence: string;
  payload: string;
  previousHash: Buffer;
  hash: Buffer;
  /** Null where there is none, or none any more. */
  detail?: Detail | null;
};
export type Verdict = { links: number; broken: null | { sequence: string; reason: string } };

/** The text that is hashed and stored for a record. */
export const chainPayload = (record: object): string => canonicalJson(record);

export type Committed = { payload: string; detail: Detail | null };

/** A record of which some members are told apart, to be forgotten some day. */
export function committed(record: object, words: object): Committed {
  if (Object.keys(words).length === 0) return { payload: chainPayload(record), detail: null };
  const detail = { salt: randomBytes(32).toString('hex'), text: canonicalJson(words) };
  return { payload: chainPayload({ ...record, detail: commitmentOf(detail) }), detail };
}

const commitmentOf = ({ salt, text }: Detail): string =>
  hmacSha256(Buffer.from(salt, 'hex'), text).toString('hex');

/** How whoever has a record can check its detail; without a salt it was erased. */
export type ShownDetail = { hash: string; salt: string | null; members: string[] };

/** The record as it was before its detail was taken out, as far as that is known. */
export function readRecord<T>({ payload, detail }: Pick<Link, 'payload' | 'detail'>): {
  record: T;
  detail: ShownDetail | null;
} {
  const { detail: hash, ...record } = JSON.parse(payload) as Record<string, unknown>;
  if (hash === undefined) return { record: record as T, detail: null };
  const words = detail ? (JSON.parse(detail.text) as Record<string, unknown>) : {};
  const members = Object.entries(words).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((part) => `${name}.${part}`) : [name],
  );
  for (const [name, value] of Object.entries(words)) {
    const kept = record[name];
    record[name] = isObject(value) && isObject(kept) ? { ...kept, ...value } : value;
  }
  return { record: record as T, detail: { hash: String(hash), salt: detail?.salt ?? null, members } };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Reads the detail of a link, for the select that reads the link from `of`. */
export const detailColumn = (chain: string, of: Sql): Sql => sql`(
  select json_build_object('salt', encode(d.salt, 'hex'), 'text', d.text) from chain_details d
   where d.account_sid = ${of}.account_sid and d.livemode = ${of}.livemode and d.chain = ${sql.lit(chain)}
     and d.sequence = ${of}.sequence) as detail`;

/** Keeps a detail beside the link that this statement takes, as part of its `with`. */
export const keepDetail = ({ accountSid, livemode }: Tenant, chain: string, detail: Detail | null): Sql =>
  detail === null
    ? sql``
    : sql`, detail as (
        insert into chain_details (account_sid, livemode, chain, sequence, salt, text)
        select ${accountSid}, ${livemode}, ${sql.lit(chain)}, link.sequence, decode(${detail.salt}, 'hex'), ${detail.text} from link)`;

/** Removes details, and tells of which links there were any. Whoever removes them says so in the audit chain. */
export const removeDetails = (
  { accountSid, livemode }: Tenant,
  chain: string,
  sequences: string[],
): Sql => sql`
  delete from chain_details
   where account_sid = ${accountSid} and livemode = ${livemode} and chain = ${chain}
     and sequence = any (${sequences}::bigint[])
  returning sequence`;

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

export type ChainHead = { chain: string; sequence: string; hash: string };

/** Where the chains of an account stand, the hash in hex, for a statement that whoever rewrites them would contradict. */
export const chainHeads = ({ accountSid, livemode }: Tenant, chains: readonly string[]): Sql => sql`
  select chain, sequence, encode(hash, 'hex') as hash from chain_heads
   where account_sid = ${accountSid} and livemode = ${livemode} and chain = any (${[...chains]}::text[]) order by chain`;

/**
 * Follows a chain from its first link to its head and names the first link that does not hold. A detail that is not there must
 * have been erased, as far as `isErased` knows.
 */
export async function verifyChain(
  links: AsyncIterable<Link> | Iterable<Link>,
  head: { sequence: string; hash: Buffer } | null,
  isErased: (sequence: string) => boolean = () => false,
): Promise<Verdict> {
  let previous = chainStart;
  let count = 0;
  for await (const link of links) {
    const expected = BigInt(count) + 1n;
    const broken = (reason: string) => ({ links: count, broken: { sequence: link.sequence, reason } });
    if (BigInt(link.sequence) !== expected) return broken(`link ${expected} is missing`);
    if (!link.previousHash.equals(previous)) return broken('it does not follow from the link before it');
    const fault = faultOfLink(link, isErased);
    if (fault !== null) return broken(fault);
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

/** What is wrong with a link by itself, whatever stands before and after it. */
export function faultOfLink(link: Link, isErased: (sequence: string) => boolean): string | null {
  const { sequence, payload, previousHash, hash } = link;
  if (!hash.equals(linkHash(previousHash, BigInt(sequence), payload))) return 'its content was changed';
  return faultOfDetail(link, isErased);
}

function faultOfDetail(
  { sequence, payload, detail }: Link,
  isErased: (sequence: string) => boolean,
): string | null {
  const commitment = commitmentIn(payload);
  if (commitment === null) return detail ? 'it knows of no detail, and there is one' : null;
  if (detail) return commitmentOf(detail) === commitment ? null : 'its detail was changed';
  return isErased(sequence) ? null : 'its detail is missing, and no proven erasure names it';
}

function commitmentIn(payload: string): string | null {
  // Most have none, and reading the JSON of a long chain takes time.
  if (!payload.includes('"detail":"')) return null;
  const { detail } = JSON.parse(payload) as { detail?: unknown };
  return typeof detail === 'string' ? detail : null;
}
