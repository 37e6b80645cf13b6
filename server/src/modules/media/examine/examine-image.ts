// Images: walked to their end, measured before they are decoded, then decoded once in full, a few lines at a time.
import type { Metadata } from 'sharp';
import type { FileBytes } from './file-bytes.ts';
import { formatOf, maxPixels, maxStaticStickerBytes, stickerPixels } from './formats.ts';
import { holdsForeign } from './polyglots.ts';
import { Refusal } from './reasons.ts';

/** Loaded with the first image: it takes some twenty megabytes, and many a process never sees one. */
const loadSharp = once(async () => {
  const { default: sharp } = await import('sharp');
  // Decoded images are held by nobody, so remembering them would only take memory.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
});

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load();
    return loading;
  };
}

type Kind = 'image/jpeg' | 'image/png' | 'image/webp';

const walks: Record<Kind, (bytes: Buffer) => void> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/webp': walkWebp,
};
const decoders: Record<Kind, string> = { 'image/jpeg': 'jpeg', 'image/png': 'png', 'image/webp': 'webp' };

export async function readImage(file: FileBytes, kind: Kind): Promise<string> {
  const { maxBytes } = formatOf(kind);
  // Small enough to be held from here on.
  if (file.size > maxBytes) throw new Refusal('TOO_LARGE', `At most ${maxBytes} bytes of ${kind}.`);
  walks[kind](await file.read(0, file.size));
  await decode(file.path, kind, file.size);
  return kind;
}

async function decode(path: string, kind: Kind, size: number): Promise<void> {
  const sharp = await loadSharp();
  const options = { limitInputPixels: maxPixels, sequentialRead: true, failOn: 'error' } as const;
  const facts = await sharp(path, options)
    .metadata()
    .catch(() => {
      throw new Refusal('CORRUPT');
    });
  if (facts.format !== decoders[kind]) throw new Refusal('CORRUPT');
  if (facts.width * facts.height > maxPixels) throw new Refusal('TOO_MANY_PIXELS');
  if (kind === 'image/webp') judgeSticker(facts, size);
  // Shrunk on the way, so that every line is read and next to nothing is kept.
  await sharp(path, options)
    .resize(8, 8, { fit: 'fill' })
    .raw()
    .toBuffer()
    .catch(() => {
      throw new Refusal('CORRUPT');
    });
}

function judgeSticker({ width, height, pageHeight, pages = 1 }: Metadata, size: number): void {
  if (width !== stickerPixels || (pageHeight ?? height) !== stickerPixels) {
    throw new Refusal('UNSUPPORTED_FORM', `A sticker is ${stickerPixels} x ${stickerPixels} pixels.`);
  }
  if (pages === 1 && size > maxStaticStickerBytes) {
    throw new Refusal('TOO_LARGE', `At most ${maxStaticStickerBytes} bytes of a sticker that does not move.`);
  }
}

/** Segments up to the end of the image. Cameras hang further images and notes of their own behind it. */
function walkJpeg(bytes: Buffer): void {
  let at = 2;
  for (;;) {
    if (bytes[at] !== 0xff) throw new Refusal('CORRUPT');
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    if (marker === undefined) throw new Refusal('CORRUPT', 'Its end is missing.');
    if (marker === 0xd9) break;
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2;
      continue;
    }
    if (at + 4 > bytes.length) throw new Refusal('CORRUPT', 'Its end is missing.');
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) measureJpeg(bytes, at);
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker === 0xda) at = endOfScan(bytes, at);
  }
  if (holdsForeign(bytes.subarray(at + 2)))
    throw new Refusal('POLYGLOT', 'Something else hangs behind the image.');
}

function measureJpeg(bytes: Buffer, at: number): void {
  if (at + 9 > bytes.length) throw new Refusal('CORRUPT', 'Its end is missing.');
  if (bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7) > maxPixels)
    throw new Refusal('TOO_MANY_PIXELS');
}

function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    const isData = next === 0x00 || next === 0xff || (next !== undefined && next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  throw new Refusal('CORRUPT', 'Its end is missing.');
}

/** Chunk after chunk to IEND, with nothing behind it. */
function walkPng(bytes: Buffer): void {
  if (bytes.length < 33) throw new Refusal('CORRUPT', 'Its end is missing.');
  const [width, height, depth, colour] = [
    bytes.readUInt32BE(16),
    bytes.readUInt32BE(20),
    bytes[24]!,
    bytes[25]!,
  ];
  if (width * height > maxPixels) throw new Refusal('TOO_MANY_PIXELS');
  if (depth !== 8 || (colour !== 2 && colour !== 6)) {
    throw new Refusal('UNSUPPORTED_FORM', 'A PNG must have 8 bits a channel, RGB or RGBA.');
  }
  let at = 8;
  for (;;) {
    if (at + 12 > bytes.length) throw new Refusal('CORRUPT', 'Its end is missing.');
    const name = bytes.toString('latin1', at + 4, at + 8);
    at += 12 + bytes.readUInt32BE(at);
    if (name === 'IEND') break;
  }
  if (at < bytes.length) throw new Refusal('POLYGLOT', 'Something else hangs behind the image.');
  if (at > bytes.length) throw new Refusal('CORRUPT', 'Its end is missing.');
}

function walkWebp(bytes: Buffer): void {
  const end = 8 + bytes.readUInt32LE(4);
  const padded = end + (end % 2);
  if (padded < bytes.length) throw new Refusal('POLYGLOT', 'Something else hangs behind the image.');
  if (end > bytes.length) throw new Refusal('CORRUPT', 'Its end is missing.');
}
