import type { Module } from '../../platform/module.ts';
import { endUnfinishedMedia, expireMedia, sweepMediaFiles } from './crons.ts';
import type { MediaHooks } from './hooks.ts';
import { fetchJob, receiveJobWith, scanJob } from './jobs.ts';
import { observeMedia } from './metrics.ts';
import { operations } from './routes.ts';

export { receiveMedia } from './accept-media.ts';
export type { MediaHooks } from './hooks.ts';
export { type Attachment, loadMedia, type MediaFact } from './media.ts';
export { type MediaScanner, type MediaStore, ScannerUnavailable, type ScanVerdict } from './ports.ts';
export type { MediaType } from './schema.ts';
export type { MediaStatus } from './states.ts';
export { providerMediaId } from './transfer/provider-media.ts';
export { openMediaFile, type ReadyMedia, requireReadyMedia } from './transfer/ready-media.ts';

export const mediaModule = (hooks: MediaHooks): Module => ({
  name: 'media',
  tables: ['media', 'media_files', 'media_provider_ids'],
  operations: operations(hooks),
  jobs: [scanJob, fetchJob, receiveJobWith(hooks)],
  crons: [expireMedia, endUnfinishedMedia, sweepMediaFiles],
  observe: observeMedia,
});
