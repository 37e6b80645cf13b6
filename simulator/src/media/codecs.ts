// What is inside a file, as far as the provider looks: one that says it is a video may hold what no phone plays.
import { bareMime } from './media-types.ts';

type Check = (bytes: Buffer) => string | null;

/** What is wrong with a file of this type, in words; null when nothing is, or when the type says nothing of its bytes. */
export const contentProblem = (mime: string, bytes: Buffer): string | null =>
  checks[bareMime(mime)]?.(bytes) ?? null;

const latin1 = (bytes: Buffer, from: number, length: number) => bytes.toString('latin1', from, from + length);
const beginsWith =
  (what: string, ...beginnings: string[]): Check =>
  (bytes) =>
    beginnings.some((one) => latin1(bytes, 0, one.length) === one) ? null : `The file is no ${what}.`;

const staticStickerBytes = 100 * 1024;

const checks: Record<string, Check> = {
  'image/jpeg': beginsWith('JPEG', '\xff\xd8\xff'),
  'image/png': (bytes) => beginsWith('PNG', '\x89PNG\r\n\x1a\n')(bytes) ?? pngProblem(bytes),
  'image/webp': webpProblem,
  'application/pdf': beginsWith('PDF', '%PDF'),
  'audio/ogg': (bytes) => beginsWith('Ogg file', 'OggS')(bytes) ?? opusProblem(bytes),
  'audio/amr': beginsWith('AMR file', '#!AMR'),
  // A frame of sound, or the tags that may stand before the first.
  'audio/mpeg': beginsWith(
    'MP3 file',
    'ID3',
    '\xff\xfb',
    '\xff\xfa',
    '\xff\xf3',
    '\xff\xf2',
    '\xff\xe3',
    '\xff\xe2',
  ),
  'audio/aac': beginsWith('AAC file', '\xff\xf1', '\xff\xf9', 'ADIF'),
  'audio/mp4': (bytes) => isoProblem(bytes, false),
  'video/mp4': (bytes) => isoProblem(bytes, true),
  'video/3gpp': (bytes) => isoProblem(bytes, true),
};

/** Eight bits a channel, with colours, with or without transparency. */
function pngProblem(bytes: Buffer): string | null {
  const [depth, colours] = [bytes[24], bytes[25]];
  return depth === 8 && (colours === 2 || colours === 6) ? null : 'The PNG is not 8-bit RGB or RGBA.';
}

function webpProblem(bytes: Buffer): string | null {
  if (latin1(bytes, 0, 4) !== 'RIFF' || latin1(bytes, 8, 4) !== 'WEBP') return 'The file is no WebP.';
  const animated = latin1(bytes, 12, 4) === 'VP8X' && (bytes[20]! & 0x02) !== 0;
  return animated || bytes.length <= staticStickerBytes
    ? null
    : `A sticker that does not move may have at most ${staticStickerBytes} bytes.`;
}

/** The first page holds nothing but the description of the sound. */
function opusProblem(bytes: Buffer): string | null {
  const head = 27 + (bytes[26] ?? 0);
  if (latin1(bytes, head, 8) !== 'OpusHead') return 'The sound is not coded with Opus.';
  return bytes[head + 9] === 1 ? null : 'The sound has more than one channel.';
}

type Box = { type: string; from: number; to: number };

/** The boxes that stand between two places, one after the other. */
function boxesIn(bytes: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= to;
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short;
    const head = isLong ? 16 : 8;
    if (size < head || at + size > to) break; // cut off, or nonsense
    boxes.push({ type: latin1(bytes, at + 4, 4), from: at + head, to: at + size });
    at += size;
  }
  return boxes;
}

const inside = (bytes: Buffer, boxes: Box[], type: string): Box[] =>
  boxes.filter((box) => box.type === type).flatMap((box) => boxesIn(bytes, box.from, box.to));

/** Of each track what it is (`vide`, `soun`) and how it is coded. */
function tracksIn(bytes: Buffer): { handler: string; coding: string }[] {
  const moov = inside(bytes, boxesIn(bytes, 0, bytes.length), 'moov');
  return moov
    .filter(({ type }) => type === 'trak')
    .map((track) => {
      const media = inside(bytes, [track], 'trak');
      const described = inside(bytes, media, 'mdia');
      const handler = described.find(({ type }) => type === 'hdlr');
      const samples = inside(bytes, inside(bytes, described, 'minf'), 'stbl').find(
        ({ type }) => type === 'stsd',
      );
      return {
        handler: handler ? latin1(bytes, handler.from + 8, 4) : '',
        coding: samples ? latin1(bytes, samples.from + 12, 4) : '',
      };
    });
}

function isoProblem(bytes: Buffer, isVideo: boolean): string | null {
  if (latin1(bytes, 4, 4) !== 'ftyp') return 'The file is no MP4.';
  const tracks = tracksIn(bytes);
  const pictures = tracks.filter(({ handler }) => handler === 'vide');
  const sounds = tracks.filter(({ handler }) => handler === 'soun');
  if (isVideo && pictures.length === 0) return 'There is no video in the file.';
  if (!isVideo && sounds.length === 0) return 'There is no sound in the file.';
  if (pictures.some(({ coding }) => !['avc1', 'avc3'].includes(coding)))
    return 'The video is not coded with H.264.';
  if (sounds.some(({ coding }) => coding !== 'mp4a')) return 'The sound is not coded with AAC.';
  return sounds.length > 1 ? 'There is more than one sound track.' : null;
}
