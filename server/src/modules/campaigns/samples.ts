import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { Campaign, CampaignRecipient, CampaignSettings, NewCampaign } from './schema.ts';

const dollars = (amountMinor: string, scale: number) => ({ amountMinor, currency: 'USD', scale });

const drafted = {
  name: 'Spring offer',
  message: {
    type: 'template',
    template: {
      name: 'spring_offer',
      language: 'en',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: '{{firstName}}' },
            { type: 'text', text: '20%' },
          ],
        },
      ],
    },
  },
  variables: { firstName: { attribute: 'firstName', fallback: 'there' } },
  senderPoolSid: sampleSid('SP'),
  sendAt: '2026-09-01T09:00:00Z',
  localTime: true,
  quietHours: { from: '21:00', to: '08:00' },
  messagesPerMinute: 600,
  budget: dollars('50000', 2),
} satisfies Omit<NewCampaign, 'audience'>;

export const newCampaignSample: NewCampaign = { ...drafted, audience: { segmentSid: sampleSid('SG') } };

export const campaignSample: Campaign = {
  object: 'campaign',
  sid: sampleSid('CP'),
  ...sampleOwner,
  state: 'DRAFT',
  reason: null,
  version: 1,
  audience: { segmentSid: sampleSid('SG'), contactSids: null, contactCount: null },
  variants: null,
  from: null,
  ...drafted,
  budgetUsed: null,
  approvalSid: null,
  operationSid: null,
  progress: { recipients: 0, pending: 0, admitted: 0, refused: 0 },
  createdBy: `user:${sampleSid('US')}`,
  launchedBy: null,
  launchedAt: null,
  startedAt: null,
  finishedAt: null,
  ...sampleTimes,
};

export const launchedSample: Campaign = {
  ...campaignSample,
  state: 'SCHEDULED',
  operationSid: sampleSid('OP'),
  budgetUsed: dollars('2400000', 6),
  progress: { recipients: 42, pending: 2, admitted: 38, refused: 2 },
  launchedBy: `user:${sampleSid('US')}`,
  launchedAt: sampleTime,
};

export const recipientSample: CampaignRecipient = {
  object: 'campaign_recipient',
  campaignSid: sampleSid('CP'),
  ...sampleOwner,
  position: 7,
  contactSid: sampleSid('CT'),
  variant: null,
  outcome: 'REFUSED',
  messageSid: null,
  code: 'CONSENT_REQUIRED',
  message: 'The recipient has not agreed to receive this.',
  evidence: { gate: 'consent', purpose: 'MARKETING', status: 'UNKNOWN' },
  dueAt: sampleTime,
  decidedAt: sampleTime,
};

export const settingsSample: CampaignSettings = {
  object: 'campaign_settings',
  ...sampleOwner,
  approvalAbove: 10_000,
  fallbackTimezone: 'Europe/Paris',
  updatedAt: sampleTime,
};
