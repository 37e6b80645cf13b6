// What a refusal must not do: change anything that is kept about an account's money.
import assert from 'node:assert/strict';
import type { TestApp } from './app.ts';

const kept = `
  wallets ledger_accounts ledger_transfers message_holds charges billing_periods unbilled_periods invoices invoice_credits
  credit_notes statements payment_intents payment_attempts payment_disputes receipts refunds billing_documents
  billing_document_numbers billing_automations billing_mode_switches tax_profiles reconciliation_cases approvals
  refund_consents events`
  .trim()
  .split(/\s+/);

/** Everything that was written down about money, as one value. */
export async function moneyKept(app: TestApp, accountSid: string): Promise<string> {
  const rows = kept.map(
    (table) => `select '${table}' as kept, count(*), md5(string_agg(row::text, '' order by row::text))
      from ${table} as row where account_sid = $1`,
  );
  const found = await app.sql(rows.join(' union all '), [accountSid]);
  return found.map((row) => Object.values(row).join(' ')).join('\n');
}

/** The answer to what is asked, which changed nothing. */
export async function untouched<T>(app: TestApp, accountSid: string, ask: () => Promise<T>): Promise<T> {
  const before = await moneyKept(app, accountSid);
  const answer = await ask();
  assert.equal(await moneyKept(app, accountSid), before, 'a refusal leaves all as it was');
  return answer;
}
