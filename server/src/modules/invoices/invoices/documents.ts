// What the papers say, from what is stored: the JSON that is hashed, and that the PDF shows.
import { format, fromWire, type MoneyWire, money, toWire } from '../../../platform/money.ts';
import type { DocumentContent } from '../../billing-documents/index.ts';
import type { Invoice } from './schema.ts';

const day = (instant: string) => instant.slice(0, 10);
const percent = (ratePpm: number) => `${ratePpm / 10_000} %`;

/** As people read it: a period ends where the next begins, so the last day is the one before. */
export const periodText = ({ start, end }: { start: string; end: string }) =>
  `${start.replace('T00:00:00.000Z', '')} to before ${end.replace('T00:00:00.000Z', '')}, UTC`;

/** What an invoice says. Unit prices have more decimals than amounts, and are written out. */
export function invoiceContent(invoice: Invoice & { dueAt: string }): DocumentContent {
  const { currency, total } = invoice;
  const net = invoice.taxLines.reduce(
    (rest, { amount }) => rest - BigInt(amount.amountMinor),
    BigInt(total.amountMinor),
  );
  return {
    facts: [
      ...invoice.periods.map((period) => ({ label: 'Period', value: periodText(period) })),
      { label: 'Currency', value: currency },
      { label: 'Due', value: day(invoice.dueAt) },
    ],
    tables: [
      {
        title: 'What was used',
        columns: [
          { key: 'n', label: '#', share: 0.3 },
          { key: 'description', label: 'Description', share: 4 },
          { key: 'quantity', label: 'Quantity', align: 'right' },
          { key: 'unitPrice', label: 'Unit price', align: 'right' },
          { key: 'amount', label: 'Amount', align: 'right' },
        ],
        rows: invoice.lines.map(({ n, description, quantity, unitPrice, amount }) => ({
          n,
          description,
          quantity,
          unitPrice: unitPrice && format(fromWire(unitPrice)),
          amount,
        })),
      },
    ],
    totals: [
      { label: 'Net', amount: toWire(money(net, currency, total.scale)) },
      ...taxTotals(invoice.taxLines),
      { label: 'Total', amount: total },
    ],
  };
}

export const taxTotals = (lines: { name: string; ratePpm: number; amount: MoneyWire }[]) =>
  lines.map(({ name, ratePpm, amount }) => ({ label: `${name}, ${percent(ratePpm)}`, amount }));
