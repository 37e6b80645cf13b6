// The smallest files that are what they say.

export const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const box = (type: string, ...content: Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([word(8 + body.length), Buffer.from(type, 'latin1'), body]);
};

/** A track of this kind (`vide`, `soun`) and coding. */
export const track = (kind: string, coding: string) =>
  box(
    'trak',
    box(
      'mdia',
      box('hdlr', word(0), word(0), Buffer.from(kind, 'latin1')),
      box('minf', box('stbl', box('stsd', word(0), word(1), box(coding, Buffer.alloc(28))))),
    ),
  );
export const tinyMp4 = (...tracks: Buffer[]) =>
  Buffer.concat([box('ftyp', Buffer.from('isom', 'latin1'), word(0)), box('moov', ...tracks)]);

export const tinyOgg = (head: string, channels: number) =>
  Buffer.concat([
    Buffer.from('OggS\0\x02', 'latin1'),
    Buffer.alloc(20),
    Buffer.from([1, 19]),
    Buffer.from(head, 'latin1'),
    Buffer.from([1, channels]),
    Buffer.alloc(9),
  ]);

/** The beginning of a PNG with these bits a channel and this kind of colours. */
export const pngOf = (depth: number, colours: number) => {
  const bytes = Buffer.from(tinyPng);
  bytes[24] = depth;
  bytes[25] = colours;
  return bytes;
};

export const webpOf = (size: number, animated: boolean) => {
  const bytes = Buffer.alloc(size);
  bytes.write('RIFF\0\0\0\0WEBPVP8X', 'latin1');
  bytes[20] = animated ? 2 : 0;
  return bytes;
};
