// Ten codes for the day the other factors are lost, each good once. What is stored is keyed by a secret of that set,
// so equal codes of two people, or of two sets, leave no equal traces.
import type { Queries } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { hmacSha256 } from '../../../platform/hashing.ts';
import { randomBase32, randomToken } from '../../../platform/ids.ts';
import type { Sealer } from '../../../platform/sealing.ts';

const codesInSet = 10;
const sealContext = (userSid: string) => `recovery-codes:${userSid}`;

type Owner = { organizationId: string; userSid: string };

/** Makes a new set and ends the old one. The codes are told this once. */
export async function makeRecoveryCodes(
  q: Queries,
  sealer: Sealer,
  { organizationId, userSid }: Owner,
  now: Date,
): Promise<string[]> {
  // 80 bits each: nobody guesses one, however fast.
  const codes = Array.from({ length: codesInSet }, () => randomBase32(10).replaceAll(/(.{4})(?=.)/g, '$1-'));
  const key = randomToken();
  await q.run(sql`
    insert into recovery_code_sets (user_sid, organization_id, sealed_key, created_at)
    values (${userSid}, ${organizationId}, ${sealer.seal(key, sealContext(userSid))}, ${now})
    on conflict (user_sid) do update set sealed_key = excluded.sealed_key, created_at = excluded.created_at`);
  await q.run(sql`delete from recovery_codes where user_sid = ${userSid}`);
  await q.run(sql`
    insert into recovery_codes (user_sid, code_hash, organization_id, created_at)
    select ${userSid}, hash, ${organizationId}, ${now}
      from unnest(${codes.map((code) => hashCode(key, code))}::bytea[]) as hash`);
  return codes;
}

export async function hasRecoveryCodes(q: Queries, userSid: string): Promise<boolean> {
  return (await q.maybe(sql`select 1 from recovery_code_sets where user_sid = ${userSid}`)) !== undefined;
}

export async function countRecoveryCodes(q: Queries, userSid: string): Promise<number> {
  const { left } = await q.one<{ left: number }>(sql`
    select count(*)::int as left from recovery_codes where user_sid = ${userSid} and used_at is null`);
  return left;
}

/** Tells how many unused codes went. */
export async function removeRecoveryCodes(q: Queries, userSid: string): Promise<number> {
  const left = await countRecoveryCodes(q, userSid);
  await q.run(sql`delete from recovery_codes where user_sid = ${userSid}`);
  await q.run(sql`delete from recovery_code_sets where user_sid = ${userSid}`);
  return left;
}

/** Spends a code; tells when it is one of the person's that was used before, and when it is none. */
export async function spendRecoveryCode(
  q: Queries,
  sealer: Sealer,
  { organizationId, userSid }: Owner,
  code: string,
  now: Date,
): Promise<'spent' | 'repeated' | 'unknown'> {
  const set = await q.maybe<{ sealedKey: Buffer }>(sql`
    select sealed_key as "sealedKey" from recovery_code_sets
     where user_sid = ${userSid} and organization_id = ${organizationId}`);
  if (!set) return 'unknown';
  const key = sealer.open(set.sealedKey, sealContext(userSid)).toString('utf8');
  const ofThis = sql`user_sid = ${userSid} and code_hash = ${hashCode(key, code)}`;
  const spent = await q.run(
    sql`update recovery_codes set used_at = ${now} where ${ofThis} and used_at is null`,
  );
  if (spent === 1) return 'spent';
  return (await q.maybe(sql`select 1 from recovery_codes where ${ofThis}`)) ? 'repeated' : 'unknown';
}

/** People copy codes by hand: case, dashes and look-alike letters do not matter. */
function hashCode(key: string, code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return hmacSha256(key, plain);
}
