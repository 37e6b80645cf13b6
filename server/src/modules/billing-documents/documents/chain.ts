// The head of an account's documents: how many there are and the hash of the last.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';

export type Head = { sequence: string; sha256: Buffer };

/** What stands before the first document. */
export const chainStart = sha256('');

/** Locked until the transaction ends: of those who issue at once, one goes first. */
export async function lockHead(t: TenantTx): Promise<Head> {
  const found = await findHead(t);
  if (found) return found;
  await t.run(sql`
    insert into billing_document_heads (account_sid, livemode, sequence, sha256)
    values (${t.accountSid}, ${t.livemode}, 0, ${chainStart}) on conflict do nothing`);
  return (await findHead(t))!;
}

const findHead = (t: TenantTx) =>
  t.maybe<Head>(sql`
    select sequence, sha256 from billing_document_heads
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} for update`);

export async function moveHead(t: TenantTx, { sequence, sha256: hash }: Head): Promise<void> {
  await t.run(sql`
    update billing_document_heads set sequence = ${sequence}, sha256 = ${hash}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
}
