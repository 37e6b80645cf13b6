// Sound: every frame or page in turn to the end of the file, which tells a whole recording from a cut one.
import type { FileBytes } from './file-bytes.ts';
import { formatOf } from './formats.ts';
import { holdsForeign } from './polyglots.ts';
import { Refusal } from './reasons.ts';

const leastFrames = 3;

const refuseTooLong = (file: FileBytes, mimeType: string) => {
  const { maxBytes } = formatOf(mimeType);
  if (file.size > maxBytes) throw new Refusal('TOO_LARGE', `At most ${maxBytes} bytes of ${mimeType}.`);
};

/** Pages of an Ogg file, each saying how long it is. The provider takes Opus, and of that only mono. */
export async function readOgg(file: FileBytes): Promise<string> {
  refuseTooLong(file, 'audio/ogg');
  let ended = false;
  for (let at = 0; at < file.size; ) {
    const head = await file.read(at, 27);
    if (head.toString('latin1', 0, 4) !== 'OggS') throw new Refusal(ended ? 'POLYGLOT' : 'CORRUPT');
    const segments = head[26]!;
    const isLast = (head[5]! & 0x04) !== 0;
    const bodyBytes = (await file.read(at + 27, segments)).reduce((sum, length) => sum + length, 0);
    const bodyAt = at + 27 + segments;
    if (at === 0) judgeOpus(await file.read(bodyAt, Math.min(19, bodyBytes)));
    at = bodyAt + bodyBytes;
    ended = isLast;
    if (at > file.size) throw new Refusal('CORRUPT', 'Its end is missing.');
  }
  if (!ended) throw new Refusal('CORRUPT', 'Its end is missing.');
  return 'audio/ogg';
}

function judgeOpus(header: Buffer): void {
  if (header.toString('latin1', 0, 8) !== 'OpusHead')
    throw new Refusal('UNSUPPORTED_FORM', 'Ogg must hold Opus.');
  if (header[9] !== 1) throw new Refusal('UNSUPPORTED_FORM', 'Ogg must be mono.');
}

// Bytes of a frame of each mode, with its header.
const amrFrameBytes = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1];

export async function readAmr(file: FileBytes): Promise<string> {
  refuseTooLong(file, 'audio/amr');
  let frames = 0;
  for (let at = 6; at < file.size; frames += 1) {
    const mode = ((await file.read(at, 1))[0]! >> 3) & 0x0f;
    const bytes = amrFrameBytes[mode]!;
    if (bytes === 0 || at + bytes > file.size) throw new Refusal('CORRUPT');
    at += bytes;
  }
  if (frames < leastFrames) throw new Refusal('CORRUPT');
  return 'audio/amr';
}

export async function readAac(file: FileBytes): Promise<string> {
  refuseTooLong(file, 'audio/aac');
  let frames = 0;
  for (let at = 0; at < file.size; frames += 1) {
    const head = await file.read(at, Math.min(7, file.size - at));
    const isFrame = head.length === 7 && head[0] === 0xff && (head[1]! & 0xf6) === 0xf0;
    if (!isFrame) {
      await refuseRest(file, at);
      break;
    }
    const bytes = ((head[3]! & 0x03) << 11) | (head[4]! << 3) | (head[5]! >> 5);
    if (bytes < 7 || at + bytes > file.size) throw new Refusal('CORRUPT');
    at += bytes;
  }
  if (frames < leastFrames) throw new Refusal('CORRUPT');
  return 'audio/aac';
}

export async function readMp3(file: FileBytes): Promise<string> {
  refuseTooLong(file, 'audio/mpeg');
  let at = await skipTag(file);
  let frames = 0;
  for (; at + 4 <= file.size; frames += 1) {
    const bytes = mp3FrameBytes(await file.read(at, 4));
    if (bytes === null) break;
    at += bytes;
  }
  if (frames < leastFrames) throw new Refusal('CORRUPT');
  // Encoders often leave the very last frame short.
  if (at < file.size) await refuseRest(file, at);
  return 'audio/mpeg';
}

/** An ID3 tag before the sound, and the padding behind it. */
async function skipTag(file: FileBytes): Promise<number> {
  const head = await file.read(0, 10);
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [a, b, c, d] = [head[6]!, head[7]!, head[8]!, head[9]!];
  let at = 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (head[5]! & 0x10 ? 10 : 0);
  while (at < file.size && (await file.read(at, 1))[0] === 0) at += 1;
  return at;
}

const bitratesOfMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitratesOfMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates: Record<number, number[]> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};

/** Null for what is no frame of layer III. */
function mp3FrameBytes(head: Buffer): number | null {
  if (head[0] !== 0xff || (head[1]! & 0xe6) !== 0xe2) return null;
  const version = (head[1]! >> 3) & 0x03;
  const bitrate = (version === 3 ? bitratesOfMpeg1 : bitratesOfMpeg2)[head[2]! >> 4];
  const sampleRate = sampleRates[version]?.[(head[2]! >> 2) & 0x03];
  if (!bitrate || !sampleRate) return null;
  const padding = (head[2]! >> 1) & 0x01;
  return Math.floor(((version === 3 ? 144_000 : 72_000) * bitrate) / sampleRate) + padding;
}

const tagMarks = ['TAG', 'APETAGEX', 'LYRICSBEGIN', 'ID3', '3DI'];

/** Behind the sound stand at most tags and padding. */
async function refuseRest(file: FileBytes, at: number): Promise<void> {
  const rest = await file.read(at, file.size - at);
  if (holdsForeign(rest)) throw new Refusal('POLYGLOT', 'Something else hangs behind the sound.');
  const isTag = tagMarks.some((mark) => rest.subarray(0, mark.length).toString('latin1') === mark);
  if (!isTag && rest.some((byte) => byte !== 0)) throw new Refusal('CORRUPT');
}
