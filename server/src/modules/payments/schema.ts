import { type Static, Type } from 'typebox';
import {
  BusinessKey,
  Closed,
  DateTime,
  Money,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { DocumentResource, TaxLine } from '../billing-documents/index.ts';
import { paymentStates } from './states.ts';

export const NewTopUp = NamedObject('CreateTopUpRequest', {
  amountMinor: Type.String({ pattern: '^[1-9][0-9]{0,7}$' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  idempotencyKey: BusinessKey,
  stepUpToken: Type.String({ maxLength: 4096 }),
  saveCardForInvoices: Type.Optional(Type.Boolean()),
});
export type NewTopUp = Static<typeof NewTopUp>;

export const PaymentCardResource = NamedObject('PaymentCard', {
  brand: Type.String(),
  last4: Type.String(),
  expMonth: Type.Integer(),
  expYear: Type.Integer(),
});

const PaymentFailureResource = NamedObject('PaymentFailure', {
  code: Type.String(),
  /** The bank's own word, where it said one. */
  declineCode: Nullable(Type.String()),
  message: Type.String(),
});

export const PaymentIntentResource = NamedObject('PaymentIntent', {
  object: Word('payment_intent'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  purpose: Word('top_up', 'invoice'),
  state: named('PaymentState', Word(...paymentStates)),
  /** What is paid: net and tax. */
  amount: Money,
  net: Money,
  tax: Money,
  refunded: Money,
  /** What banks hold back or have taken back. */
  disputed: Money,
  /** Where it is paid, while it can be. */
  hostedUrl: Nullable(Type.String()),
  card: Nullable(PaymentCardResource),
  invoiceSid: Nullable(Sid('IN')),
  receiptSid: Nullable(Sid('RC')),
  failure: Nullable(PaymentFailureResource),
  provider: Word('stripe', 'transfer'),
  expiresAt: Nullable(DateTime),
  succeededAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type PaymentIntentResource = Static<typeof PaymentIntentResource>;

const receipt = {
  object: Word('receipt'),
  sid: Sid('RC'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  number: Type.String(),
  paymentIntentId: Uuid,
  net: Money,
  taxLines: Type.Array(TaxLine),
  total: Money,
  card: Nullable(PaymentCardResource),
  createdAt: DateTime,
};

/** As it is listed and told of: the document is read by itself. */
export const ReceiptSummary = NamedObject('ReceiptSummary', receipt);
export type ReceiptSummary = Static<typeof ReceiptSummary>;
export const Receipt = NamedObject('Receipt', { ...receipt, document: DocumentResource });
export type Receipt = Static<typeof Receipt>;
export const ReceiptQuery = Closed(pageQuery);

/** What the link says to a program; a browser is shown a page, or is led on to pay. */
export const PaymentPage = NamedObject('PaymentPage', {
  object: Word('payment_page'),
  state: Word('open', 'processing', 'paid', 'expired', 'canceled', 'failed'),
  amount: Money,
});
export type PaymentPage = Static<typeof PaymentPage>;
export const PayToken = Closed({ token: Type.String({ maxLength: 256 }) });

export const PaymentQuery = Closed({ state: Type.Optional(Type.String({ maxLength: 64 })), ...pageQuery });
export type PaymentQuery = Static<typeof PaymentQuery>;
