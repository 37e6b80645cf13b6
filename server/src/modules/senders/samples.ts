import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { SenderResource } from './schema.ts';

export const senderSample: SenderResource = {
  object: 'sender',
  sid: sampleSid('WA'),
  ...sampleOwner,
  wabaSid: sampleSid('WB'),
  phoneNumber: '+33187654321',
  providerPhoneNumberId: '100000000000001',
  displayName: 'Example Ltd',
  nameStatus: 'APPROVED',
  status: 'CONNECTED',
  statusChangedAt: sampleTime,
  ready: true,
  quality: 'GREEN',
  verificationStatus: 'VERIFIED',
  onBusinessApp: false,
  flowKey: null,
  throughput: { level: 'STANDARD', messagesPerSecond: 80 },
  pairRate: { secondsPerMessage: 6, burst: 45 },
  restrictions: [],
  ...sampleTimes,
};
