import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { answerDocument, answersPdf } from '../billing-documents/index.ts';
import { Operation } from '../operations/index.ts';
import type { PaymentHooks } from './hooks.ts';
import { listPayments } from './intents/intents.ts';
import { requirePayments } from './intents/service.ts';
import { openPay, refusalPage, returnFromPay } from './page/pay.ts';
import { getReceipt, listReceipts } from './receipts/receipts.ts';
import {
  paymentPageSample,
  paymentSample,
  receiptSample,
  topUpSample,
  wholeReceiptSample,
} from './samples.ts';
import {
  NewTopUp,
  PaymentIntentResource,
  PaymentPage,
  PaymentQuery,
  PayToken,
  Receipt,
  ReceiptQuery,
  ReceiptSummary,
} from './schema.ts';
import { createTopUp, issuesOfTopUp } from './top-ups/top-ups.ts';

const tag = 'Payments';
const billing = '/v1/accounts/{accountSid}/billing';

sample(PaymentIntentResource, paymentSample);
sample(ReceiptSummary, receiptSample);
sample(Receipt, wholeReceiptSample);
sample(PaymentPage, paymentPageSample);

export const operations = (hooks: PaymentHooks) => [
  operation({
    id: 'createTopUp',
    method: 'POST',
    path: `${billing}/top-ups`,
    summary: 'Top a wallet up',
    description:
      'Answers with an operation that waits until somebody has paid: `result.hostedUrl` is where, for a day. ' +
      '`amountMinor` is in the minor units of the currency itself, 500 for 5.00; tax is added to what is paid. ' +
      '`idempotencyKey` names this top-up for ever. With `saveCardForInvoices` the card that pays can be charged for invoices.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    businessKey: { field: 'idempotencyKey' },
    stepUp: { action: 'TOP_UP_CREATE', from: 'everyone' },
    params: Closed(accountPath),
    body: NewTopUp,
    responses: { 202: Operation },
    example: {
      amountMinor: '5000',
      currency: 'USD',
      idempotencyKey: 'top-up-2026-08',
      stepUpToken: 'sut_example',
      saveCardForInvoices: true,
    },
    answerExample: topUpSample,
    judge: requirePayments,
    issues: (t, { body }) => issuesOfTopUp(t, body),
    handler: (t, { body }) => createTopUp(t, body),
  }),
  operation({
    id: 'listPayments',
    method: 'GET',
    path: `${billing}/payments`,
    summary: 'List payments',
    description:
      'Top-ups and payments of invoices, the newest first, those included that nobody paid. `hostedUrl` is where one can be ' +
      'paid, while it can be.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    query: PaymentQuery,
    responses: { 200: ListOf(PaymentIntentResource) },
    handler: (t, { query, pager }) => listPayments(t, query, pager),
  }),
  operation({
    id: 'listReceipts',
    method: 'GET',
    path: `${billing}/receipts`,
    summary: 'List receipts of top-ups',
    description: 'The newest first. The document itself is read with the single receipt.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    query: ReceiptQuery,
    responses: { 200: ListOf(ReceiptSummary) },
    handler: (t, { pager }) => listReceipts(t, pager),
  }),
  operation({
    id: 'getReceipt',
    method: 'GET',
    path: `${billing}/receipts/{receiptSid}`,
    summary: 'Get a receipt with its document',
    description: 'The document never changes. `Accept: application/pdf` answers with its PDF alone.',
    tag,
    access: ['billing:read'],
    params: Closed({ ...accountPath, receiptSid: Sid('RC') }),
    responses: { 200: Receipt },
    ...answersPdf,
    handler: (t, { params: { receiptSid }, header }) =>
      answerDocument(t, header('accept'), { kind: 'receipt', subject: receiptSid }, () =>
        getReceipt(t, receiptSid),
      ),
  }),
  operation({
    id: 'openPayment',
    method: 'GET',
    path: '/pay/{token}',
    summary: 'Pay by a link',
    description:
      "Leads on to the payment service's page while the payment can be made there (303), and otherwise says what became of " +
      'it: a page to browsers, in English or French, JSON to programs.',
    tag,
    access: 'public',
    ignoresQuery: true,
    params: PayToken,
    responses: { 200: PaymentPage, 303: null },
    page: true,
    refusalPage,
    open: openPay(hooks),
  }),
  operation({
    id: 'returnFromPayment',
    method: 'GET',
    path: '/pay/{token}/returned',
    summary: "Come back from the payment service's page",
    description: 'Says what became of the payment, after asking the service.',
    tag,
    access: 'public',
    ignoresQuery: true,
    params: PayToken,
    responses: { 200: PaymentPage },
    page: true,
    refusalPage,
    open: returnFromPay(hooks),
  }),
];
