import { createHmac, hash, timingSafeEqual } from 'node:crypto';

export type Bytes = string | Uint8Array;

export function sha256(data: Bytes): Buffer {
  return hash('sha256', data, 'buffer');
}

export function sha256Hex(data: Bytes): string {
  return hash('sha256', data, 'hex');
}

export function hmacSha256(key: Bytes, data: Bytes): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/** For hashes, whose length tells nothing. */
export function equalHashes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Both sides are hashed first, so that texts of any length compare and the time taken tells nothing of where they differ. */
export function equalInConstantTime(a: Bytes, b: Bytes): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/**
 * The one way to write a JSON value, by RFC 8785: equal values give equal text, fit to be hashed or signed.
 * A property that is undefined counts as absent. Whatever JSON would drop or bend is refused instead, since
 * two different values must never share a fingerprint.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      return canonicalNumber(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      // Array.from also visits holes, which map would skip.
      if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
      return canonicalObject(value);
    default:
      throw new TypeError(`Canonical JSON cannot hold a value of type ${typeof value}.`);
  }
}

function canonicalObject(value: object): string {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind !== 'Object')
    throw new TypeError(`Canonical JSON cannot hold a ${kind}; turn it into plain JSON first.`);
  // JavaScript sorts text by UTF-16 code units unless told otherwise, which is the order the RFC asks for.
  const members = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('Canonical JSON cannot hold a lone surrogate.');
  return JSON.stringify(text);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`Canonical JSON cannot hold ${value}.`);
  return JSON.stringify(value);
}
