// What a statement says on paper.
import { format, fromWire } from '../../../platform/money.ts';
import type { DocumentContent } from '../../billing-documents/index.ts';
import { describe } from '../composing/compose.ts';
import { periodText } from '../invoices/documents.ts';
import type { Statement } from './schema.ts';

export function statementContent(statement: Statement): DocumentContent {
  const { period, opening, movements, closing, usage, documents } = statement;
  return {
    facts: [
      { label: 'Period', value: periodText(period) },
      { label: 'Wallet', value: statement.walletId },
      { label: 'Currency', value: opening.currency },
    ],
    tables: [
      {
        title: 'What moved',
        columns: [
          { key: 'kind', label: 'Kind', share: 3 },
          { key: 'amount', label: 'Amount', align: 'right' },
        ],
        rows: movements,
      },
      {
        title: 'What was used',
        columns: [
          { key: 'what', label: 'Messages', share: 4 },
          { key: 'quantity', label: 'Quantity', align: 'right' },
          { key: 'unitPrice', label: 'Unit price', align: 'right' },
          { key: 'amount', label: 'Amount', align: 'right' },
        ],
        rows: usage.map((one) => ({
          what: describe(one),
          quantity: one.quantity,
          unitPrice: format(fromWire(one.unitPrice)),
          amount: one.amount,
        })),
      },
      {
        title: 'Documents issued in this period',
        columns: [
          { key: 'kind', label: 'Kind' },
          { key: 'number', label: 'Number', share: 3 },
          { key: 'total', label: 'Total', align: 'right' },
        ],
        rows: documents,
      },
    ].filter(({ rows }) => rows.length > 0) as DocumentContent['tables'],
    totals: [
      { label: 'At the beginning', amount: opening },
      { label: 'At the end', amount: closing },
    ],
  };
}
