import { type Static, Type } from 'typebox';
import {
  DateTime,
  Money,
  NamedObject,
  Nullable,
  named,
  Sid,
  sample,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';
import { wilson } from './interval.ts';

const Share = Type.Number({ minimum: 0, maximum: 1 });
const CampaignRate = NamedObject('CampaignRate', {
  share: Nullable(Share),
  /** The ends of the 95 % interval, by Wilson; null, as the share, where there is nothing to divide by. */
  low: Nullable(Share),
  high: Nullable(Share),
});
export type CampaignRate = Static<typeof CampaignRate>;

const CodeCount = NamedObject('CampaignCodeCount', { code: Type.String(), count: Type.Integer() });

const outcome = {
  messages: Type.Integer(),
  /** On their way: admitted, and not handed over yet. */
  queued: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  /** Whoever wrote to the sender, or opted out, within seven days of the message. */
  replied: Type.Integer(),
  optedOut: Type.Integer(),
  failed: Type.Integer(),
  canceled: Type.Integer(),
  expired: Type.Integer(),
  failures: Type.Array(CodeCount),
  refused: Type.Integer(),
  refusals: Type.Array(CodeCount),
  /** What was charged, and what is set aside for those that have no final price yet. */
  cost: Money,
  held: Money,
  rates: NamedObject('CampaignRates', {
    /** Of those sent. */
    delivered: CampaignRate,
    /** Of those delivered, as are the next two. */
    read: CampaignRate,
    replied: CampaignRate,
    optedOut: CampaignRate,
  }),
};
export const CampaignOutcome = NamedObject('CampaignOutcome', outcome);
export type CampaignOutcome = Static<typeof CampaignOutcome>;

const VariantOutcome = NamedObject('CampaignVariantOutcome', {
  /** Counted from zero, as in the draft. */
  variant: Type.Integer(),
  weight: Type.Integer(),
  ...outcome,
});

export const CampaignResults = NamedObject('CampaignResults', {
  object: Word('campaign_results'),
  campaignSid: Sid('CP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  recipients: Type.Integer(),
  pending: Type.Integer(),
  total: named('CampaignTotal', CampaignOutcome),
  variants: Type.Array(VariantOutcome),
  createdAt: DateTime,
});
export type CampaignResults = Static<typeof CampaignResults>;

/** To six digits: nobody is as sure as the seventh. */
const rounded = (share: number) => Math.round(share * 1e6) / 1e6;

export function rateOf(happened: number, tried: number): CampaignRate {
  const interval = wilson(happened, tried);
  if (!interval) return { share: null, low: null, high: null };
  return { share: rounded(happened / tried), low: rounded(interval.low), high: rounded(interval.high) };
}

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });
const outcomeSample: CampaignOutcome = {
  messages: 40,
  queued: 2,
  sent: 37,
  delivered: 30,
  read: 12,
  replied: 3,
  optedOut: 1,
  failed: 1,
  canceled: 0,
  expired: 0,
  failures: [{ code: 'RECIPIENT_MARKETING_CAP', count: 1 }],
  refused: 2,
  refusals: [{ code: 'CONSENT_REQUIRED', count: 2 }],
  cost: dollars('180000'),
  held: dollars('54000'),
  rates: {
    delivered: rateOf(30, 37),
    read: rateOf(12, 30),
    replied: rateOf(3, 30),
    optedOut: rateOf(1, 30),
  },
};
sample(CampaignResults, {
  object: 'campaign_results',
  campaignSid: sampleSid('CP'),
  ...sampleOwner,
  recipients: 42,
  pending: 0,
  total: outcomeSample,
  variants: [],
  createdAt: sampleTime,
});
