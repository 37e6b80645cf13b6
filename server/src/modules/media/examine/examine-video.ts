// MP4 and 3GP: boxes within boxes. The outer ones must reach exactly to the end of the file; of the inner ones those are
// read that tell which streams there are and how they are coded.
import type { FileBytes } from './file-bytes.ts';
import { Refusal } from './reasons.ts';

const maxBoxes = 20_000;
const maxDirectoryBytes = 8 * 1024 * 1024;

type Box = { name: string; at: number; bodyAt: number; end: number };

export async function readIsoMedia(file: FileBytes): Promise<string> {
  const boxes = await outerBoxes(file);
  const brand = (await file.read(8, 4)).toString('latin1');
  const directory = boxes.find(({ name }) => name === 'moov');
  if (!/^(isom|iso\d|mp4\d|avc1|M4[AVB] |3gp|3g2|MSNV|mmp4|dash|f4v )/i.test(brand))
    throw new Refusal('UNSUPPORTED_TYPE');
  if (!directory || !boxes.some(({ name }) => name === 'mdat' || name === 'moof'))
    throw new Refusal('CORRUPT');
  if (directory.end - directory.bodyAt > maxDirectoryBytes)
    throw new Refusal('UNSUPPORTED_FORM', 'Its index is too large.');
  const streams = streamsOf(await file.read(directory.bodyAt, directory.end - directory.bodyAt));
  return judgeStreams(streams, /^3g/i.test(brand));
}

async function outerBoxes(file: FileBytes): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = 0; at < file.size; at = boxes.at(-1)!.end) {
    if (boxes.length >= maxBoxes) throw new Refusal('CORRUPT');
    const head = await file.read(at, Math.min(16, file.size - at));
    const box = readBox(head, 0, at, file.size);
    if (box.end > file.size) throw new Refusal('CORRUPT', 'Its end is missing.');
    boxes.push(box);
  }
  return boxes;
}

/** `base` is where the buffer begins in the file, `limit` where the box around this one ends. */
function readBox(bytes: Buffer, at: number, base: number, limit: number): Box {
  if (at + 8 > bytes.length) throw new Refusal('CORRUPT');
  const name = bytes.toString('latin1', at + 4, at + 8);
  const short = bytes.readUInt32BE(at);
  if (short === 1 && at + 16 > bytes.length) throw new Refusal('CORRUPT');
  const headBytes = short === 1 ? 16 : 8;
  const size = short === 0 ? limit - base - at : short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
  if (size < headBytes) throw new Refusal('CORRUPT');
  return { name, at: base + at, bodyAt: base + at + headBytes, end: base + at + size };
}

type Stream = { kind: 'video' | 'audio' | 'other'; coding: string };

function inner(bytes: Buffer): { name: string; body: Buffer }[] {
  const found: { name: string; body: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const box = readBox(bytes, at, 0, bytes.length);
    if (box.end > bytes.length || found.length >= maxBoxes) throw new Refusal('CORRUPT');
    found.push({ name: box.name, body: bytes.subarray(box.bodyAt, box.end) });
    at = box.end;
  }
  return found;
}

const within = (bytes: Buffer | undefined, name: string) =>
  bytes && inner(bytes).find((box) => box.name === name)?.body;

function streamsOf(directory: Buffer): Stream[] {
  return inner(directory)
    .filter(({ name }) => name === 'trak')
    .map(({ body }) => {
      const media = within(body, 'mdia');
      const handler = within(media, 'hdlr')?.toString('latin1', 8, 12);
      const kind = handler === 'vide' ? 'video' : handler === 'soun' ? 'audio' : 'other';
      if (kind === 'other') return { kind, coding: '' };
      const descriptions = within(within(within(media, 'minf'), 'stbl'), 'stsd');
      if (!descriptions || descriptions.length < 16) throw new Refusal('CORRUPT');
      return { kind, coding: codingOf(inner(descriptions.subarray(8))) };
    });
}

function codingOf(entries: { name: string; body: Buffer }[]): string {
  const codings = new Set(entries.map(({ name, body }) => (name === 'mp4a' ? mp4aCoding(body) : name)));
  return [...codings].join('+');
}

/** The name mp4a covers several codings; a descriptor inside says which. 0x40 and 0x66 to 0x68 are AAC. */
function mp4aCoding(entry: Buffer): string {
  const at = entry.indexOf('esds', 0, 'latin1');
  if (at < 0) return 'mp4a without a description';
  const objectType = decoderType(entry.subarray(at + 8));
  return objectType === 0x40 || (objectType >= 0x66 && objectType <= 0x68) ? 'aac' : `mp4a ${objectType}`;
}

function decoderType(descriptor: Buffer): number {
  let at = 0;
  const skipLength = () => {
    for (let i = 0; i < 4 && (descriptor[at]! & 0x80) !== 0; i += 1) at += 1;
    at += 1;
  };
  if (descriptor[at] !== 0x03) return -1;
  at += 1;
  skipLength();
  const flags = descriptor[at + 2] ?? 0;
  at +=
    3 + (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (descriptor[at + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0);
  if (descriptor[at] !== 0x04) return -1;
  at += 1;
  skipLength();
  return descriptor[at] ?? -1;
}

function judgeStreams(streams: Stream[], is3gp: boolean): string {
  const of = (kind: Stream['kind']) => streams.filter((stream) => stream.kind === kind);
  const [video, audio] = [of('video'), of('audio')];
  const strange = [
    ...video.filter(({ coding }) => !/^avc[1-4]$/.test(coding)),
    ...audio.filter(({ coding }) => coding !== 'aac'),
  ];
  if (strange.length > 0) {
    throw new Refusal('UNSUPPORTED_FORM', 'Video must be H.264 and its sound AAC.');
  }
  if (audio.length > 1) throw new Refusal('UNSUPPORTED_FORM', 'At most one audio stream.');
  if (video.length > 0) return is3gp ? 'video/3gpp' : 'video/mp4';
  if (audio.length === 0 || is3gp) throw new Refusal('UNSUPPORTED_FORM', 'There is no video in it.');
  return 'audio/mp4';
}
