import { type Static, Type } from 'typebox';
import {
  BusinessKey,
  DateTime,
  MinorUnits,
  Money,
  NamedObject,
  NotBlank,
  Nullable,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { DocumentResource, documentSample } from '../../billing-documents/index.ts';

const { currency, scale } = Money.properties;
const evidence = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

export const NewCreditNote = NamedObject('CreateCreditNoteRequest', {
  amountMinor: MinorUnits('^[1-9][0-9]*$'),
  taxMinor: MinorUnits('^[0-9]+$'),
  currency,
  scale,
  evidence,
  idempotencyKey: BusinessKey,
  reason: NotBlank(500),
  approvalSid: Type.Optional(Sid('AP')),
});
export type NewCreditNote = Static<typeof NewCreditNote>;

const creditNote = {
  object: Word('credit_note'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  number: Type.String(),
  invoiceSid: Sid('IN'),
  amount: Money,
  tax: Money,
  total: Money,
  reason: Type.String(),
  evidence,
  /** Who agreed to it; null for the operator's own. */
  approvalSid: Nullable(Sid('AP')),
  createdBy: Type.String(),
  createdAt: DateTime,
};

export const CreditNote = NamedObject('CreditNote', creditNote);
export type CreditNote = Static<typeof CreditNote>;

export const CreditNoteWithDocument = NamedObject('CreditNoteWithDocument', {
  ...creditNote,
  document: DocumentResource,
});
export type CreditNoteWithDocument = Static<typeof CreditNoteWithDocument>;

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 2 });

export const creditNoteSample = sample(CreditNote, {
  object: 'credit_note',
  id: sampleUuid,
  ...sampleOwner,
  number: 'TEST-0000000000000000-CN-000001',
  invoiceSid: sampleSid('IN'),
  amount: dollars('500'),
  tax: dollars('100'),
  total: dollars('600'),
  reason: 'Messages that were sent twice by mistake',
  evidence: { ticket: 'SUP-4711' },
  approvalSid: sampleSid('AP'),
  createdBy: `user:${sampleSid('US')}`,
  createdAt: sampleTime,
});

sample(CreditNoteWithDocument, { ...creditNoteSample, document: documentSample });
