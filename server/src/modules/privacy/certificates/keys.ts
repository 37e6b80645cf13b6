// The keys of this installation by which it signs certificates. One is made when the first certificate is; all that ever were are
// published.
import type { Database, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import {
  makeSigningKey,
  openSigningKey,
  type PublicKey,
  type SigningKey,
} from '../../../platform/signing/signatures.ts';

const alg = 'EdDSA';
const contextOf = (kid: string) => `certificate-key/${kid}`;

/** Two transactions that make one at once make two, and both are published. */
export async function certificateKey(t: TenantTx): Promise<SigningKey> {
  const row = await t.maybe<{ kid: string; sealed: Buffer }>(sql`
    select kid, private_key as sealed from certificate_keys order by created_at desc, kid limit 1`);
  if (row) return openSigningKey(row.kid, alg, t.sealer.open(row.sealed, contextOf(row.kid)));
  const { published, privateDer } = makeSigningKey(alg);
  const { kid } = published;
  await t.run(sql`
    insert into certificate_keys (kid, public_key, private_key, created_at)
    values (${kid}, ${JSON.stringify(published)}::json, ${t.sealer.seal(privateDer, contextOf(kid))}, ${t.now})`);
  return openSigningKey(kid, alg, privateDer);
}

export async function publishedCertificateKeys(database: Database): Promise<PublicKey[]> {
  const rows = await database.ask<{ key: PublicKey }>(sql`
    select public_key as key from certificate_keys order by created_at desc, kid`);
  return rows.map(({ key }) => key);
}
