// Small files of every kind, made on the spot: whole ones, and the parts to make bad ones of.
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const u16be = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const u32be = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const u16le = (value: number) => Buffer.from(u16be(value)).reverse();
const u32le = (value: number) => Buffer.from(u32be(value)).reverse();

// ---- Images

const blank = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 30, b: 90, alpha: 1 } } });

export const jpeg = (width = 40, height = 30) => blank(width, height).jpeg().toBuffer();
export const png = (width = 40, height = 30) => blank(width, height).png().toBuffer();
export const sticker = (size = 512) => blank(size, size, 4).webp().toBuffer();

export const pngChunk = (name: string, body: Buffer) => {
  const named = Buffer.concat([latin1(name), body]);
  return Buffer.concat([u32be(body.length), named, u32be(crc32(named))]);
};

const pngStart = latin1('\x89PNG\r\n\x1a\n');
/** Says its size and holds next to nothing. */
export const hollowPng = (width: number, height: number, { depth = 8, colour = 2 } = {}) =>
  Buffer.concat([
    pngStart,
    pngChunk('IHDR', Buffer.concat([u32be(width), u32be(height), Buffer.from([depth, colour, 0, 0, 0])])),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);

export const gif = latin1('GIF89a\x01\x00\x01\x00\x00\x00\x00;');

// ---- Video and sound

export const box = (name: string, ...bodies: Buffer[]) => {
  const body = Buffer.concat(bodies);
  return Buffer.concat([u32be(8 + body.length), latin1(name), body]);
};

const esds = (objectType: number) =>
  box(
    'esds',
    u32be(0),
    Buffer.from([0x03, 0x19, 0, 1, 0, 0x04, 0x11, objectType, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  );
const track = (handler: string, entry: Buffer) =>
  box(
    'trak',
    box(
      'mdia',
      box('hdlr', u32be(0), u32be(0), latin1(handler), Buffer.alloc(12)),
      box('minf', box('stbl', box('stsd', u32be(0), u32be(1), entry))),
    ),
  );
export const videoTrack = (coding = 'avc1') => track('vide', box(coding, Buffer.alloc(78)));
export const audioTrack = (objectType = 0x40) =>
  track('soun', box('mp4a', Buffer.alloc(28), esds(objectType)));

export const isoMedia = (brand: string, ...tracks: Buffer[]) =>
  Buffer.concat([
    box('ftyp', latin1(brand), u32be(0), latin1('isom')),
    box('moov', box('mvhd', Buffer.alloc(100)), ...tracks),
    box('mdat', Buffer.alloc(5000, 7)),
  ]);
export const mp4 = () => isoMedia('isom', videoTrack(), audioTrack());

const oggPage = (flags: number, body: Buffer) =>
  Buffer.concat([
    latin1('OggS\0'),
    Buffer.from([flags]),
    Buffer.alloc(20),
    Buffer.from([1, body.length]),
    body,
  ]);
export const ogg = ({ head = 'OpusHead', channels = 1, last = true } = {}) =>
  Buffer.concat([
    oggPage(2, Buffer.concat([latin1(head), Buffer.from([1, channels]), Buffer.alloc(9)])),
    oggPage(0, Buffer.alloc(200, 1)),
    oggPage(last ? 4 : 0, Buffer.alloc(100, 2)),
  ]);

const repeated = (frame: Buffer, times = 5) => Buffer.concat(Array.from({ length: times }, () => frame));
export const amr = () =>
  Buffer.concat([latin1('#!AMR\n'), repeated(Buffer.concat([Buffer.from([0x3c]), Buffer.alloc(31, 5)]))]);
// 100 bytes of a frame, its length in the header.
export const aac = () =>
  repeated(
    Buffer.concat([
      Buffer.from([0xff, 0xf1, 0x50, 0x80, 100 >> 3, ((100 & 7) << 5) | 0x1f, 0xfc]),
      Buffer.alloc(93),
    ]),
  );
// MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes.
export const mp3 = (frames = 5) =>
  repeated(Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]), frames);
export const id3 = (bytes: number) =>
  Buffer.concat([
    latin1('ID3\x03\0\0'),
    Buffer.from([0, 0, bytes >> 7, bytes & 0x7f]),
    Buffer.alloc(bytes, 32),
  ]);

// ---- Documents

export const pdf = () =>
  latin1(
    '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 1\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n',
  );

export type ZipPart = { name: string; body?: Buffer; unpacked?: number; at?: number; flags?: number };

/** An archive whose table of contents says what it is told to. */
export function zip(parts: ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, body = latin1('<x/>'), unpacked = body.length, at: claimed = at, flags = 0 } of parts) {
    const facts = Buffer.concat([
      u16le(flags),
      u16le(0),
      u32le(0),
      u32le(crc32(body)),
      u32le(body.length),
      u32le(unpacked),
      u16le(name.length),
      u16le(0),
    ]);
    const local = Buffer.concat([latin1('PK\x03\x04'), u16le(20), facts, latin1(name), body]);
    directory.push(
      Buffer.concat([
        latin1('PK\x01\x02'),
        u16le(20),
        u16le(20),
        facts,
        u16le(0),
        u16le(0),
        u16le(0),
        u32le(0),
        u32le(claimed),
        latin1(name),
      ]),
    );
    locals.push(local);
    at += local.length;
  }
  const table = Buffer.concat(directory);
  const end = Buffer.concat([
    latin1('PK\x05\x06'),
    u16le(0),
    u16le(0),
    u16le(parts.length),
    u16le(parts.length),
    u32le(table.length),
    u32le(at),
    u16le(0),
  ]);
  return Buffer.concat([...locals, table, end]);
}

const officeParts = { docx: 'word/document.xml', xlsx: 'xl/workbook.xml', pptx: 'ppt/presentation.xml' };
export const office = (kind: keyof typeof officeParts, ...more: ZipPart[]) =>
  zip([{ name: '[Content_Types].xml' }, { name: officeParts[kind] }, ...more]);

/** A compound file with one sector of allocation table and one of directory. */
export function compoundFile(...names: string[]): Buffer {
  const header = Buffer.alloc(512);
  latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1').copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(0xfffffffe, 68);
  header.fill(0xff, 76);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(512, 0xff);
  table.writeUInt32LE(0xfffffffd, 0);
  table.writeUInt32LE(0xfffffffe, 4);
  const directory = Buffer.alloc(512);
  names.forEach((name, i) => {
    directory.write(name, i * 128, 'utf16le');
    directory.writeUInt16LE(name.length * 2 + 2, i * 128 + 64);
    directory[i * 128 + 66] = 2;
  });
  return Buffer.concat([header, table, directory]);
}

export const eicar = latin1(
  [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);
