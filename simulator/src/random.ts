// Everything that looks accidental follows from the seed: the same seed and the same calls give the same ids.
import { createHash } from 'node:crypto';

export type Random = {
  /** From 0 up to, but not including, 1. */
  fraction(): number;
  /** A decimal id as the provider gives them, never twice. */
  id(): string;
  /** The id of a message to or from a number. */
  messageId(digits: string, nowMs: number): string;
  /** Letters and digits. */
  word(length: number): string;
  reseed(seed: string): void;
};

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function createRandom(seed: string): Random {
  let next = generator(seed);
  let count = 0;
  const word = (length: number) => {
    let text = '';
    while (text.length < length) text += letters[Math.floor(next() * letters.length)];
    return text;
  };
  return {
    fraction: () => next(),
    word,
    id() {
      count += 1;
      // Nine random digits between a leading one and the count, which alone makes it the only one of its kind.
      const middle = String(Math.floor(next() * 1e9)).padStart(9, '0');
      return `1${middle}${String(count).padStart(6, '0')}`;
    },
    messageId(digits, nowMs) {
      count += 1;
      // The time keeps ids of a later run apart from those a client may still remember from an earlier one.
      const tail = (nowMs.toString(16) + hex(count, 3) + hex(Math.floor(next() * 0x10000), 4)).toUpperCase();
      const bytes = Buffer.from(
        `\x1c\x18${String.fromCharCode(digits.length)}${digits}\x15\x02\x00\x11\x18\x12${tail}\x00`,
        'latin1',
      );
      return `wamid.${bytes.toString('base64')}`;
    },
    reseed(newSeed) {
      next = generator(newSeed);
      count = 0;
    },
  };
}

// Wraps around every 4096 ids: together with the millisecond and the random part it need not go further.
const hex = (value: number, width: number) => (value % 16 ** width).toString(16).padStart(width, '0');

/** A small generator of good spread (sfc32), seeded from a digest so that similar seeds share nothing. */
function generator(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];
  const step = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
  for (let i = 0; i < 12; i += 1) step();
  return step;
}
