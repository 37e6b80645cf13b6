import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ListOf,
  Money,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { category, market, pricingType, transport } from '../pricing/schema.ts';

export const ChargeQuery = Closed({
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
  senderSid: Type.Optional(Sid('WA')),
  campaignSid: Type.Optional(Sid('CP')),
  ...pageQuery,
});
export type ChargeQuery = Static<typeof ChargeQuery>;

const lineKind = named('ChargeLineKind', Word('platform_fee', 'provider_pass_through'));
const line = NamedObject('ChargeLine', { kind: lineKind, price: Money });
const priced = {
  category: Nullable(category),
  pricingType: Nullable(pricingType),
  transport: Nullable(transport),
  market: Nullable(market),
  rateCardVersion: Nullable(Type.Integer()),
};

export const ChargeResource = NamedObject('Charge', {
  object: Word('charge'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  walletId: Uuid,
  kind: named('ChargeKind', Word('MESSAGE', 'ADJUSTMENT')),
  messageSid: Nullable(Sid('SM')),
  senderSid: Nullable(Sid('WA')),
  campaignSid: Nullable(Sid('CP')),
  wabaSid: Nullable(Sid('WB')),
  ...priced,
  basis: named('ChargeBasis', Word('PROVIDER_REPORT', 'ESTIMATE', 'REMEDIATION')),
  lines: Type.Array(line),
  amount: Money,
  invoiceSid: Nullable(Sid('IN')),
  statementSid: Nullable(Sid('ST')),
  caseSid: Nullable(Sid('CS')),
  chargedAt: DateTime,
});
export type ChargeResource = Static<typeof ChargeResource>;
export const ChargeList = ListOf(ChargeResource);

const Movement = Closed({
  kind: Type.String({ maxLength: 64 }),
  amount: Money,
  at: DateTime,
});

export const ChargeExplanation = NamedObject('ChargeExplanation', {
  object: Word('charge_explanation'),
  charge: ChargeResource,
  rate: Nullable(
    Closed(
      { version: Type.Integer(), effectiveFrom: DateTime, market, lines: Type.Array(line) },
      { description: 'The row of the rate card it was priced by: the card the message was accepted under.' },
    ),
  ),
  report: Nullable(
    Closed(
      {
        type: Type.String(),
        category: Type.String(),
        model: Nullable(Type.String()),
        billable: Nullable(Type.Boolean()),
      },
      { description: 'How the provider said it charged, in its own words. Null for an estimate.' },
    ),
  ),
  hold: Nullable(
    Closed(
      { amount: Money, heldAt: DateTime, closedAt: Nullable(DateTime) },
      { description: 'What was set aside when the message was accepted.' },
    ),
  ),
  movements: Type.Array(Movement, { description: 'The money that was moved, the earliest first.' }),
  period: Nullable(
    Closed(
      {
        number: Type.Integer(),
        startsAt: DateTime,
        endsAt: DateTime,
        invoiceSid: Nullable(Sid('IN')),
        statementSid: Nullable(Sid('ST')),
      },
      {
        description: 'The closed period it falls into, and the documents made of it. Null while it is open.',
      },
    ),
  ),
  invoiceLine: Nullable(
    Type.Integer({
      description:
        'The number of the line of that invoice it is part of. Null without an invoice, or where corrections came to nothing.',
    }),
  ),
});
export type ChargeExplanation = Static<typeof ChargeExplanation>;

const price = { amountMinor: '4000', currency: 'USD', scale: 6 };
const chargeSample: ChargeResource = {
  object: 'charge',
  id: sampleUuid,
  ...sampleOwner,
  walletId: sampleUuid,
  kind: 'MESSAGE',
  messageSid: sampleSid('SM'),
  senderSid: sampleSid('WA'),
  campaignSid: null,
  wabaSid: sampleSid('WB'),
  category: 'UTILITY',
  pricingType: 'REGULAR',
  transport: 'CLOUD_API',
  market: 'FR',
  rateCardVersion: 1,
  basis: 'PROVIDER_REPORT',
  lines: [{ kind: 'platform_fee', price }],
  amount: price,
  invoiceSid: null,
  statementSid: null,
  caseSid: null,
  chargedAt: sampleTime,
};
sample(ChargeResource, chargeSample);
sample(ChargeExplanation, {
  object: 'charge_explanation',
  charge: chargeSample,
  rate: {
    version: 1,
    effectiveFrom: '2026-05-04T00:00:00.000Z',
    market: 'FR',
    lines: [{ kind: 'platform_fee', price }],
  },
  report: { type: 'regular', category: 'utility', model: 'pmp', billable: true },
  hold: { amount: price, heldAt: sampleTime, closedAt: sampleTime },
  movements: [{ kind: 'capture', amount: price, at: sampleTime }],
  period: null,
  invoiceLine: null,
});
