import { type Static, Type } from 'typebox';
import {
  BusinessKey,
  Closed,
  DateTime,
  Money,
  NamedObject,
  NotBlank,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../../platform/samples.ts';
import { DocumentResource, documentSample, TaxLine } from '../../billing-documents/index.ts';
import { lineKinds } from '../composing/compose.ts';
import { invoiceStates } from './states.ts';

const { currency } = Money.properties;
export const invoiceState = named('InvoiceState', Word(...invoiceStates));
export const InvoiceQuery = Closed({ state: Type.Optional(invoiceState), ...pageQuery });
export type InvoiceQuery = Static<typeof InvoiceQuery>;

export const BillingPeriod = NamedObject('BillingPeriod', { start: DateTime, end: DateTime });

export const InvoiceLine = NamedObject('InvoiceLine', {
  n: Type.Integer(),
  kind: Word(...lineKinds),
  description: Type.String(),
  /** How many messages or corrections; null where nothing is counted. */
  quantity: Nullable(Type.Integer()),
  /** With the decimals of the wallet. */
  unitPrice: Nullable(Money),
  amount: Money,
  /** What messages it is about; null for other lines. */
  usage: Nullable(
    NamedObject('InvoiceLineUsage', {
      category: Nullable(Type.String()),
      market: Nullable(Type.String()),
      pricingType: Nullable(Type.String()),
      transport: Nullable(Type.String()),
    }),
  ),
  /** The tax code it is taxed by. */
  taxRef: Nullable(Type.String()),
});

/** What an invoice and the preview of one say alike. */
const composed = {
  walletId: Uuid,
  currency,
  periods: Type.Array(BillingPeriod),
  lines: Type.Array(InvoiceLine),
  /** All lines but `balance_applied`. */
  subtotal: Money,
  balanceApplied: Money,
  taxLines: Type.Array(TaxLine),
  total: Money,
};

const invoice = {
  object: Word('invoice'),
  sid: Sid('IN'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** Given when it is issued. */
  number: Nullable(Type.String()),
  state: invoiceState,
  ...composed,
  credited: Money,
  paid: Money,
  outstanding: Money,
  issuedAt: Nullable(DateTime),
  dueAt: Nullable(DateTime),
  /** Where it can be paid by card. */
  hostedUrl: Nullable(Type.String()),
  collection: NamedObject('InvoiceCollection', {
    attempts: Type.Integer(),
    nextAttemptAt: Nullable(DateTime),
    lastFailure: Nullable(Type.String()),
  }),
  submission: NamedObject('InvoiceSubmission', {
    provider: Type.String(),
    reference: Nullable(Type.String()),
    attempts: Type.Integer(),
    error: Nullable(Type.String()),
  }),
  createdAt: DateTime,
  updatedAt: DateTime,
};

export const Invoice = NamedObject('Invoice', invoice);
export type Invoice = Static<typeof Invoice>;

export const InvoiceWithDocument = NamedObject('InvoiceWithDocument', {
  ...invoice,
  /** Null until it is issued. */
  document: Nullable(DocumentResource),
});
export type InvoiceWithDocument = Static<typeof InvoiceWithDocument>;

export const InvoicePreview = NamedObject('InvoicePreview', {
  object: Word('invoice_preview'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  ...composed,
  /** Why no invoice would be made of this; null when one would. */
  notInvoiced: Nullable(Word('prepaid', 'nothing_due', 'below_minimum')),
});
export type InvoicePreview = Static<typeof InvoicePreview>;
export const PreviewQuery = Closed({ currency: Type.Optional(currency) });

const evidence = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

/** Why an invoice ends without being paid. */
export const Ending = (name: string) =>
  NamedObject(name, { evidence, idempotencyKey: BusinessKey, reason: NotBlank(500) });
export type Ending = { evidence: Record<string, unknown>; idempotencyKey: string; reason: string };

export const Resubmission = NamedObject('ResubmitInvoiceRequest', { stepUpToken: Text(256) });

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 2 });

const composedSample = {
  walletId: sampleUuid,
  currency: 'USD',
  periods: [{ start: '2026-07-01T00:00:00.000Z', end: '2026-08-01T00:00:00.000Z' }],
  lines: [
    {
      n: 1,
      kind: 'usage' as const,
      description: 'MARKETING messages to FR, REGULAR, by CLOUD_API',
      quantity: 4200,
      unitPrice: { amountMinor: '5000', currency: 'USD', scale: 6 },
      amount: dollars('2100'),
      usage: { category: 'MARKETING', market: 'FR', pricingType: 'REGULAR', transport: 'CLOUD_API' },
      taxRef: 'standard',
    },
    {
      n: 2,
      kind: 'balance_applied' as const,
      description: 'Paid from the balance, or carried over',
      quantity: null,
      unitPrice: null,
      amount: dollars('-100'),
      usage: null,
      taxRef: 'standard',
    },
  ],
  subtotal: dollars('2100'),
  balanceApplied: dollars('-100'),
  taxLines: [
    {
      jurisdiction: 'TEST',
      code: 'standard',
      name: 'Test VAT',
      ratePpm: 200_000,
      base: dollars('2000'),
      amount: dollars('400'),
    },
  ],
  total: dollars('2400'),
};

export const invoiceSample = sample(Invoice, {
  object: 'invoice',
  sid: sampleSid('IN'),
  ...sampleOwner,
  number: 'TEST-0000000000000000-000001',
  state: 'open',
  ...composedSample,
  credited: dollars('0'),
  paid: dollars('0'),
  outstanding: dollars('2400'),
  issuedAt: sampleTime,
  dueAt: '2026-09-20T10:00:00.000Z',
  hostedUrl: null,
  collection: { attempts: 0, nextAttemptAt: null, lastFailure: null },
  submission: { provider: 'godwit', reference: 'godwit-000001', attempts: 1, error: null },
  ...sampleTimes,
});

sample(InvoiceWithDocument, { ...invoiceSample, document: documentSample });

sample(InvoicePreview, {
  object: 'invoice_preview',
  ...sampleOwner,
  ...composedSample,
  notInvoiced: null,
});
