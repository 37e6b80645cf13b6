import { Type } from 'typebox';
import { ApiError } from '../../platform/errors/errors.ts';
import { accountPath, Closed, ListOf, pageQuery, Sid, Uuid } from '../../platform/http/input/schema.ts';
import { Answer, operation } from '../../platform/http/operations/operation.ts';
import { sampleSid, sampleUuid } from '../../platform/samples.ts';
import { ChargeExplanation, ChargeList } from '../billing/index.ts';
import { answerDocument, answersPdf } from '../billing-documents/index.ts';
import { accepted, Operation } from '../operations/index.ts';
import { issuesOfAutomation } from './automation/automations.ts';
import { Automation, NewAutomation } from './automation/schema.ts';
import { automate } from './closing/automate.ts';
import { createCreditNote, issuesOfCreditNote } from './credit-notes/consent.ts';
import { CreditNoteWithDocument, NewCreditNote } from './credit-notes/schema.ts';
import { getInvoice, listInvoices } from './invoices/invoices.ts';
import { chargesOfLine, explainOnInvoice } from './invoices/line-charges.ts';
import { issuesOfPreview, previewInvoice } from './invoices/preview.ts';
import {
  Ending,
  Invoice,
  InvoicePreview,
  InvoiceQuery,
  InvoiceWithDocument,
  PreviewQuery,
  Resubmission,
} from './invoices/schema.ts';
import { voidInvoice } from './issuing/end-invoice.ts';
import { resubmitInvoice } from './issuing/resubmit.ts';
import { writeOffInvoice } from './issuing/write-off.ts';
import { Statement, StatementWithDocument } from './statements/schema.ts';
import { getStatement, listStatements } from './statements/statements.ts';

const tag = 'Invoices';
const billing = '/v1/accounts/{accountSid}/billing';
const one = `${billing}/invoices/{invoiceSid}`;
const onePath = Closed({ ...accountPath, invoiceSid: Sid('IN') });
const read = ['billing:read'] as const;
const write = ['billing:write'] as const;
const businessKey = { field: 'idempotencyKey' };
const because = { reason: 'The campaign was sent twice', evidence: { ticket: 'SUP-4711' } };

