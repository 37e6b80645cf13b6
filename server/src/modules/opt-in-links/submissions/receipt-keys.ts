// The keys of this installation by which it signs receipts. One is made when the first receipt is; all that ever were are
// published.
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { makeSigningKey, openSigningKey, type SigningKey } from '../../../platform/signing/signatures.ts';
import type { Jwk } from '../schema.ts';

type Means = { database: Database; sealer: Sealer; now: Date };

const contextOf = (kid: string) => `receipt-key/${kid}`;

// A key never changes, so it is read once by each process.
const known = new WeakMap<Database, Promise<SigningKey>>();

export function signingKey(means: Means): Promise<SigningKey> {
  const { database } = means;
  const found = known.get(database);
  if (found) return found;
  const read = readOrMake(means);
  known.set(database, read);
  read.catch(() => known.delete(database));
  return read;
}

async function readOrMake(means: Means): Promise<SigningKey> {
  return (await readKey(means)) ?? (await makeKey(means));
}

async function readKey({ database, sealer }: Means): Promise<SigningKey | null> {
  const [row] = await database.ask<{ kid: string; sealed: Buffer }>(sql`
    select kid, private_key as sealed from receipt_keys order by created_at desc, kid limit 1`);
  if (!row) return null;
  return openSigningKey(row.kid, 'ES256', sealer.open(row.sealed, contextOf(row.kid)));
}

/** Two processes that make one at once make two, and both are published. */
async function makeKey({ database, sealer, now }: Means): Promise<SigningKey> {
  const { published, privateDer } = makeSigningKey('ES256');
  const { kid } = published;
  await database.system((s) =>
    s.run(sql`
      insert into receipt_keys (kid, public_key, private_key, created_at)
      values (${kid}, ${JSON.stringify(published)}::json, ${sealer.seal(privateDer, contextOf(kid))}, ${now})`),
  );
  return openSigningKey(kid, 'ES256', privateDer);
}

export async function publishedKeys(database: Database): Promise<{ keys: Jwk[] }> {
  const rows = await database.ask<{ key: Jwk }>(sql`
    select public_key as key from receipt_keys order by created_at desc, kid`);
  return { keys: rows.map(({ key }) => key) };
}
