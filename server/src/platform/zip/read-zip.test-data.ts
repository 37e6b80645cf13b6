// Reads an archive as strictly as it can be read: by its directory, every number held against every other.
import assert from 'node:assert/strict';
import { crc32, inflateRawSync } from 'node:zlib';

export type ZippedFile = { name: string; bytes: Buffer };

export function readZip(archive: Buffer): ZippedFile[] {
  const { count, start, size } = endOf(archive);
  const files: ZippedFile[] = [];
  let at = start;
  let expected = 0;
  for (let i = 0; i < count; i += 1) {
    const entry = directoryEntry(archive, at);
    assert.equal(entry.offset, expected, 'entries follow each other without a gap');
    const { bytes, end } = contentOf(archive, entry);
    files.push({ name: entry.name, bytes });
    expected = end;
    at = entry.end;
  }
  assert.equal(expected, start, 'the directory follows the last entry');
  assert.equal(at - start, size, 'the directory is as long as it says');
  assert.equal(new Set(files.map(({ name }) => name)).size, files.length, 'names are unique');
  return files;
}

function endOf(archive: Buffer) {
  const at = archive.length - 22;
  assert.equal(archive.readUInt32LE(at), 0x0605_4b50);
  const [count, size, start] = [
    archive.readUInt16LE(at + 10),
    archive.readUInt32LE(at + 12),
    archive.readUInt32LE(at + 16),
  ];
  if (count < 0xffff && start < 0xffff_ffff) {
    assert.equal(start + size, at, 'nothing stands between the directory and its end');
    return { count, size, start };
  }
  assert.equal(archive.readUInt32LE(at - 20), 0x0706_4b50);
  const large = Number(archive.readBigUInt64LE(at - 12));
  assert.equal(archive.readUInt32LE(large), 0x0606_4b50);
  const number = (offset: number) => Number(archive.readBigUInt64LE(large + offset));
  return { count: number(32), size: number(40), start: number(48) };
}

function directoryEntry(archive: Buffer, at: number) {
  assert.equal(archive.readUInt32LE(at), 0x0201_4b50);
  const [nameBytes, extraBytes] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)];
  const long: number[] = [];
  for (let i = at + 46 + nameBytes + 4; i < at + 46 + nameBytes + extraBytes; i += 8)
    long.push(Number(archive.readBigUInt64LE(i)));
  const number = (offset: number) => {
    const short = archive.readUInt32LE(at + offset);
    return short === 0xffff_ffff ? long.shift()! : short;
  };
  const [sizeBytes, compressedBytes, offset] = [number(24), number(20), number(42)];
  return {
    name: archive.toString('utf8', at + 46, at + 46 + nameBytes),
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    isLarge: archive.readUInt32LE(at + 24) === 0xffff_ffff,
    sizeBytes,
    compressedBytes,
    offset,
    end: at + 46 + nameBytes + extraBytes,
  };
}

function contentOf(archive: Buffer, entry: ReturnType<typeof directoryEntry>) {
  const { offset, name } = entry;
  assert.equal(archive.readUInt32LE(offset), 0x0403_4b50);
  assert.equal(archive.readUInt16LE(offset + 8), entry.method);
  const [nameBytes, extraBytes] = [archive.readUInt16LE(offset + 26), archive.readUInt16LE(offset + 28)];
  assert.equal(archive.toString('utf8', offset + 30, offset + 30 + nameBytes), name);
  const start = offset + 30 + nameBytes + extraBytes;
  const end = start + entry.compressedBytes;
  const raw = archive.subarray(start, end);
  const bytes = entry.method === 8 ? inflateRawSync(raw) : raw;
  assert.deepEqual([bytes.length, crc32(bytes)], [entry.sizeBytes, entry.crc], name);
  assert.deepEqual([archive.readUInt32LE(end), archive.readUInt32LE(end + 4)], [0x0807_4b50, entry.crc]);
  return { bytes, end: end + 8 + (entry.isLarge ? 16 : 8) };
}
