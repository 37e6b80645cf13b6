// A ZIP archive written piece by piece while its entries are read: nothing is held but one piece and the list of entries. What an entry
// measures is told behind it (a data descriptor, APPNOTE 4.3.9), because nobody knows it before.
import { createHash } from 'node:crypto';
import { crc32, createDeflateRaw } from 'node:zlib';

export type ZipEntry = {
  /** With `/` between folders; unique in the archive. */
  name: string;
  /** About as many bytes as it has: what comes near 4 GiB is measured in longer numbers. */
  sizeBytes: number;
  /** False for what is compressed already, such as pictures. */
  compress: boolean;
  bytes: AsyncIterable<Uint8Array>;
};

/** What became of an entry, as a list of the contents tells it. */
export type ZipFact = { name: string; sizeBytes: number; sha256: string };

type Written = ZipFact & {
  crc: number;
  compressedBytes: number;
  offset: number;
  method: number;
  isLarge: boolean;
};

const limit32 = 0xffff_ffff;
const limit16 = 0xffff;
// Compressed data can be a little longer than what it was made of.
const largeFrom = 0xf000_0000;
// Names are UTF-8, and sizes stand behind the data.
const flags = 0x0808;
const [plainVersion, largeVersion] = [20, 45];
const [stored, deflated] = [0, 8];

/** Writes the entries, and as the last one what `last` makes of all before it. */
export async function* writeZip(
  entries: AsyncIterable<ZipEntry>,
  { at, last }: { at: Date; last?: (written: ZipFact[]) => { name: string; text: string } },
): AsyncGenerator<Buffer> {
  const archive = { written: [] as Written[], offset: 0, time: dosTime(at) };
  for await (const entry of entries) yield* writeEntry(archive, entry);
  if (last) {
    const facts = archive.written.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 }));
    const { name, text } = last(facts);
    const bytes = Buffer.from(text);
    yield* writeEntry(archive, { name, sizeBytes: bytes.length, compress: true, bytes: onePiece(bytes) });
  }
  yield* writeDirectory(archive);
}

type Archive = { written: Written[]; offset: number; time: Buffer };

async function* onePiece(piece: Uint8Array) {
  yield piece;
}

async function* writeEntry(archive: Archive, entry: ZipEntry): AsyncGenerator<Buffer> {
  const { name, compress, bytes } = entry;
  const isLarge = entry.sizeBytes >= largeFrom;
  const method = compress ? deflated : stored;
  const { offset } = archive;
  const send = (piece: Buffer) => {
    archive.offset += piece.length;
    return piece;
  };
  yield send(localHeader(archive, { name, method, isLarge }));
  const hash = createHash('sha256');
  const counted = { crc: 0, sizeBytes: 0, compressedBytes: 0 };
  const counting = async function* () {
    for await (const piece of bytes) {
      counted.crc = crc32(piece, counted.crc);
      counted.sizeBytes += piece.length;
      hash.update(piece);
      yield piece;
    }
  };
  for await (const piece of compress ? deflate(counting()) : counting()) {
    counted.compressedBytes += piece.length;
    yield send(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
  }
  if (!isLarge && Math.max(counted.sizeBytes, counted.compressedBytes) > limit32)
    throw new Error(`${name} is larger than it was said to be`);
  yield send(descriptor(counted, isLarge));
  archive.written.push({ name, offset, method, isLarge, ...counted, sha256: hash.digest('hex') });
}

async function* deflate(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const deflater = createDeflateRaw();
  const fill = async () => {
    for await (const piece of source)
      if (!deflater.write(piece)) await new Promise((drained) => deflater.once('drain', drained));
    deflater.end();
  };
  const filling = fill().catch((error) => deflater.destroy(error as Error));
  try {
    yield* deflater as AsyncIterable<Buffer>;
  } finally {
    deflater.destroy();
  }
  await filling;
}

type Named = Pick<Written, 'name' | 'method' | 'isLarge'>;

function localHeader({ time }: Archive, { name, method, isLarge }: Named): Buffer {
  const encoded = Buffer.from(name);
  // Its two sizes are told behind the data; that the field is here says in how long numbers.
  const extra = isLarge ? extraField([0n, 0n]) : Buffer.alloc(0);
  return Buffer.concat([
    u32(0x0403_4b50),
    u16(isLarge ? largeVersion : plainVersion, flags, method),
    time,
    u32(0, isLarge ? limit32 : 0, isLarge ? limit32 : 0),
    u16(encoded.length, extra.length),
    encoded,
    extra,
  ]);
}

function descriptor({ crc, compressedBytes, sizeBytes }: Sizes, isLarge: boolean): Buffer {
  const sizes = [compressedBytes, sizeBytes];
  return Buffer.concat([u32(0x0807_4b50, crc), isLarge ? u64(...sizes.map(BigInt)) : u32(...sizes)]);
}
type Sizes = Pick<Written, 'crc' | 'compressedBytes' | 'sizeBytes'>;

function* writeDirectory(archive: Archive): Generator<Buffer> {
  const { written, offset: start } = archive;
  for (const entry of written) {
    const line = directoryEntry(archive, entry);
    archive.offset += line.length;
    yield line;
  }
  const size = archive.offset - start;
  const isLarge = written.length >= limit16 || archive.offset >= limit32;
  if (isLarge) yield largeEnd({ count: written.length, size, start, at: archive.offset });
  const count = Math.min(written.length, limit16);
  yield Buffer.concat([
    u32(0x0605_4b50),
    u16(0, 0, count, count),
    u32(Math.min(size, limit32), Math.min(start, limit32)),
    u16(0),
  ]);
}

function directoryEntry({ time }: Archive, entry: Written): Buffer {
  const { name, method, crc, compressedBytes, sizeBytes, offset, isLarge } = entry;
  const encoded = Buffer.from(name);
  const isFar = offset >= limit32;
  const long = [...(isLarge ? [sizeBytes, compressedBytes] : []), ...(isFar ? [offset] : [])];
  const extra = long.length > 0 ? extraField(long.map(BigInt)) : Buffer.alloc(0);
  const version = isLarge || isFar ? largeVersion : plainVersion;
  return Buffer.concat([
    u32(0x0201_4b50),
    u16(version, version, flags, method),
    time,
    u32(crc, isLarge ? limit32 : compressedBytes, isLarge ? limit32 : sizeBytes),
    u16(encoded.length, extra.length, 0, 0, 0),
    u32(0, isFar ? limit32 : offset),
    encoded,
    extra,
  ]);
}

function largeEnd({ count, size, start, at }: Record<'count' | 'size' | 'start' | 'at', number>): Buffer {
  const record = Buffer.concat([
    u32(0x0606_4b50),
    u64(44n),
    u16(largeVersion, largeVersion),
    u32(0, 0),
    u64(BigInt(count), BigInt(count), BigInt(size), BigInt(start)),
  ]);
  return Buffer.concat([record, u32(0x0706_4b50, 0), u64(BigInt(at)), u32(1)]);
}

const extraField = (values: bigint[]) => Buffer.concat([u16(1, values.length * 8), u64(...values)]);

const u16 = (...values: number[]) => littleEndian(2, values);
const u32 = (...values: number[]) => littleEndian(4, values);

function littleEndian(width: number, values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * width);
  for (const [i, value] of values.entries()) bytes.writeUIntLE(value, i * width, width);
  return bytes;
}

function u64(...values: bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, i * 8);
  return bytes;
}

/** Two seconds are the smallest step it knows, and 1980 its first year. */
function dosTime(at: Date): Buffer {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const year = Math.max(0, at.getUTCFullYear() - 1980);
  return u16(time, (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate());
}
