// The files of a copy's archive, made from its parts as they are sent.
import type { Streaming } from '../../../platform/http/operations/operation.ts';
import type { ZipEntry } from '../../../platform/zip/write-zip.ts';
import { csvLine } from '../../contact-files/index.ts';
import { openMediaFile } from '../../media/index.ts';
import { aboutStore } from './copy-person.ts';
import { nextPart, type Part, type StoreSize } from './parts.ts';

type Copy = { requestSid: string; sizes: StoreSize[]; withCsv: boolean };

/** What could not be put into the archive, and why; told in its list. */
export type Missing = { mediaSid: string; reason: string };

export async function* entriesOf(call: Streaming, copy: Copy, missing: Missing[]): AsyncGenerator<ZipEntry> {
  for (const { store, sizeBytes } of copy.sizes) {
    const parts = () => partsOf(call, copy.requestSid, store);
    const asJson = store === aboutStore ? joined(parts()) : listed(parts());
    yield { name: `${store}.json`, sizeBytes, compress: true, bytes: asJson };
    if (copy.withCsv && store !== aboutStore)
      yield { name: `${store}.csv`, sizeBytes, compress: true, bytes: tabled(parts()) };
    for await (const { files } of parts()) yield* mediaOf(call, files, missing);
  }
}

async function* partsOf(call: Streaming, requestSid: string, store: string): AsyncGenerator<Part> {
  for (let after = -2; ; ) {
    call.signal.throwIfAborted();
    const part = await call.read((t) => nextPart(t, requestSid, store, after));
    if (!part) return;
    after = part.position;
    yield part;
  }
}

async function* joined(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  for await (const { text } of parts) yield Buffer.from(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
}

async function* listed(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  let before = '[\n';
  for await (const { text } of parts) {
    yield Buffer.from(`${before}${text}`);
    before = ',\n';
  }
  yield Buffer.from('\n]\n');
}

/** What is more than a text or a number stands in its cell as JSON. */
async function* tabled(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  let header: string[] | null = null;
  for await (const { text } of parts) {
    const entries = JSON.parse(`[${text}]`) as Record<string, unknown>[];
    const names: string[] = header ?? Object.keys(entries[0]!);
    const lines = entries.map((entry) => csvLine(names.map((name) => cellOf(entry[name]))));
    yield Buffer.from(`${header === null ? csvLine(names) : ''}${lines.join('')}`);
    header = names;
  }
}

const cellOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** From where it is kept. One that has expired since it was listed is left out, and named. */
async function* mediaOf(call: Streaming, sids: string[], missing: Missing[]): AsyncGenerator<ZipEntry> {
  for (const sid of sids) {
    const file = await openMediaFile(call, sid).catch(() => null);
    if (file === null) missing.push({ mediaSid: sid, reason: 'it has expired or was deleted' });
    else {
      const name = `files/${sid}-${harmless(file.filename)}`;
      yield { name, sizeBytes: file.sizeBytes, compress: false, bytes: file.open() };
    }
  }
}

/** A name that stays where it is unpacked, on every system. */
const harmless = (filename: string) =>
  filename
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')
    .replaceAll(/\.{2,}|^[. ]+|[. ]+$/g, '_')
    .slice(-100);
