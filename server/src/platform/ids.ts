import { randomBytes, randomFillSync } from 'node:crypto';

/** What each SID prefix names. */
export const sidPrefixes = {
  AC: 'account',
  WA: 'sender',
  SP: 'sender pool',
  WB: 'business messaging account',
  CT: 'contact',
  CO: 'conversation',
  SM: 'message',
  ME: 'media',
  HX: 'reusable content',
  TM: 'template',
  FL: 'flow',
  WH: 'webhook endpoint',
  EV: 'event',
  WD: 'webhook delivery',
  OP: 'asynchronous operation',
  DR: 'privacy request',
  SG: 'segment',
  SU: 'suppression',
  CV: 'consent record',
  MA: 'managed-onboarding application',
  IN: 'invoice',
  RC: 'top-up receipt',
  ST: 'monthly statement',
  CS: 'reconciliation case',
  CP: 'campaign',
  WF: 'workflow',
  WR: 'workflow run',
  OL: 'opt-in link',
  AP: 'approval',
  US: 'user',
  IB: 'inbox',
} as const;

export type SidPrefix = keyof typeof sidPrefixes;

/** The same as the contract writes it before `Sid`, such as `AccountSid`. */
export const sidTypes: Record<SidPrefix, string> = {
  AC: 'Account',
  WA: 'Sender',
  SP: 'SenderPool',
  WB: 'Waba',
  CT: 'Contact',
  CO: 'Conversation',
  SM: 'Message',
  ME: 'Media',
  HX: 'Content',
  TM: 'Template',
  FL: 'Flow',
  WH: 'WebhookEndpoint',
  EV: 'Event',
  WD: 'WebhookDelivery',
  OP: 'Operation',
  DR: 'PrivacyRequest',
  SG: 'Segment',
  SU: 'Suppression',
  CV: 'Consent',
  MA: 'ManagedApplication',
  IN: 'Invoice',
  RC: 'Receipt',
  ST: 'Statement',
  CS: 'ReconciliationCase',
  CP: 'Campaign',
  WF: 'Workflow',
  WR: 'WorkflowRun',
  OL: 'OptInLink',
  AP: 'Approval',
  US: 'User',
  IB: 'Inbox',
};

/** Draws a whole number of the given size from the random source; at most 6 bytes, so that it stays exact. */
export type Draw = (bytes: number) => number;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PAIRS = Array.from({ length: 1024 }, (_, i) => ALPHABET.charAt(i >> 5) + ALPHABET.charAt(i & 31));
const SID = /^[A-Z]{2}[0-9A-HJKMNP-TV-Z]{26}$/;
const MAX_TIME_MS = 2 ** 48 - 1;
const HALF = 2 ** 40;

// One system call buys randomness for a few hundred identifiers instead of one.
const pool = Buffer.alloc(4096);
let poolOffset = pool.length;

function drawFromPool(bytes: number): number {
  if (poolOffset + bytes > pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const drawn = pool.readUIntBE(poolOffset, bytes);
  poolOffset += bytes;
  return drawn;
}

/**
 * A sequence of SIDs: a prefix and a ULID, which is 48 bits of time and 80 of randomness. All prefixes share
 * one sequence. Within a millisecond the randomness grows by a random step, so that SIDs sort in the order
 * they were made, and yet one does not give away the next, nor two of them the exact number between.
 *
 * The 80 bits are kept as two halves of 40, since each half is an exact number and eight whole characters.
 */
export function sidSequence(draw: Draw): (prefix: SidPrefix, now: Date) => string {
  let clockMs = -1;
  let sidMs = -1;
  let timeText = '';
  let high = 0;
  let low = 0;

  function startAt(ms: number): void {
    sidMs = ms;
    timeText = base32(ms, 10);
    high = draw(5);
    low = draw(5);
  }

  function step(): void {
    low += 1 + draw(4);
    if (low < HALF) return;
    low -= HALF;
    high += 1;
    // With no room left the sequence borrows the next millisecond and waits there for the clock to catch up.
    if (high === HALF) startAt(sidMs + 1);
  }

  return (prefix, now) => {
    const nowMs = timeOf(now);
    // When the clock goes back the sequence follows it. Holding on to the later time would keep order, but
    // every SID would carry a wrong time for as long as the clock was off; 80 fresh bits keep them unique.
    const wentBack = nowMs < clockMs;
    clockMs = nowMs;
    if (wentBack || nowMs > sidMs) startAt(nowMs);
    else step();
    return prefix + timeText + base32(high, 8) + base32(low, 8);
  };
}

export const newSid = sidSequence(drawFromPool);

export function sidPattern(prefix: SidPrefix): string {
  return `^${prefix}[0-9A-HJKMNP-TV-Z]{26}$`;
}

export function isSid(prefix: SidPrefix, text: string): boolean {
  return text.startsWith(prefix) && SID.test(text);
}

/** The SID a path ends with; null when it ends otherwise. */
export function sidAtEnd(path: string): string | null {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return SID.test(last) ? last : null;
}

/** When a SID was made, to the millisecond. */
export function sidTime(sid: string): Date {
  if (!SID.test(sid)) throw new RangeError('Only a SID tells its time.');
  let ms = 0;
  for (const char of sid.slice(2, 12)) ms = ms * 32 + ALPHABET.indexOf(char);
  return new Date(ms);
}

/** The least SID of an instant: all made before it sort before it. */
export const firstSid = (prefix: SidPrefix, at: Date): string =>
  prefix + base32(timeOf(at), 10) + '0'.repeat(16);

/** A UUID of version 7: like a SID it begins with its time, so that indexes grow at one end. Not a secret. */
export function newUuid(now: Date): string {
  const time = hex(timeOf(now), 12);
  const version = 0x7000 + (drawFromPool(2) & 0x0fff);
  const variant = 0x8000 + (drawFromPool(2) & 0x3fff);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex(version, 4)}-${hex(variant, 4)}-${hex(drawFromPool(6), 12)}`;
}

/** Several at once, in order: the first is random, and the others follow it. */
export function newUuids(now: Date, count: number): string[] {
  const before = newUuid(now).slice(0, 24);
  const first = drawFromPool(5);
  return Array.from({ length: count }, (_, at) => before + hex(first + at, 12));
}

/** A secret for a machine to keep. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** Names a request in logs and answers. Not a secret, so it comes from the pool: a system call would cost 20 times as much. */
export function newRequestId(): string {
  return `req_${(base32(drawFromPool(5), 8) + base32(drawFromPool(5), 8)).toLowerCase()}`;
}

/** So many bytes in hexadecimal, for what is told apart by chance. Not a secret. */
export function randomHex(bytes: 8 | 16): string {
  let text = '';
  for (let drawn = 0; drawn < bytes; drawn += 4) text += hex(drawFromPool(4), 8);
  return text;
}

/** A secret that people may have to read aloud or type: one case, and no letters that look like digits. */
export function randomBase32(bytes: number): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of randomBytes(bytes)) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >> (bits - 5)) & 31);
  }
  if (bits > 0) text += ALPHABET.charAt((held << (5 - bits)) & 31);
  return text.toLowerCase();
}

function timeOf(now: Date): number {
  const ms = now.getTime();
  if (!(ms >= 0 && ms < MAX_TIME_MS)) throw new RangeError('An identifier needs a valid date, from 1970 on.');
  return ms;
}

// Two characters a turn; the lengths in use, 8 and 10, are even.
function base32(value: number, chars: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < chars; i += 2) {
    text = PAIRS[rest % 1024] + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
