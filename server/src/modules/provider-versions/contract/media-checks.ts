// Files: up, described, down, gone.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { MediaFile } from '../../provider/index.ts';
import { nobody } from './account-checks.ts';
import { appOf, type Check, given, reading, refusedWith, type Stage, same, writing } from './check.ts';

// One pixel, one pixel as a sticker, and the shortest document.
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const webp = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
const pdf = 'JVBERi0xLjQKJSVFT0YK';

function fileOf(filename: string, mimeType: string, bytes: Buffer): MediaFile & { bytes: Buffer } {
  const open = () => Readable.from([bytes], { objectMode: false });
  return { filename, mimeType, sizeBytes: bytes.length, open, bytes };
}
const inBase64 = (text: string) => Buffer.from(text, 'base64');

/** A part of an MP4 file: its length, its name, and what is in it. */
function box(name: string, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(parts).length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, ...parts]);
}
const zeros = (length: number) => Buffer.alloc(length);
const words = (text: string) => Buffer.from(text, 'latin1');

/** One track of H.264, and nothing in it. */
const clip = Buffer.concat([
  box('ftyp', words('isom'), zeros(4), words('isom')),
  box(
    'moov',
    box(
      'trak',
      box(
        'mdia',
        box('hdlr', zeros(8), words('vide'), zeros(13)),
        box('minf', box('stbl', box('stsd', zeros(7), Buffer.from([1]), box('avc1', zeros(78))))),
      ),
    ),
  ),
]);

export const picture = fileOf('pixel.png', 'image/png', inBase64(png));
export const paper = fileOf('paper.pdf', 'application/pdf', inBase64(pdf));

/** A file for each kind of message that carries one. */
export const files = {
  image: picture,
  document: paper,
  video: fileOf('clip.mp4', 'video/mp4', clip),
  audio: fileOf('silence.amr', 'audio/amr', words('#!AMR\n')),
  sticker: fileOf('sticker.webp', 'image/webp', inBase64(webp)),
};

export const upload = async (
  { provider, connection, phoneNumberId }: Stage,
  file: MediaFile,
): Promise<string> => given(await provider.uploadMedia(connection, phoneNumberId, file)).mediaId;

async function download({ provider, connection }: Stage, url: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sink = {
    maxBytes: 1_000_000,
    async write(chunk: Buffer) {
      chunks.push(chunk);
    },
  };
  given(await provider.downloadMedia(connection, url, sink));
  return Buffer.concat(chunks);
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export const mediaChecks: Check[] = [
  reading('file that nobody has is refused', async ({ provider, connection }) => {
    const answered = await provider.describeMedia(connection, nobody);
    refusedWith(answered, 'WABA_NOT_CONNECTED', 'NOT_FOUND', 'MEDIA_PROVIDER_ERROR');
  }),
  writing('file is uploaded and described', async (stage) => {
    const { provider, connection } = stage;
    const described = given(await provider.describeMedia(connection, await upload(stage, picture)));
    const { mimeType, sizeBytes } = described;
    same({ mimeType, sizeBytes }, { mimeType: picture.mimeType, sizeBytes: picture.sizeBytes });
  }),
  writing('file comes back as it was', async (stage) => {
    const { provider, connection } = stage;
    const { url } = given(await provider.describeMedia(connection, await upload(stage, paper)));
    same(hashOf(await download(stage, url)), hashOf(paper.bytes));
  }),
  writing('file whose inside is another type is refused', async (stage) => {
    const { provider, connection, phoneNumberId } = stage;
    const wrong = { ...paper, filename: 'paper.png', mimeType: 'image/png' };
    const answered = await provider.uploadMedia(connection, phoneNumberId, wrong);
    refusedWith(answered, 'MEDIA_PROVIDER_ERROR', 'PROVIDER_PERMANENT_ERROR');
  }),
  writing('file that was deleted is gone', async (stage) => {
    const { provider, connection } = stage;
    const id = await upload(stage, picture);
    given(await provider.deleteMedia(connection, id));
    const answered = await provider.describeMedia(connection, id);
    refusedWith(answered, 'WABA_NOT_CONNECTED', 'NOT_FOUND', 'MEDIA_PROVIDER_ERROR');
  }),
  writing('header of a template is uploaded in pieces', async (stage) => {
    const { provider, connection } = stage;
    given(await provider.uploadTemplateHeader(connection, appOf(stage).appId, picture));
  }),
];
