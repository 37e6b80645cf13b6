import { type Static, Type } from 'typebox';
import {
  DateTime,
  Money,
  NamedObject,
  Nullable,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { DocumentResource, documentSample } from '../../billing-documents/index.ts';
import { BillingPeriod } from '../invoices/schema.ts';

export const StatementMovement = NamedObject('StatementMovement', {
  /** The kind of movement in the ledger, or `charges` for what messages cost. */
  kind: Type.String(),
  /** What it added to the wallet; below zero for what it took. */
  amount: Money,
});

export const StatementUsage = NamedObject('StatementUsage', {
  category: Nullable(Type.String()),
  market: Nullable(Type.String()),
  pricingType: Nullable(Type.String()),
  transport: Nullable(Type.String()),
  unitPrice: Money,
  quantity: Type.Integer(),
  amount: Money,
});

export const StatementDocument = NamedObject('StatementDocument', {
  kind: Word('invoice', 'credit_note', 'receipt'),
  number: Type.String(),
  total: Money,
});

const statement = {
  object: Word('statement'),
  sid: Sid('ST'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  number: Type.String(),
  walletId: Uuid,
  period: BillingPeriod,
  opening: Money,
  movements: Type.Array(StatementMovement),
  closing: Money,
  usage: Type.Array(StatementUsage),
  documents: Type.Array(StatementDocument),
  createdAt: DateTime,
};

export const Statement = NamedObject('Statement', statement);
export type Statement = Static<typeof Statement>;

export const StatementWithDocument = NamedObject('StatementWithDocument', {
  ...statement,
  document: DocumentResource,
});
export type StatementWithDocument = Static<typeof StatementWithDocument>;

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });

export const statementSample = sample(Statement, {
  object: 'statement',
  sid: sampleSid('ST'),
  ...sampleOwner,
  number: 'TEST-0000000000000000-ST-000001',
  walletId: sampleUuid,
  period: { start: '2026-07-01T00:00:00.000Z', end: '2026-08-01T00:00:00.000Z' },
  opening: dollars('1000000'),
  movements: [
    { kind: 'top_up', amount: dollars('50000000') },
    { kind: 'charges', amount: dollars('-21000000') },
  ],
  closing: dollars('30000000'),
  usage: [
    {
      category: 'MARKETING',
      market: 'FR',
      pricingType: 'REGULAR',
      transport: 'CLOUD_API',
      unitPrice: dollars('5000'),
      quantity: 4200,
      amount: dollars('21000000'),
    },
  ],
  documents: [
    {
      kind: 'invoice',
      number: 'TEST-0000000000000000-000001',
      total: { amountMinor: '2400', currency: 'USD', scale: 2 },
    },
  ],
  createdAt: sampleTime,
});

sample(StatementWithDocument, { ...statementSample, document: documentSample });
