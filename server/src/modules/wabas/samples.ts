import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../platform/samples.ts';
import type { Portfolio, WabaResource } from './schema.ts';

const business = { name: 'Example Ltd', providerBusinessId: '200000000000001' };

export const portfolioSample: Portfolio = {
  object: 'portfolio',
  id: sampleUuid,
  ...sampleOwner,
  ...business,
  limits: {
    messaging: { tier: 'TIER_10K', limit: 10_000, used: 42, windowHours: 24 },
    phoneNumbers: { limit: 20, used: 2 },
    templates: [{ wabaSid: sampleSid('WB'), limit: 250, used: 12 }],
  },
  limitsUpdatedAt: sampleTime,
  ...sampleTimes,
};

export const wabaSample: WabaResource = {
  object: 'waba',
  sid: sampleSid('WB'),
  ...sampleOwner,
  name: 'Example Ltd',
  providerWabaId: '500000000000001',
  portfolio: { id: sampleUuid, ...business },
  connection: {
    state: 'CONNECTED',
    token: 'VALID',
    subscription: 'SUBSCRIBED',
    operationSid: null,
    apiVersion: 'v23.0',
    baseUrl: 'https://graph.facebook.com',
    connectedAt: sampleTime,
    disconnectedAt: null,
    disconnectReason: null,
  },
  status: 'ACTIVE',
  banState: 'NONE',
  reviewStatus: 'APPROVED',
  restrictions: [],
  templateCap: 250,
  marketingMessages: null,
  catalogIds: null,
  senders: [
    {
      sid: sampleSid('WA'),
      phoneNumber: '+33187654321',
      displayName: 'Example Ltd',
      status: 'CONNECTED',
      quality: 'GREEN',
    },
  ],
  ...sampleTimes,
};
