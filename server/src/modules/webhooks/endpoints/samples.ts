import { apiVersion } from '../../../platform/events.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../../platform/samples.ts';
import type { Endpoint, Ping } from './schema.ts';

export const endpointSample: Endpoint = {
  object: 'webhook_endpoint',
  sid: sampleSid('WH'),
  ...sampleOwner,
  url: 'https://example.com/hooks',
  status: 'active',
  eventFilters: ['message.*'],
  apiVersion,
  timeoutMs: 10_000,
  concurrencyCap: 32,
  headers: [],
  verifiedAt: sampleTime,
  pausedAt: null,
  suspendedAt: null,
  disabledAt: null,
  previousSecretExpiresAt: null,
  failingSince: null,
  failures: 0,
  warnings: [],
  ...sampleTimes,
};

export const pingSample: Ping = { object: 'ping', id: sampleUuid, endpointSid: null, challenge: null };
