// Finds a mark however it is written: as it is, encoded, compressed, sealed, and each inside the others.
import { unzipSync } from 'node:zlib';
import { createSealer, parseMasterKeys, SealBroken } from '../../src/platform/sealing.ts';

/** Says how a mark is written in there, or that something is sealed in a way nobody can open; null where neither is so. */
export type Search = (content: Buffer | string) => string | null;

/** What is part of a longer text in base64 begins at any of three places of it, and its ends are mixed with what stands beside it. */
function waysOf(mark: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    const mixed = (shift + mark.length) % 3 !== 0;
    const text = Buffer.from('x'.repeat(shift) + mark).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, mixed ? -4 : undefined);
  });
  const wide = Buffer.from(mark, 'utf16le').toString('latin1');
  return [mark, wide, Buffer.from(mark).toString('hex'), ...base64];
}

export const looksLike = (marks: string[]) => new RegExp(marks.flatMap(waysOf).join('|'), 'i');

/** A row has an encoded body, in which something is sealed, that is a page of words with escapes. */
const deepest = 5;

/** `contexts` are those in which anything was sealed under the key. */
export function searchFor(marks: string[], masterKey: string, contexts: string[]): Search {
  const isThere = looksLike(marks);
  const [key] = parseMasterKeys(masterKey);
  const sealer = createSealer([key!]);
  const header = Buffer.concat([Buffer.of(1), Buffer.from(key!.id, 'hex')]);
  const open = (sealed: Buffer): Buffer | null => {
    for (const context of contexts)
      try {
        return sealer.open(sealed, context);
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
      }
    return null;
  };

  const look = (bytes: Buffer, how: string[]): string | null => {
    const text = bytes.toString('latin1');
    if (isThere.test(text)) return how.join(', ') || 'as it is';
    const sealedAt = bytes.indexOf(header);
    const opened = sealedAt < 0 ? null : open(bytes.subarray(sealedAt));
    if (sealedAt >= 0 && !opened) return [...how, 'sealed in no known context'].join(', ');
    if (how.length === deepest) return null;
    for (const [form, inside] of opened ? [['sealed', opened] as const] : formsOf(bytes, text)) {
      const found = look(inside, [...how, form]);
      if (found) return found;
    }
    return null;
  };
  return (content) => look(typeof content === 'string' ? Buffer.from(content) : content, []);
}

function* formsOf(bytes: Buffer, text: string): Generator<readonly [string, Buffer]> {
  const unzipped = unzip(bytes);
  if (unzipped) yield ['compressed', unzipped];
  for (const [run] of text.matchAll(/(?:[0-9a-f]{2}){8,}/gi)) yield ['hexadecimal', Buffer.from(run, 'hex')];
  // Mail breaks it into lines.
  for (const [run] of text.matchAll(/(?:[\w+/-]{60,76}\r?\n)*[\w+/-]{12,}={0,2}/g))
    yield ['base64', Buffer.from(run.replace(/\s/g, ''), 'base64')];
  for (const [name, form, escaped] of escapes) {
    const plain = text
      .replace(/=\r?\n/g, '')
      .replace(form, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    if (escaped.test(text)) yield [name, Buffer.from(plain, 'latin1')];
  }
}

/** By how each is called: what stands for a character, and whether there is any. */
const escapes: [string, RegExp, RegExp][] = [
  ['escaped', /\\+[ux](?:00)?([0-9a-f]{2})/gi, /\\[ux]/i],
  ['percent-encoded', /%([0-9a-f]{2})/gi, /%[0-9a-f]{2}/i],
  ['quoted-printable', /=([0-9a-f]{2})/gi, /=(?:[0-9a-f]{2}|\r?\n)/i],
];

function unzip(bytes: Buffer): Buffer | null {
  const isZipped = bytes.length > 2 && ((bytes[0] === 0x1f && bytes[1] === 0x8b) || bytes[0] === 0x78);
  if (!isZipped) return null;
  try {
    return unzipSync(bytes);
  } catch {
    return null; // it only begins like that
  }
}
