// What idempotency keys and fingerprints are kept as. People put phone numbers into keys, and of a body that is short enough to
// be guessed a bare hash tells as much as the body: so both are HMACs under a secret of the installation.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Database, SystemTx } from '../db/database.ts';
import { sql } from '../db/query.ts';
import { lockNumber } from '../db/tenant-lock.ts';
import type { Bytes } from '../hashing.ts';
import type { Sealer } from '../sealing.ts';

export type KeyedHash = (data: Bytes) => Buffer;

const name = 'idempotency-secret';
const slice = 5_000;

/**
 * Made once and stored sealed, not derived from the master key: some keys are known for ever, and must be found after that was
 * changed. Rows that were written in clear by an earlier version are concealed before anything is looked up.
 */
export async function openKeyedHash(database: Database, sealer: Sealer): Promise<KeyedHash> {
  const { value } = await database.system(async (s) => {
    await s.run(sql`
      insert into settings (name, value) values (${name}, ${sealer.seal(randomBytes(32), name)})
      on conflict (name) do nothing`);
    return s.one<{ value: Buffer }>(sql`select value from settings where name = ${name}`);
  });
  const secret = createSecretKey(sealer.open(value, name));
  const keyedHash: KeyedHash = (data) => createHmac('sha256', secret).update(data).digest();
  let found = slice;
  while (found > 0) found = await database.system((s) => concealSlice(s, keyedHash));
  return keyedHash;
}

type ClearRow = { accountSid: string; livemode: boolean; subject: string; key: string; fingerprint: Buffer };

/** Processes that start at once take turns, so that none of them serves before the last row is done. */
async function concealSlice(s: SystemTx, keyedHash: KeyedHash): Promise<number> {
  await s.run(sql`select pg_advisory_xact_lock(${lockNumber(name)})`);
  const rows = await s.many<ClearRow>(sql`
    select account_sid as "accountSid", livemode, subject, key, fingerprint from idempotency_keys
     where not concealed limit ${slice}`);
  if (rows.length === 0) return 0;
  const next = rows.map(({ key, fingerprint }) => ({
    key: keyedHash(key).toString('base64url'),
    fingerprint: keyedHash(fingerprint).toString('hex'),
  }));
  return s.run(sql`
    update idempotency_keys k set key = clear.next_key, fingerprint = decode(clear.next_fingerprint, 'hex'),
      concealed = true
      from unnest(${rows.map(({ accountSid }) => accountSid)}::text[], ${rows.map(({ livemode }) => livemode)}::boolean[],
        ${rows.map(({ subject }) => subject)}::text[], ${rows.map(({ key }) => key)}::text[],
        ${next.map(({ key }) => key)}::text[], ${next.map(({ fingerprint }) => fingerprint)}::text[])
        as clear (account_sid, livemode, subject, key, next_key, next_fingerprint)
     where k.account_sid = clear.account_sid and k.livemode = clear.livemode and k.subject = clear.subject
       and k.key = clear.key and not k.concealed`);
}
