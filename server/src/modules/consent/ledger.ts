// Proves the consent ledger: from the database, or from an export by somebody who has nothing else.
//
// An export is one JSON object a line. A `consent_link` holds the record as the text that was hashed, the hash of the
// link before it and its own: SHA-256 of the previous hash, the sequence as 8 bytes (big-endian) and the text. A
// `consent_head` ends the chain of an account and environment and says how long it is and what it ends in. A record with a
// `detail` is hashed with a commitment to it in its place; a detail that was forgotten is named by a `consent_erasure`, a link
// of the audit chain, which stands before the links.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  chainStart,
  type Detail,
  detailColumn,
  type Link,
  linkHash,
  type Verdict,
  verifyChain,
} from '../../platform/chain.ts';
import type { Database, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { erasedBy, provenErasures } from '../audit/index.ts';
import { identitiesOf } from '../contacts/index.ts';
import { stored } from './consents.ts';
import type { ConsentRecord } from './schema.ts';

type Chain = { accountSid: string; livemode: boolean };
type Head = { sequence: string; hash: Buffer };

/** The newest links of a contact and of those merged into it, oldest first, and how many there are in all. */
export async function consentLinks(t: TenantTx, contactSid: string, most: number) {
  const identities = await identitiesOf(t, contactSid);
  const rows = await t.many<Link & { total: number }>(sql`
    select ${stored}, (count(*) over ())::integer as total from consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${identities})
     order by sequence desc limit ${most}`);
  const links = rows.map(({ total: _, ...link }): Link => link).reverse();
  return { identities, links, total: rows[0]?.total ?? 0 };
}
/** `erasures`: links of the audit chain that name forgotten details, for whoever holds them against that chain. */
export type ConsentReport = Chain &
  Verdict & { head: string | null; erasures: Pick<Link, 'sequence' | 'hash'>[] };

type Row = Link & {
  sid: string;
  contactSid: string;
  purpose: string;
  status: string;
  expiresAt: string | null;
  createdAt: string;
};

const batch = 1_000;

/** Follows every consent chain, or one account's; `onLine` is given the export of what was read. */
export async function* verifyConsents(
  database: Database,
  accountSid?: string,
  onLine?: (line: string) => void | Promise<void>,
): AsyncGenerator<ConsentReport> {
  for (const { head, ...chain } of await findChains(database, accountSid)) {
    const erasures = (await provenErasures(database, chain)).filter((entry) => erasedIn([entry]).size > 0);
    for (const entry of erasures) await onLine?.(line('consent_erasure', chain, entry));
    const verdict = await prove(linksOf(database, chain, head, onLine), head, erasures);
    if (head) await onLine?.(headLine(chain, head));
    const broken = verdict.broken ?? (await findLinkBehindHead(database, chain));
    yield { ...chain, links: verdict.links, broken, head: head?.hash.toString('hex') ?? null, erasures };
  }
}

/** A chain without a head may still break earlier; if it does not, the missing head is what is wrong with it. */
async function prove(
  links: AsyncIterable<Link> | Iterable<Link>,
  head: Head | null,
  erasures: Link[],
): Promise<Verdict> {
  const erased = erasedIn(erasures);
  const isErased = (sequence: string) => erased.has(sequence);
  if (head) return verifyChain(links, head, isErased);
  const end: Head = { sequence: '0', hash: chainStart };
  const following = async function* () {
    for await (const link of links) {
      Object.assign(end, { sequence: link.sequence, hash: link.hash });
      yield link;
    }
  };
  const verdict = await verifyChain(following(), end, isErased);
  const missing = { sequence: String(verdict.links + 1), reason: 'the head of the chain is missing' };
  return { links: verdict.links, broken: verdict.broken ?? missing };
}

const erasedIn = (erasures: Link[]) => erasedBy(erasures, 'consent');

/** Chains are found by their heads and by their records: a removed head must not hide a chain. */
async function findChains(database: Database, accountSid?: string) {
  const rows = await database.system((s) =>
    s.many<Chain & { sequence: string | null; hash: Buffer | null }>(sql`
      select account_sid as "accountSid", livemode, h.sequence, h.hash
        from (select account_sid, livemode, sequence, hash from chain_heads where chain = 'consent') h
        full join (select distinct account_sid, livemode from consents) c using (account_sid, livemode)
       where ${accountSid ?? null}::text is null or account_sid = ${accountSid ?? null}
       order by 1, 2`),
  );
  return rows.map(({ sequence, hash, ...chain }) => ({
    ...chain,
    head: sequence !== null && hash !== null ? { sequence, hash } : null,
  }));
}

/** Up to the head as it was read before: records made meanwhile belong to the next proof. */
async function* linksOf(
  database: Database,
  chain: Chain,
  head: Head | null,
  onLine?: (line: string) => void | Promise<void>,
): AsyncGenerator<Link> {
  for (let last = '0'; ; ) {
    const rows = await database.system((s) =>
      s.many<Row>(sql`
        select sequence, payload, previous_hash as "previousHash", hash, sid, contact_sid as "contactSid", purpose,
          status, expires_at as "expiresAt", created_at as "createdAt", ${detailColumn('consent', sql`consents`)}
          from consents
         where account_sid = ${chain.accountSid} and livemode = ${chain.livemode} and sequence > ${last}
           and (${head?.sequence ?? null}::bigint is null or sequence <= ${head?.sequence ?? null}::bigint)
         order by sequence limit ${batch}`),
    );
    for (const row of rows) {
      await onLine?.(line('consent_link', chain, row));
      // A column that says something else than the record is a change of the record, though its text is whole.
      yield columnsAgree(chain, row) ? row : { ...row, payload: '' };
    }
    if (rows.length < batch) return;
    last = rows.at(-1)!.sequence;
  }
}

function columnsAgree(chain: Chain, row: Row): boolean {
  try {
    const record = JSON.parse(row.payload) as ConsentRecord;
    const names = ['sid', 'contactSid', 'purpose', 'status', 'expiresAt', 'createdAt'] as const;
    return (
      record.accountSid === chain.accountSid &&
      record.livemode === chain.livemode &&
      names.every((name) => record[name] === row[name])
    );
  } catch {
    return false;
  }
}

async function findLinkBehindHead(database: Database, chain: Chain): Promise<Verdict['broken']> {
  const row = await database.system((s) =>
    s.maybe<{ sequence: string }>(sql`
      select c.sequence from consents c
        join chain_heads h on h.account_sid = c.account_sid and h.livemode = c.livemode and h.chain = 'consent'
       where c.account_sid = ${chain.accountSid} and c.livemode = ${chain.livemode} and c.sequence > h.sequence
       order by c.sequence limit 1`),
  );
  return row ? { sequence: row.sequence, reason: 'it stands behind the head of the chain' } : null;
}

const line = (object: Line['object'], { accountSid, livemode }: Chain, link: Link) =>
  JSON.stringify({
    object,
    accountSid,
    livemode,
    sequence: link.sequence,
    payload: link.payload,
    previousHash: link.previousHash.toString('hex'),
    hash: link.hash.toString('hex'),
    ...(link.detail && { detail: link.detail }),
  });

const headLine = ({ accountSid, livemode }: Chain, { sequence, hash }: Head) =>
  JSON.stringify({ object: 'consent_head', accountSid, livemode, sequence, hash: hash.toString('hex') });

type Line = {
  object: 'consent_link' | 'consent_head' | 'consent_erasure';
  accountSid: string;
  livemode: boolean;
  sequence: string;
  payload: string;
  previousHash: string;
  hash: string;
  detail?: Detail;
};

/** Proves an export, with nothing but the file. */
export async function* verifyConsentFile(file: string): AsyncGenerator<ConsentReport> {
  let links: Link[] = [];
  let erasures: Link[] = [];
  let chain: Chain | null = null;
  const close = async (of: Chain, head: Head | null): Promise<ConsentReport> => {
    const verdict = await prove(links, head, erasures);
    const report = { ...of, ...verdict, head: head?.hash.toString('hex') ?? null, erasures };
    links = [];
    erasures = [];
    chain = null;
    return report;
  };
  for await (const line of readLines(file)) {
    const { accountSid, livemode, sequence, hash } = line;
    const current: Chain | null = chain;
    if (current && !sameChain(current, line)) yield await close(current, null);
    chain ??= { accountSid, livemode };
    if (line.object === 'consent_head') {
      yield await close(chain, { sequence, hash: Buffer.from(hash, 'hex') });
    } else if (line.object === 'consent_link') links.push(linkOf(line, chain));
    else if (isWhole(linkOf(line, chain))) erasures.push(linkOf(line, chain));
  }
  if (chain) yield await close(chain, null);
}

function linkOf({ sequence, payload, previousHash, hash, detail }: Line, chain: Chain): Link {
  return {
    sequence,
    payload: belongsTo(chain, payload) ? payload : '',
    previousHash: Buffer.from(previousHash, 'hex'),
    hash: Buffer.from(hash, 'hex'),
    detail: detail ?? null,
  };
}

/** An erasure counts as the link it is; that it stands in the audit chain is for whoever has that to see. */
const isWhole = ({ sequence, payload, previousHash, hash }: Link) =>
  payload !== '' && hash.equals(linkHash(previousHash, BigInt(sequence), payload));

const sameChain = (a: Chain, b: Chain) => a.accountSid === b.accountSid && a.livemode === b.livemode;

/** A record of another account in this account's chain is a forgery, however well it is linked. */
function belongsTo(chain: Chain, payload: string): boolean {
  try {
    return sameChain(chain, JSON.parse(payload) as ConsentRecord);
  } catch {
    return false;
  }
}

async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1;
    if (text.trim() === '') continue;
    yield readLine(text, number);
  }
  if (number === 0) throw new Error('The file is empty.');
}

function readLine(text: string, number: number): Line {
  let line: Line | null = null;
  try {
    line = JSON.parse(text) as Line;
  } catch {}
  const isKnown = ['consent_link', 'consent_head', 'consent_erasure'].includes(line?.object ?? '');
  const detail = line?.detail ?? { salt: '', text: '' };
  const texts = isKnown ? [line!.accountSid, line!.sequence, line!.hash, detail.salt, detail.text] : [null];
  if (!texts.every((value) => typeof value === 'string') || !/^\d{1,18}$/.test(line!.sequence)) {
    throw new Error(`Line ${number} is no line of a consent export.`);
  }
  return line!;
}
