// The key of an account under which the no of people who were erased is kept. It is random and sealed, not derived from the master
// key, so that it outlives a change of that. It is made with the first such person: an account without one has nobody to ask for.
import { randomBytes } from 'node:crypto';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { hmacSha256 } from '../../../platform/hashing.ts';
import { declareFact, factOf } from '../../../platform/kept-facts.ts';
import { oncePer } from '../../../platform/once-per.ts';
import { identifierKey } from '../identifiers/identifiers.ts';
import type { Identifier } from '../schema.ts';

const sealedKey = declareFact<null, string>({
  name: 'opt_out_key',
  of: 'account',
  key: () => '',
  load: async (t) => [await readSealed(t)],
});

async function readSealed(t: TenantTx): Promise<string | undefined> {
  const row = await t.maybe<{ sealed: Buffer }>(sql`
    select sealed from opt_out_keys where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return row?.sealed.toString('base64');
}

export type Hasher = (identifier: Identifier) => Buffer;

/** Null where nobody was erased who had said no; asked for with every message to a stranger, and kept. */
export async function keptHasher(t: TenantTx): Promise<Hasher | null> {
  const sealed = await factOf(t, sealedKey);
  return sealed === undefined ? null : hasherOf(t, sealed);
}

/** The same, where it is kept and need not be read for this; null elsewhere. The account's key never changes once there is one. */
export const hasherAtHand = async (t: TenantTx): Promise<Hasher | null> => (t.kept ? keptHasher(t) : null);

/** The same as it stands now, whatever was kept before. */
export async function currentHasher(t: TenantTx): Promise<Hasher | null> {
  const sealed = await readSealed(t);
  return sealed === undefined ? null : hasherOf(t, sealed);
}

export async function makeHasher(t: TenantTx): Promise<Hasher> {
  await storeKey(t, t.sealer.seal(randomBytes(32), contextOf(t)));
  return (await currentHasher(t))!;
}

/** The first one stays. */
const storeKey = (t: TenantTx, sealed: Buffer) =>
  t.run(sql`
    insert into opt_out_keys (account_sid, livemode, sealed, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sealed}, ${t.now}) on conflict do nothing`);

/** The key as it is kept, sealed and in base64. */
export const sealedKeyNow = async (t: TenantTx): Promise<string> => (await readSealed(t))!;

/** Makes a key that was kept elsewhere the account's, if it has none; tells whether it is. */
export async function adoptKey(t: TenantTx, sealed: string): Promise<boolean> {
  await storeKey(t, Buffer.from(sealed, 'base64'));
  const open = (text: string) => t.sealer.open(Buffer.from(text, 'base64'), contextOf(t));
  return open(await sealedKeyNow(t)).equals(open(sealed));
}

/** By sealed key. A transaction asks of the same people more than once, and to open and to hash costs more than to ask. */
const hashersOf = oncePer((_: TenantTx) => new Map<string, Hasher>());

function hasherOf(t: TenantTx, sealed: string): Hasher {
  const hashers = hashersOf(t);
  const hasher = hashers.get(sealed) ?? openedHasher(t, sealed);
  hashers.set(sealed, hasher);
  return hasher;
}

function openedHasher(t: TenantTx, sealed: string): Hasher {
  const key = t.sealer.open(Buffer.from(sealed, 'base64'), contextOf(t));
  const hashes = new Map<string, Buffer>();
  return (identifier) => {
    const name = identifierKey(identifier);
    const hash = hashes.get(name) ?? hmacSha256(key, name);
    hashes.set(name, hash);
    return hash;
  };
}

const contextOf = ({ accountSid, livemode }: TenantTx) => `opt-outs:${accountSid}:${livemode}`;
