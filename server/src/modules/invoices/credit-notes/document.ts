// What a credit note says on paper.
import type { DocumentContent } from '../../billing-documents/index.ts';
import type { CreditNote } from './schema.ts';

export function creditNoteContent(note: CreditNote, invoice: { number: string | null }): DocumentContent {
  return {
    facts: [
      { label: 'Invoice', value: invoice.number },
      { label: 'Reason', value: note.reason },
    ],
    tables: [],
    totals: [
      { label: 'Net', amount: note.amount },
      { label: 'Tax', amount: note.tax },
      { label: 'Credited', amount: note.total },
    ],
  };
}
