import type { Module } from '../../platform/module.ts';
import { renderDocument } from './documents/jobs.ts';
import { observeDocuments } from './documents/metrics.ts';
import { taxProfileEvents } from './tax/events.ts';
import { operations } from './tax/routes.ts';

export type { BillingDocument, Cell, DocumentContent, DocumentKind, DocumentTable } from './document.ts';
export { answerDocument, answersPdf } from './documents/answer-document.ts';
export {
  documentOf,
  documentsBetween,
  type Issued,
  issueDocument,
  type ListedDocument,
  type NewDocument,
  type Subject,
} from './documents/documents.ts';
export { nextNumber } from './documents/numbers.ts';
export { DocumentResource, documentSample } from './documents/schema.ts';
export { type DocumentsReport, verifyDocuments } from './documents/verify-documents.ts';
export {
  defaultInvoiceProvider,
  type InvoiceProvider,
  invoiceProviders,
  type Submission,
  type Submitted,
} from './submission/invoice-provider.ts';
export type { TaxProfile } from './tax/schema.ts';
export { TaxLine, taxLineSample, taxLinesFor, taxOf } from './tax/tax-lines.ts';
export { setTaxProfile, type TaxProfileContent, taxProfileOf } from './tax/tax-profiles.ts';
export { addTaxRate, listTaxRates, type NewTaxRate } from './tax/tax-table.ts';

export const billingDocumentsModule: Module = {
  name: 'billing-documents',
  tables: [
    'billing_document_heads',
    'billing_document_numbers',
    'billing_documents',
    'billing_document_pdfs',
    'billing_documents_undrawn',
    'tax_rates',
    'tax_profiles',
  ],
  operations,
  events: Object.values(taxProfileEvents),
  jobs: [renderDocument],
  crons: [],
  observe: observeDocuments,
};
