// Files: up, described, down, gone.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { MediaFile } from '../../provider/index.ts';
import { nobody } from './account-checks.ts';
import { type Check, Differs, given, reading, refusedWith, type Stage, same, writing } from './check.ts';

// One pixel, and the shortest document.
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = 'JVBERi0xLjQKJSVFT0YK';

function fileOf(filename: string, mimeType: string, base64: string): MediaFile & { bytes: Buffer } {
  const bytes = Buffer.from(base64, 'base64');
  const open = () => Readable.from([bytes], { objectMode: false });
  return { filename, mimeType, sizeBytes: bytes.length, open, bytes };
}
export const picture = fileOf('pixel.png', 'image/png', png);
export const paper = fileOf('paper.pdf', 'application/pdf', pdf);

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
  writing('header of a template is uploaded in pieces', async ({ provider, connection, appId }) => {
    if (appId === null) throw new Differs('an app', 'none');
    given(await provider.uploadTemplateHeader(connection, appId, picture));
  }),
];
