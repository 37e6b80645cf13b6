// Passwords are stored as argon2id. Each hash takes memory and a core for a while, so only a few run at once: whoever
// comes on top is asked to come back, and the rest of the service goes on.
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { equalInConstantTime } from '../../../platform/hashing.ts';
import { quotaReached } from '../../../platform/http/limits/rate-limit.ts';

type Cost = { memory: number; passes: number; parallelism: number };

// The first of the settings OWASP recommends as equals: 19 MiB, two passes, one lane.
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const saltBytes = 16;
const maxAtOnce = 2;

const derive = promisify(argon2);

let running = 0;
let made = 0;

/** How many hashes this process has made: every sign-in costs the same number, whoever signs in. */
export const hashesMade = (): number => made;

export type Hasher = {
  hash(password: string): Promise<string>;
  /** Null stands for a person who does not exist, and costs as much as one who does. */
  matches(password: string, stored: string | null): Promise<boolean>;
};

/** Lends one of the few places. There is no queue: waiting would only move the attack from the cores to the memory. */
export async function withHasher<T>(work: (hasher: Hasher) => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) {
    throw quotaReached({ name: 'passwords', quota: maxAtOnce }, 1);
  }
  running += 1;
  try {
    return await work({ hash, matches });
  } finally {
    running -= 1;
  }
}

async function hash(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return format(cost, salt, await tagOf(password, salt, cost));
}

async function matches(password: string, stored: string | null): Promise<boolean> {
  const { salt, tag, ...known } = parse(stored ?? nobody);
  const found = await tagOf(password, salt, known);
  return equalInConstantTime(found, tag) && stored !== null;
}

function tagOf(password: string, salt: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  made += 1;
  return derive('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength });
}

/** True for a hash made at another cost: it is made anew when its password is next seen. */
export function isOutdated(stored: string): boolean {
  const { memory, passes, parallelism } = parse(stored);
  return memory !== cost.memory || passes !== cost.passes || parallelism !== cost.parallelism;
}

// The usual text form: $argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>, in base64 without padding.
const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function format({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

function parse(stored: string): Cost & { salt: Buffer; tag: Buffer } {
  const parts = form.exec(stored);
  if (!parts) throw new Error('a stored password is not in argon2id form');
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number];
  return {
    memory,
    passes,
    parallelism,
    salt: Buffer.from(parts[4]!, 'base64'),
    tag: Buffer.from(parts[5]!, 'base64'),
  };
}

// Hashed against when there is no such person. No password has this tag.
const nobody = format(cost, Buffer.alloc(saltBytes), Buffer.alloc(tagLength));
