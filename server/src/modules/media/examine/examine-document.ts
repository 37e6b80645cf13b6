// Documents. Archives are judged by their table of contents and never unpacked.
import { readCompoundNames } from './compound-file.ts';
import type { FileBytes } from './file-bytes.ts';
import { findZipEnd } from './polyglots.ts';
import { Refusal } from './reasons.ts';

export async function readPdf(file: FileBytes): Promise<string> {
  const tail = (await file.read(Math.max(0, file.size - 1024), Math.min(1024, file.size))).toString('latin1');
  if (!tail.includes('%%EOF') || !tail.includes('startxref'))
    throw new Refusal('CORRUPT', 'Its end is missing.');
  return 'application/pdf';
}

const maxEntries = 10_000;
const maxDirectoryBytes = 4 * 1024 * 1024;
// Office writes XML, which packs well; but nobody reads a document of a gigabyte.
const maxUnpackedBytes = 1024 ** 3;
const maxRatio = 100;
const unsuspiciousBytes = 64 * 1024 * 1024;

type Entry = {
  name: string;
  at: number;
  packed: number;
  unpacked: number;
  nameBytes: number;
  encrypted: boolean;
};

const officeTypes: [string, string][] = [
  ['word/document.xml', 'wordprocessingml.document'],
  ['xl/workbook.xml', 'spreadsheetml.sheet'],
  ['ppt/presentation.xml', 'presentationml.presentation'],
];

export async function readZip(file: FileBytes): Promise<string> {
  const entries = await readDirectory(file);
  refuseBomb(entries, file.size);
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  const type = officeTypes.find(([part]) => names.has(part))?.[1];
  if (!type || !names.has('[content_types].xml'))
    throw new Refusal('UNSUPPORTED_TYPE', 'It is a ZIP archive.');
  if ([...names].some((name) => name.endsWith('vbaproject.bin'))) throw new Refusal('MACROS');
  if (entries.some(({ encrypted }) => encrypted)) throw new Refusal('UNSUPPORTED_FORM', 'It is encrypted.');
  return `application/vnd.openxmlformats-officedocument.${type}`;
}

async function readDirectory(file: FileBytes): Promise<Entry[]> {
  const end = await findZipEnd(file);
  if (!end) throw new Refusal('CORRUPT', 'Its end is missing.');
  if (end.directoryBytes > maxDirectoryBytes || end.entries > maxEntries)
    throw new Refusal('DECOMPRESSION_BOMB');
  // Anything between its parts, or before them, would be something other than the archive.
  if (end.directoryAt + end.directoryBytes !== end.at) throw new Refusal('CORRUPT');
  const bytes = await file.read(end.directoryAt, end.directoryBytes);
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw new Refusal('CORRUPT');
    const nameBytes = bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameBytes),
      at: bytes.readUInt32LE(at + 42),
      packed: bytes.readUInt32LE(at + 20),
      unpacked: bytes.readUInt32LE(at + 24),
      nameBytes,
      encrypted: (bytes.readUInt16LE(at + 8) & 1) !== 0,
    });
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (entries.length !== end.entries) throw new Refusal('CORRUPT');
  refuseOverlap(entries, end.directoryAt);
  return entries;
}

/** Entries that share their bytes are how a small archive unpacks to petabytes. */
function refuseOverlap(entries: Entry[], end: number): void {
  let reached = 0;
  for (const { at, packed, nameBytes } of entries.toSorted((a, b) => a.at - b.at)) {
    if (at < reached) throw new Refusal('DECOMPRESSION_BOMB', 'Its parts overlap.');
    reached = at + 30 + nameBytes + packed;
    if (reached > end) throw new Refusal('CORRUPT');
  }
}

function refuseBomb(entries: Entry[], size: number): void {
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpacked, 0);
  const suspicious = unpacked > unsuspiciousBytes && unpacked > size * maxRatio;
  if (suspicious || unpacked > maxUnpackedBytes) throw new Refusal('DECOMPRESSION_BOMB');
}

const compoundTypes: [string, string][] = [
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
];

/** The older Office formats: a file system in a file, whose names tell what it is. */
export async function readCompoundFile(file: FileBytes): Promise<string> {
  const names = await readCompoundNames(file);
  if (names.has('EncryptedPackage')) throw new Refusal('UNSUPPORTED_FORM', 'It is encrypted.');
  if (names.has('VBA') || names.has('_VBA_PROJECT')) throw new Refusal('MACROS');
  const type = compoundTypes.find(([name]) => names.has(name))?.[1];
  if (!type) throw new Refusal('UNSUPPORTED_TYPE');
  return type;
}

const chunkBytes = 64 * 1024;
// All but tab, line feed, form feed and carriage return.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\x00-\x08\x0b\x0e-\x1f]/;
const pageOrProgram = /^\ufeff?\s*(?:<(?:!doctype|\?xml|\?php|html|head|body|svg|script|!--)|#!)/i;
const activeMarkup = /<(?:script|svg|iframe|object|embed)[\s>/]/i;

/** What nobody else knew: text, if it is nothing but that. A page or a program is text to a careless eye only. */
export async function readText(file: FileBytes, look: (text: string) => void = () => {}): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let carried = '';
  for (let at = 0; at < file.size; at += chunkBytes) {
    const last = at + chunkBytes >= file.size;
    const text = decode(decoder, await file.read(at, Math.min(chunkBytes, file.size - at)), last);
    if (control.test(text)) throw new Refusal('UNSUPPORTED_TYPE');
    if (at === 0 && pageOrProgram.test(text))
      throw new Refusal('UNSUPPORTED_TYPE', 'It is a page or a program.');
    if (activeMarkup.test(carried + text)) throw new Refusal('UNSUPPORTED_TYPE', 'It holds active markup.');
    carried = text.slice(-16);
    look(text);
  }
  return 'text/plain';
}

// Rows to be imported are shorter; this bounds what is held and parsed at once.
const maxLineLength = 1024 * 1024;

/** Text of which every line that is not blank is JSON by itself. */
export async function readNdjson(file: FileBytes): Promise<string> {
  let line = '';
  let number = 1;
  let rows = 0;
  const refuseTooLong = () => {
    if (line.length <= maxLineLength) return;
    throw new Refusal('UNSUPPORTED_FORM', `Line ${number} is longer than 1 MiB.`);
  };
  const end = () => {
    refuseTooLong();
    if (line.trim() !== '') {
      refuseUnlessJson(line, number);
      rows += 1;
    }
    line = '';
    number += 1;
  };
  await readText(file, (text) => {
    const [first = '', ...others] = text.split('\n');
    line += first;
    for (const other of others) {
      end();
      line = other;
    }
    refuseTooLong();
  });
  end();
  if (rows === 0) throw new Refusal('EMPTY', 'It has no line of JSON.');
  return 'application/x-ndjson';
}

function refuseUnlessJson(line: string, number: number): void {
  try {
    JSON.parse(line);
  } catch {
    throw new Refusal('TYPE_MISMATCH', `Line ${number} is not JSON.`);
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer, last: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !last });
  } catch {
    throw new Refusal('UNSUPPORTED_TYPE');
  }
}
