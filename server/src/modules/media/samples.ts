import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import type { Media } from './schema.ts';

export const mediaSample: Media = {
  object: 'media',
  sid: sampleSid('ME'),
  ...sampleOwner,
  direction: 'OUTBOUND',
  status: 'READY',
  type: 'IMAGE',
  requestedType: 'AUTO',
  mimeType: 'image/png',
  declaredMime: 'image/png',
  filename: 'parcel.png',
  sizeBytes: 1024,
  sha256: '5e'.repeat(32),
  sourceUrl: null,
  sendable: true,
  scan: { result: 'CLEAN', scanner: 'clamav', scannedAt: sampleTime, reasons: [] },
  expiresAt: '2026-09-20T10:00:00.000Z',
  ...sampleTimes,
};
