// Says what a file is by looking at all of it, and whether it is what may be taken. Nothing is believed: not the
// name, not what was declared, not what the file says of its own size. Nothing is unpacked.

import type { MediaType, RequestedType } from '../media-types.ts';
import { readAac, readAmr, readMp3, readOgg } from './examine-audio.ts';
import { readCompoundFile, readNdjson, readPdf, readText, readZip } from './examine-document.ts';
import { readImage } from './examine-image.ts';
import { readIsoMedia } from './examine-video.ts';
import { type FileBytes, OutOfBytes, openFileBytes } from './file-bytes.ts';
import { declares, extensionFits, formatOf, saysNdjson } from './formats.ts';
import { refusePolyglot } from './polyglots.ts';
import { type Reason, Refusal, reason } from './reasons.ts';

export type Claims = { requestedType: RequestedType; declaredMime: string | null; filename: string | null };
export type Finding =
  | { ok: true; type: MediaType; mimeType: string; sendable: boolean }
  | { ok: false; mimeType: string | null; reasons: Reason[] };

/** Reads the whole structure and tells the exact type, or throws a `Refusal`. */
export type Reader = (file: FileBytes) => Promise<string>;

const startsWith = (text: string) => {
  const bytes = Buffer.from(text, 'latin1');
  return (head: Buffer) => head.subarray(0, bytes.length).equals(bytes);
};

const readers: { knows(head: Buffer): boolean; read: Reader }[] = [
  { knows: startsWith('\xff\xd8\xff'), read: (file) => readImage(file, 'image/jpeg') },
  { knows: startsWith('\x89PNG\r\n\x1a\n'), read: (file) => readImage(file, 'image/png') },
  {
    knows: (head) => startsWith('RIFF')(head) && startsWith('WEBP')(head.subarray(8)),
    read: (file) => readImage(file, 'image/webp'),
  },
  { knows: (head) => startsWith('ftyp')(head.subarray(4)), read: readIsoMedia },
  { knows: startsWith('OggS'), read: readOgg },
  { knows: startsWith('#!AMR\n'), read: readAmr },
  // The layer tells the two apart: an AAC header has none.
  { knows: (head) => head[0] === 0xff && (head[1]! & 0xf6) === 0xf0, read: readAac },
  {
    knows: (head) => startsWith('ID3')(head) || (head[0] === 0xff && (head[1]! & 0xe6) === 0xe2),
    read: readMp3,
  },
  { knows: startsWith('%PDF-'), read: readPdf },
  { knows: startsWith('PK\x03\x04'), read: readZip },
  { knows: startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), read: readCompoundFile },
];

const headBytes = 16;

export async function examine(path: string, claims: Claims): Promise<Finding> {
  const file = await openFileBytes(path);
  try {
    const mimeType = await typeOf(file, claims);
    const { type, unsendable = false } = formatOf(mimeType);
    const reasons = disagreements(mimeType, type, claims);
    if (reasons.length > 0) return { ok: false, mimeType, reasons };
    return { ok: true, type, mimeType, sendable: !unsendable };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, mimeType: null, reasons: [error.reason] };
    if (error instanceof OutOfBytes) return { ok: false, mimeType: null, reasons: [reason('CORRUPT')] };
    throw error;
  } finally {
    await file.close();
  }
}

async function typeOf(file: FileBytes, { declaredMime, filename }: Claims): Promise<string> {
  if (file.size === 0) throw new Refusal('EMPTY');
  const head = Buffer.concat([await file.read(0, Math.min(headBytes, file.size)), Buffer.alloc(headBytes)]);
  const reader = readers.find(({ knows }) => knows(head));
  const readLines = saysNdjson(declaredMime, filename) ? readNdjson : readText;
  const mimeType = await (reader?.read ?? readLines)(file);
  refuseTooLarge(file, mimeType);
  await refusePolyglot(file, mimeType);
  return mimeType;
}

function refuseTooLarge(file: FileBytes, mimeType: string): void {
  const { maxBytes } = formatOf(mimeType);
  if (file.size > maxBytes) throw new Refusal('TOO_LARGE', `At most ${maxBytes} bytes of ${mimeType}.`);
}

function disagreements(mimeType: string, type: MediaType, claims: Claims): Reason[] {
  const { requestedType, declaredMime, filename } = claims;
  const found = `It is ${mimeType}.`;
  return [
    ...(requestedType !== 'AUTO' && requestedType !== type ? [reason('TYPE_MISMATCH', found)] : []),
    ...(declares(declaredMime, mimeType) ? [] : [reason('TYPE_MISMATCH', found)]),
    ...(extensionFits(filename, mimeType) ? [] : [reason('EXTENSION_MISMATCH', found)]),
  ].filter(({ code }, i, all) => all.findIndex((other) => other.code === code) === i);
}
