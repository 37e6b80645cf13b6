// What media needs of the outside world: a place to keep files, and somebody who knows malware.
import type { Readable } from 'node:stream';
import type { SpooledFile } from '../../platform/spool.ts';

/** Where files are kept, under names that this module gives. */
export type MediaStore = {
  /**
   * Moves a whole file from this machine's disk into the store. A crash leaves it there or not there, never in part;
   * putting the same name again replaces the same bytes.
   */
  put(key: string, file: SpooledFile): Promise<void>;
  /** Both ends of a range count. */
  open(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** The file on this machine's disk, for those who must look around in it. */
  borrow(key: string): Promise<{ path: string; release(): Promise<void> }>;
  /** The names that begin with this folder, which ends with a slash. */
  list(folder: string): AsyncIterable<string>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** Throws, with a reason for people, when nothing can be kept. */
  check(): Promise<void>;
};

export type ScanVerdict = { clean: true } | { clean: false; signature: string };

/** Looks for malware. Throws `ScannerUnavailable` when it cannot say: silence is never taken for clean. */
export type MediaScanner = {
  /** What it goes by in scan results, such as `built-in+clamav`. */
  name: string;
  scan(open: () => Readable): Promise<ScanVerdict>;
  check(): Promise<void>;
};

export class ScannerUnavailable extends Error {}

declare module '../../platform/ports.ts' {
  interface Ports {
    mediaStore: MediaStore;
    mediaScanner: MediaScanner;
  }
  interface Site {
    media: { retentionDays: number; fetchSeconds: number };
  }
}
