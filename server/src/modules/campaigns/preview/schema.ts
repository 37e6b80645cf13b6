import { type Static, Type } from 'typebox';
import {
  DateTime,
  Money,
  NamedObject,
  Nullable,
  Sid,
  sample,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../../platform/samples.ts';

const Evidence = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

const PreviewedRefusal = NamedObject('CampaignPreviewRefusal', {
  /** The gate of sending that refuses; null where no message can be made for the person. */
  gate: Nullable(Type.String()),
  code: Type.String(),
  message: Type.String(),
  /** What a launch does about it: records it, tries them again later, or pauses until somebody has mended it. */
  atLaunch: Word('REFUSED', 'WAITS', 'PAUSES'),
  recipients: Type.Integer(),
  samples: Type.Array(NamedObject('CampaignPreviewSample', { contactSid: Sid('CT'), evidence: Evidence })),
});

const PreviewedCost = NamedObject('CampaignPreviewCost', {
  market: Type.String(),
  category: Type.String(),
  recipients: Type.Integer(),
  cost: Money,
});

const PreviewedSender = NamedObject('CampaignPreviewSender', {
  senderSid: Sid('WA'),
  recipients: Type.Integer(),
  messagesPerSecond: Type.Integer(),
  seconds: Type.Integer(),
});

export const CampaignPreview = NamedObject('CampaignPreview', {
  object: Word('campaign_preview'),
  campaignSid: Sid('CP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** The version of the draft that was judged. */
  version: Type.Integer(),
  recipients: Type.Integer(),
  admitted: Type.Integer(),
  refused: Type.Integer(),
  refusals: Type.Array(PreviewedRefusal),
  costs: Type.Array(PreviewedCost),
  cost: Money,
  senders: Type.Array(PreviewedSender),
  /** How long the messages take at the pace of their senders and of the campaign. */
  seconds: Type.Integer(),
  createdAt: DateTime,
});
export type CampaignPreview = Static<typeof CampaignPreview>;

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });

export const previewSample: CampaignPreview = {
  object: 'campaign_preview',
  campaignSid: sampleSid('CP'),
  ...sampleOwner,
  version: 1,
  recipients: 42,
  admitted: 40,
  refused: 2,
  refusals: [
    {
      gate: 'consent',
      code: 'CONSENT_REQUIRED',
      message: 'The recipient has not agreed to receive this.',
      atLaunch: 'REFUSED',
      recipients: 2,
      samples: [
        {
          contactSid: sampleSid('CT'),
          evidence: { purpose: 'MARKETING', status: 'UNKNOWN', consentSid: null },
        },
      ],
    },
  ],
  costs: [{ market: 'FR', category: 'marketing', recipients: 40, cost: dollars('240000') }],
  cost: dollars('240000'),
  senders: [{ senderSid: sampleSid('WA'), recipients: 40, messagesPerSecond: 80, seconds: 1 }],
  seconds: 1,
  createdAt: sampleTime,
};
sample(CampaignPreview, previewSample);
