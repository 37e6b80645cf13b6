// What the platform owes a customer who has paid: by a credit note over something that was paid, or by a payment too much. The
// next invoices take it up, the oldest credit first, or it is refunded. It buys no messages, since it was taxed as an invoice.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';

export async function addCredit(
  t: TenantTx,
  { sid, walletId }: { sid: string; walletId: string },
  amountMinor: bigint,
): Promise<void> {
  if (amountMinor === 0n) return;
  await t.run(sql`
    insert into invoice_credits (account_sid, livemode, id, wallet_id, invoice_sid, amount_minor, created_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${walletId}, ${sid}, ${amountMinor}, ${t.now})`);
}

type Left = { id: string; leftMinor: string };

/** Takes up to so much of what is left, oldest first, and tells how much that was. */
export async function takeCredit(t: TenantTx, walletId: string, mostMinor: bigint): Promise<bigint> {
  const rows = await t.many<Left>(sql`
    select id, amount_minor - used_minor as "leftMinor" from invoice_credits
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and used_minor < amount_minor
     order by id for no key update`);
  return take(t, rows, mostMinor);
}

/** What is left of the credit that came from one invoice, locked until the transaction ends. */
export async function creditOfInvoice(t: TenantTx, invoiceSid: string): Promise<bigint> {
  const rows = await lockCreditsOf(t, invoiceSid);
  return rows.reduce((sum, { leftMinor }) => sum + BigInt(leftMinor), 0n);
}

/** Takes credit of one invoice for a refund; the caller has asked how much is left. */
export async function takeCreditOfInvoice(
  t: TenantTx,
  invoiceSid: string,
  amountMinor: bigint,
): Promise<void> {
  const taken = await take(t, await lockCreditsOf(t, invoiceSid), amountMinor);
  if (taken !== amountMinor)
    throw new Error(`${invoiceSid} has only ${taken} of ${amountMinor} left as credit`);
}

/** Gives back what a refund took and did not pay out. */
export async function returnCreditOfInvoice(
  t: TenantTx,
  invoiceSid: string,
  amountMinor: bigint,
): Promise<void> {
  const rows = await t.many<{ id: string; usedMinor: string }>(sql`
    select id, used_minor as "usedMinor" from invoice_credits
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and invoice_sid = ${invoiceSid}
     order by id desc for no key update`);
  let rest = amountMinor;
  for (const { id, usedMinor } of rows) {
    const back = least(rest, BigInt(usedMinor));
    if (back > 0n) await use(t, id, -back);
    rest -= back;
  }
}

const lockCreditsOf = (t: TenantTx, invoiceSid: string) =>
  t.many<Left>(sql`
    select id, amount_minor - used_minor as "leftMinor" from invoice_credits
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and invoice_sid = ${invoiceSid}
     order by id for no key update`);

async function take(t: TenantTx, rows: Left[], mostMinor: bigint): Promise<bigint> {
  let rest = mostMinor;
  for (const { id, leftMinor } of rows) {
    const taken = least(rest, BigInt(leftMinor));
    if (taken > 0n) await use(t, id, taken);
    rest -= taken;
  }
  return mostMinor - rest;
}

const use = (t: TenantTx, id: string, amountMinor: bigint) =>
  t.run(sql`
    update invoice_credits set used_minor = used_minor + ${amountMinor}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