export const operations = [
  operation({
    id: 'setBillingAutomation',
    method: 'PUT',
    path: `${billing}/automation`,
    summary: 'Set how periods follow each other and how invoices are collected',
    description:
      'Once a currency, and whole. `nextPeriodStart` is where the last closed period ended; the first period takes everything ' +
      'older too. Whole calendar months go by a day of the month in UTC, so that the 31st becomes the 28th and the 31st again; ' +
      'other periods are followed by others of their length, but of a day at least. A period whose end lies in the past is closed at once. ' +
      '`collection` names a payment that succeeded with `saveCardForInvoices`: its card is charged when an invoice is issued, ' +
      'and again after each failure as many hours later as `retryDelaysHours` says, at most 24 times.',
    tag,
    access: write,
    idempotency: 'required',
    stepUp: { action: 'BILLING_AUTOMATION_CHANGE', from: 'everyone', field: 'collection.stepUpToken' },
    params: Closed(accountPath),
    body: NewAutomation,
    responses: { 200: Automation },
    example: {
      currency: 'USD',
      nextPeriodStart: '2026-08-01T00:00:00Z',
      nextPeriodEnd: '2026-09-01T00:00:00Z',
      collection: { paymentIntentId: sampleUuid, retryDelaysHours: [24, 72, 168], stepUpToken: 'su_…' },
      providerStatement: {
        provider: 'meta',
        wabaSid: sampleSid('WB'),
        nextPeriodStart: '2026-08-01T00:00:00Z',
        nextPeriodEnd: '2026-09-01T00:00:00Z',
      },
    },
    issues: (t, { body }) => issuesOfAutomation(t, body),
    handler: (t, { body }) => automate(t, body),
  }),
  operation({
    id: 'previewInvoice',
    method: 'GET',
    path: `${billing}/invoice-preview`,
    summary: 'Preview the next invoice',
    description:
      'What the invoice of the running period would say if nothing more happened, made by what makes the invoice. ' +
      '`notInvoiced` says why none would be made. Of the wallet messages are paid from, unless `currency` names another.',
    tag,
    access: read,
    params: Closed(accountPath),
    query: PreviewQuery,
    responses: { 200: InvoicePreview },
    issues: (t, { query }) => issuesOfPreview(t, query.currency),
    handler: (t, { query }) => previewInvoice(t, query.currency),
  }),
  operation({
    id: 'listInvoices',
    method: 'GET',
    path: `${billing}/invoices`,
    summary: 'List invoices',
    description: 'Newest first, of all states or of one.',
    tag,
    access: read,
    params: Closed(accountPath),
    query: InvoiceQuery,
    responses: { 200: ListOf(Invoice) },
    handler: (t, { query, pager }) => listInvoices(t, query, pager),
  }),
  operation({
    id: 'getInvoice',
    method: 'GET',
    path: one,
    summary: 'Get an invoice with its document',
    description:
      'The document never changes once the invoice is issued. With `Accept: application/pdf` it is answered as a PDF.',
    tag,
    access: read,
    params: onePath,
    responses: { 200: InvoiceWithDocument },
    ...answersPdf,
    handler: (t, { params, header }) =>
      answerDocument(t, header('accept'), { kind: 'invoice', subject: params.invoiceSid }, () =>
        getInvoice(t, params.invoiceSid),
      ),
  }),
  operation({
    id: 'listInvoiceLineCharges',
    method: 'GET',
    path: `${one}/lines/{line}/charges`,
    summary: 'List the charges behind a line of an invoice',
    description:
      'Every message the line is about, and what it cost. Empty for lines that are not about messages or corrections.',
    tag,
    access: read,
    params: Closed({
      ...accountPath,
      invoiceSid: Sid('IN'),
      line: Type.String({ pattern: '^[1-9][0-9]{0,4}$' }),
    }),
    query: Closed(pageQuery),
    responses: { 200: ChargeList },
    handler: (t, { params, pager }) => chargesOfLine(t, params.invoiceSid, Number(params.line), pager),
  }),
  operation({
    id: 'explainCharge',
    method: 'GET',
    path: `${billing}/charges/{chargeId}`,
    summary: 'Explain a charge',
    description:
      'Why it is this amount: the row of the rate card, how the provider said it charged, what was held for the message, ' +
      'what was moved, the period and documents it stands on, and the line of the invoice.',
    tag: 'Billing',
    access: read,
    params: Closed({ ...accountPath, chargeId: Uuid }),
    responses: { 200: ChargeExplanation },
    handler: (t, { params }) => explainOnInvoice(t, params.chargeId),
  }),
  operation({
    id: 'createCreditNote',
    method: 'POST',
    path: `${one}/credit-notes`,
    summary: 'Credit a part of an invoice',
    description:
      'What is still owed becomes less; what was paid becomes credit, which the next invoice takes up or a refund pays out. ' +
      '`amountMinor` is net; `taxMinor` is what the tax of everything credited so far comes to, less that of earlier ' +
      'notes, so that notes sum up to the invoice; a refusal names it. The platform must agree: in live the ' +
      'answer is APPROVAL_REQUIRED, and the note is made when its staff does. Sent again with the `approvalSid`, it answers the note.',
    tag,
    access: write,
    idempotency: 'required',
    businessKey: { ...businessKey, approval: 'approvalSid' },
    params: onePath,
    body: NewCreditNote,
    responses: { 201: CreditNoteWithDocument },
    example: {
      amountMinor: '500',
      taxMinor: '100',
      currency: 'USD',
      scale: 2,
      idempotencyKey: 'SUP-4711',
      ...because,
    },
    issues: issuesOfCreditNote,
    async handler(t, { params, body }) {
      const made = await createCreditNote(t, params.invoiceSid, body);
      return made instanceof ApiError ? made : new Answer(201, made);
    },
  }),
  operation({
    id: 'resubmitInvoice',
    method: 'POST',
    path: `${one}/resubmit`,
    summary: 'Submit an invoice again that was refused',
    description:
      'Only one that is `failed`. The operation ends with the answer of where it has to be registered.',
    tag,
    access: write,
    idempotency: 'required',
    stepUp: { action: 'INVOICE_RESUBMIT', from: 'everyone' },
    params: onePath,
    body: Resubmission,
    responses: { 202: Operation },
    example: { stepUpToken: 'su_…' },
    handler: async (t, { params }) => accepted(await resubmitInvoice(t, params.invoiceSid)),
  }),
  operation({
    id: 'voidInvoice',
    method: 'POST',
    path: `${one}/void`,
    summary: 'Void an invoice that was issued in error',
    description:
      'What it is about is unbilled again, and part of the next invoice: nothing is forgiven. One of which something is paid or ' +
      'credited cannot be voided.',
    tag,
    access: write,
    idempotency: 'required',
    businessKey,
    params: onePath,
    body: Ending('VoidInvoiceRequest'),
    responses: { 200: Invoice },
    example: { idempotencyKey: 'void-000001', ...because },
    handler: (t, { params, body }) => voidInvoice(t, params.invoiceSid, body),
  }),
  operation({
    id: 'writeOffInvoice',
    method: 'POST',
    path: `${one}/write-off`,
    summary: 'Write off an invoice nobody will pay',
    description:
      'Only one that is `past_due`. The staff of the platform does so itself; everybody else gets APPROVAL_REQUIRED, and it happens ' +
      'when the staff agrees. An invoice that is paid after all becomes `paid`.',
    tag,
    sdk: 'invoices.writeOff',
    access: write,
    idempotency: 'required',
    businessKey,
    params: onePath,
    body: Ending('WriteOffInvoiceRequest'),
    responses: { 200: Invoice },
    example: {
      idempotencyKey: 'write-off-000001',
      reason: 'Insolvent since July',
      evidence: { court: '12 IN 47/26' },
    },
    handler: (t, { params, body }) => writeOffInvoice(t, params.invoiceSid, body),
  }),
  operation({
    id: 'listStatements',
    method: 'GET',
    path: `${billing}/statements`,
    summary: 'List statements',
    description: 'One for every closed period in which something happened, newest first.',
    tag,
    access: read,
    params: Closed(accountPath),
    query: Closed(pageQuery),
    responses: { 200: ListOf(Statement) },
    handler: (t, { pager }) => listStatements(t, pager),
  }),
  operation({
    id: 'getStatement',
    method: 'GET',
    path: `${billing}/statements/{statementSid}`,
    summary: 'Get a statement with its document',
    description: 'It never changes. With `Accept: application/pdf` the document is answered as a PDF.',
    tag,
    access: read,
    params: Closed({ ...accountPath, statementSid: Sid('ST') }),
    responses: { 200: StatementWithDocument },
    ...answersPdf,
    handler: (t, { params, header }) =>
      answerDocument(t, header('accept'), { kind: 'statement', subject: params.statementSid }, () =>
        getStatement(t, params.statementSid),
      ),
  }),
];
