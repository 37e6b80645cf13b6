// From the token in an address to the link it belongs to. Unknown, expired and revoked ones are all nothing. Forms are opened
// far more often than sent, so each process remembers links for a moment; whoever revokes one tells all of them, and a
// submission asks the database in any case.
import type { Database, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { sha256 } from '../../platform/hashing.ts';
import { organizationOf } from '../accounts/index.ts';
import type { OptInLink } from './schema.ts';

/** What the form needs to know. */
export type FormLink = Pick<
  OptInLink,
  'sid' | 'accountSid' | 'livemode' | 'purpose' | 'consentText' | 'wordingVersion' | 'defaultCountry'
> & { expiresAt: string | null; organizationName: string };

type Means = { database: Database; now: Date };

const channel = 'opt_in_link_revoked';
const rememberedMs = 10_000;
const mostRemembered = 10_000;

type Remembered = {
  links: Map<string, { link: FormLink; untilMs: number }>;
  /** What is just being read: a crowd that comes at once asks once. */
  reading: Map<string, Promise<FormLink | null>>;
  /** Counts what was forgotten, so that a row read before a change is not remembered after it. */
  changes: number;
};

const memories = new WeakMap<Database, Promise<Remembered>>();

export async function findLink(means: Means, token: string): Promise<FormLink> {
  const { database, now } = means;
  const hash = sha256(token).toString('hex');
  const memory = await memoryOf(database);
  const known = memory.links.get(hash);
  const nowMs = now.getTime();
  const fresh = known && known.untilMs > nowMs && known.untilMs <= nowMs + rememberedMs ? known.link : null;
  const link = fresh ?? (await readOnce(means, memory, hash));
  if (!link || (link.expiresAt !== null && new Date(link.expiresAt) <= now)) throw new ApiError('NOT_FOUND');
  return link;
}

/** Once the transaction has revoked it, no process shows its form any more. */
export const forgetLink = (t: TenantTx, tokenHash: Buffer) =>
  t.tell(`${channel} ${tokenHash.toString('hex')}`);

function memoryOf(database: Database): Promise<Remembered> {
  const known = memories.get(database);
  if (known) return known;
  const begun = beginMemory(database);
  memories.set(database, begun);
  begun.catch(() => memories.delete(database));
  return begun;
}

async function beginMemory(database: Database): Promise<Remembered> {
  const memory: Remembered = { links: new Map(), reading: new Map(), changes: 0 };
  const forget = (hash?: string) => {
    memory.changes += 1;
    memory.reading.clear(); // begun before the change: whoever asks now is told what is so now
    if (hash) memory.links.delete(hash);
    else memory.links.clear();
  };
  await database.listen(channel, forget, forget);
  return memory;
}

function readOnce(means: Means, memory: Remembered, hash: string): Promise<FormLink | null> {
  const begun = memory.reading.get(hash);
  if (begun) return begun;
  const reading = readLink(means, memory, hash).finally(() => {
    if (memory.reading.get(hash) === reading) memory.reading.delete(hash);
  });
  memory.reading.set(hash, reading);
  return reading;
}

async function readLink(
  { database, now }: Means,
  memory: Remembered,
  hash: string,
): Promise<FormLink | null> {
  const changesBefore = memory.changes;
  const link = await database.system(async (s) => {
    const found = await s.maybe<Omit<FormLink, 'organizationName'>>(sql`
      select sid, account_sid as "accountSid", livemode, purpose, consent_text as "consentText",
        wording_version as "wordingVersion", default_country as "defaultCountry", expires_at as "expiresAt"
        from opt_in_links where token_hash = ${Buffer.from(hash, 'hex')} and revoked_at is null`);
    return found ? { ...found, organizationName: (await organizationOf(s, found.accountSid)).name } : null;
  });
  if (memory.links.size >= mostRemembered) memory.links.clear();
  if (link && memory.changes === changesBefore)
    memory.links.set(hash, { link, untilMs: now.getTime() + rememberedMs });
  return link;
}
