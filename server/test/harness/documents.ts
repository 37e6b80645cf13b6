// Documents about money, for tests that need some.
import {
  type DocumentContent,
  type DocumentKind,
  issueDocument,
  nextNumber,
} from '../../src/modules/billing-documents/index.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';

const euros = (amountMinor: string) => ({ amountMinor, currency: 'EUR', scale: 2 });
export const sampleContent: DocumentContent = {
  facts: [{ label: 'Paid with', value: 'visa 4242' }],
  tables: [
    {
      title: 'Lines',
      columns: [
        { key: 'description', label: 'Description', share: 4 },
        { key: 'amount', label: 'Amount', align: 'right' },
      ],
      rows: [{ description: 'Top-up', amount: euros('2500') }],
    },
  ],
  totals: [{ label: 'Total', amount: euros('2500') }],
};

/** A document with a number, about nothing in particular. */
export async function issueSampleDocument(t: TenantTx, kind: DocumentKind = 'receipt') {
  const number = await nextNumber(t, kind);
  const subject = newUuid(t.now);
  return { number, subject, ...(await issueDocument(t, { kind, subject, number, content: sampleContent })) };
}
