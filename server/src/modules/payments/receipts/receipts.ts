// Receipts for top-ups: the tax document of what was paid in advance. Issued with the payment, and never changed.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { toWire } from '../../../platform/money.ts';
import {
  type DocumentContent,
  documentOf,
  issueDocument,
  nextNumber,
  type TaxLine,
} from '../../billing-documents/index.ts';
import { type Intent, intentAt, moneyOf } from '../intents/intents.ts';
import type { PaymentCard } from '../ports.ts';
import type { Receipt, ReceiptSummary } from '../schema.ts';
import { receiptEvents } from './events.ts';

/** Takes the number, and with it the lock that issuing needs: before the wallet's. */
export async function issueReceipt(t: TenantTx, intent: Intent): Promise<Intent> {
  const number = await nextNumber(t, 'receipt');
  const sid = newSid('RC', t.now);
  await t.run(sql`
    insert into receipts (account_sid, livemode, sid, number, intent_id, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${number}, ${intent.id}, ${t.now})`);
  await t.run(sql`update payment_intents set receipt_sid = ${sid} where ${intentAt(t, intent.id)}`);
  await issueDocument(t, { kind: 'receipt', subject: sid, number, content: contentOf(intent) });
  emit(t, receiptEvents.created, await findReceipt(t, sid));
  return { ...intent, receiptSid: sid };
}

function contentOf(intent: Intent): DocumentContent {
  const wire = (amountMinor: bigint) => toWire(moneyOf(intent, amountMinor));
  const { card, taxLines } = intent;
  const paidBy = card ? [{ label: 'Card', value: `${card.brand} …${card.last4}` }] : [];
  return {
    facts: [{ label: 'Payment', value: intent.id }, { label: 'Paid', value: intent.succeededAt! }, ...paidBy],
    tables: [
      {
        title: 'Paid',
        columns: [
          { key: 'description', label: 'Description', share: 3 },
          { key: 'amount', label: 'Amount', align: 'right' },
        ],
        rows: [{ description: intent.description, amount: wire(intent.netMinor) }],
      },
    ],
    totals: [
      { label: 'Net', amount: wire(intent.netMinor) },
      ...taxLines.map(({ name, ratePpm, amount }) => ({ label: `${name} ${ratePpm / 10_000} %`, amount })),
      { label: 'Total', amount: wire(intent.amountMinor) },
    ],
  };
}

type ReceiptRow = {
  sid: string;
  number: string;
  paymentIntentId: string;
  currency: string;
  scale: number;
  netMinor: string;
  taxMinor: string;
  taxLines: TaxLine[];
  card: PaymentCard | null;
  createdAt: string;
};

const rows = sql`
  select r.sid, r.number, r.intent_id as "paymentIntentId", p.currency, p.scale, p.net_minor as "netMinor",
    p.tax_minor as "taxMinor", p.tax_lines as "taxLines", p.card, r.created_at as "createdAt"
    from receipts r join payment_intents p on p.account_sid = r.account_sid and p.id = r.intent_id`;

function toReceipt(t: TenantTx, row: ReceiptRow): ReceiptSummary {
  const wire = (amountMinor: bigint) => toWire(moneyOf(row, amountMinor));
  return {
    object: 'receipt',
    sid: row.sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    number: row.number,
    paymentIntentId: row.paymentIntentId,
    net: wire(BigInt(row.netMinor)),
    taxLines: row.taxLines,
    total: wire(BigInt(row.netMinor) + BigInt(row.taxMinor)),
    card: row.card,
    createdAt: row.createdAt,
  };
}

async function findReceipt(t: TenantTx, sid: string): Promise<ReceiptSummary> {
  const row = await t.maybe<ReceiptRow>(sql`
    ${rows} where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toReceipt(t, row);
}

export async function getReceipt(t: TenantTx, sid: string): Promise<Receipt> {
  const receipt = await findReceipt(t, sid);
  return { ...receipt, document: (await documentOf(t, { kind: 'receipt', subject: sid }))! };
}

/** The newest first. */
export async function listReceipts(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const found = await t.many<ReceiptRow>(sql`
    ${rows} where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode}
       and (${before}::text is null or r.sid < ${before})
     order by r.sid desc limit ${pager.fetch}`);
  return pager.page(
    found,
    ({ sid }) => [sid],
    (row) => toReceipt(t, row),
  );
}
