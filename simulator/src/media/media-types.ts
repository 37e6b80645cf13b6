// Which files the provider takes, how large, and how long it keeps them.
import { dayMs } from '../numbers/people.ts';
import type { Media } from '../world.ts';

const MB = 1024 * 1024;
const office = 'application/vnd.openxmlformats-officedocument.';

const mimesOf: Record<string, { mimes: string[]; mostBytes: number }> = {
  audio: {
    mimes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
    mostBytes: 16 * MB,
  },
  image: { mimes: ['image/jpeg', 'image/png'], mostBytes: 5 * MB },
  video: { mimes: ['video/mp4', 'video/3gpp'], mostBytes: 16 * MB },
  sticker: { mimes: ['image/webp'], mostBytes: 500 * 1024 },
  document: {
    mimes: [
      'text/plain',
      'application/pdf',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${office}wordprocessingml.document`,
      `${office}spreadsheetml.sheet`,
      `${office}presentationml.presentation`,
    ],
    mostBytes: 100 * MB,
  },
};

/** Without parameters such as `; codecs=opus`. */
export const bareMime = (mime: string): string => mime.split(';')[0]!.trim().toLowerCase();

export function kindOfMime(mime: string): string | null {
  const bare = bareMime(mime);
  return Object.keys(mimesOf).find((kind) => mimesOf[kind]!.mimes.includes(bare)) ?? null;
}

export const mostBytesOf = (kind: string): number => mimesOf[kind]!.mostBytes;
export const mostMediaBytes = 100 * MB;

export const lifeMs = ({ inbound }: Media): number => (inbound ? 7 : 30) * dayMs;
export const downloadMs = 5 * 60_000;
