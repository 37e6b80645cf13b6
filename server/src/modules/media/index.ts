import type { Module } from '../../platform/module.ts';
import { mediaBelongings } from './belongings.ts';
import { endUnfinishedMedia, expireMedia, sweepMediaFiles } from './crons.ts';
import { mediaEvents } from './events.ts';
import { fetchJob, letGoJob, receiveJob, scanJob } from './jobs.ts';
import { observeMedia } from './metrics.ts';
import { operations } from './routes.ts';

export { receiveMedia } from './accept-media.ts';
export { type Copy, copiesAtProvider, forgetCopies, forgettingCopies } from './belongings.ts';
export { expireFiles, filesOnlyIn, removeFilesOf } from './carried.ts';
export { afterHold } from './jobs.ts';
export { type Attachment, keepMedia, letMediaGo, loadMedia, type MediaFact } from './media.ts';
export type { MediaType } from './media-types.ts';
export { type MediaScanner, type MediaStore, ScannerUnavailable, type ScanVerdict } from './ports.ts';
export type { MediaStatus } from './states.ts';
export { providerMediaId } from './transfer/provider-media.ts';
export { openMediaFile, type ReadyMedia, requireReadyMedia } from './transfer/ready-media.ts';
export { noteMediaUses } from './uses.ts';

export const mediaModule: Module = {
  name: 'media',
  tables: ['media', 'media_files', 'media_provider_ids', 'media_uses'],
  tags: {
    Media: 'Files to send and files received: checked, kept for a while, and served again.',
  },
  operations,
  events: Object.values(mediaEvents),
  jobs: [scanJob, fetchJob, receiveJob, letGoJob],
  crons: [expireMedia, endUnfinishedMedia, sweepMediaFiles],
  observe: observeMedia,
  belongings: mediaBelongings,
};
