// Files that are two things at once: one to us, another to whoever opens them. Each format's own reader sees to what
// stands inside it; here is looked for the beginnings and ends by which other programs would know the file.
import type { FileBytes } from './file-bytes.ts';
import { Refusal } from './reasons.ts';

// Readers of PDF look this far for its beginning, and browsers that guess look less far for theirs.
const searchedHeadBytes = 1024;
const zipEndBytes = 22;
const maxZipCommentBytes = 0xffff;

const markup = /<(?:script|html|body|svg|iframe|\?php|!doctype\s+html)\b/i;

/** Marks of what somebody may have hung behind an image. */
const foreign = [
  'PK\x03\x04',
  'PK\x05\x06',
  '%PDF-',
  'Rar!\x1a\x07',
  '7z\xbc\xaf\x27\x1c',
  '\x7fELF',
  'This program cannot be run in DOS mode',
].map((text) => Buffer.from(text, 'latin1'));

export function holdsForeign(bytes: Buffer): boolean {
  return foreign.some((mark) => bytes.includes(mark)) || markup.test(bytes.toString('latin1'));
}

export async function refusePolyglot(file: FileBytes, mimeType: string): Promise<void> {
  const head = (await file.read(0, Math.min(searchedHeadBytes, file.size))).toString('latin1');
  const isText = mimeType === 'text/plain' || mimeType === 'application/x-ndjson';
  if (mimeType !== 'application/pdf' && head.includes('%PDF-'))
    throw new Refusal('POLYGLOT', 'It is also a PDF.');
  if (!isText && markup.test(head)) throw new Refusal('POLYGLOT', 'It begins like a web page.');
  const isZip = mimeType.startsWith('application/vnd.openxmlformats-');
  if (!isZip && (await endsAsZip(file))) throw new Refusal('POLYGLOT', 'It is also a ZIP archive.');
}

export type ZipEnd = { at: number; entries: number; directoryAt: number; directoryBytes: number };

const endsAsZip = async (file: FileBytes) => (await findZipEnd(file)) !== null;

/** A ZIP archive is known by its end, wherever it begins; a comment may follow. */
export async function findZipEnd(file: FileBytes): Promise<ZipEnd | null> {
  if (file.size < zipEndBytes) return null;
  const searched = Math.min(file.size, zipEndBytes + maxZipCommentBytes);
  const tail = await file.read(file.size - searched, searched);
  const mark = Buffer.from('PK\x05\x06', 'latin1');
  for (let at = tail.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(mark, at - 1)) {
    if (at + zipEndBytes > tail.length) continue;
    const end = {
      at: file.size - searched + at,
      entries: tail.readUInt16LE(at + 10),
      directoryBytes: tail.readUInt32LE(at + 12),
      directoryAt: tail.readUInt32LE(at + 16),
    };
    if (await hasDirectory(file, end)) return end;
  }
  return null;
}

/** Four bytes that look like an end may stand anywhere; a directory just before them does not. */
async function hasDirectory(file: FileBytes, { at, directoryBytes }: ZipEnd): Promise<boolean> {
  if (directoryBytes < 46 || directoryBytes > at) return false;
  return (await file.read(at - directoryBytes, 4)).toString('latin1') === 'PK\x01\x02';
}
