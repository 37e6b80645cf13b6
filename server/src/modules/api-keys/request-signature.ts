// Signed requests: HMAC-SHA256 over method, path, query, time, nonce and body, so that nothing of the request can be
// changed on the way and nothing of it can be sent again.
import { equalInConstantTime, hmacSha256 } from '../../platform/hashing.ts';

export const toleranceSeconds = 300;

export type SignedParts = {
  method: string;
  url: string;
  timestamp: string;
  nonce: string;
  /** In hexadecimal, of the body exactly as it was sent. */
  bodySha256: string;
};

/** The text that is signed, one item a line. */
export function canonicalRequest({ method, url, timestamp, nonce, bodySha256 }: SignedParts): string {
  const [path = '', query = ''] = splitOnce(url, '?');
  return [
    'v1',
    method.toUpperCase(),
    normalPath(path),
    normalQuery(query),
    timestamp,
    nonce,
    bodySha256,
  ].join('\n');
}

export function signatureOf(secret: string, parts: SignedParts): string {
  return `v1=${hmacSha256(secret, canonicalRequest(parts)).toString('hex')}`;
}

export function signatureHolds(secret: string, parts: SignedParts, signature: string): boolean {
  return equalInConstantTime(signature, signatureOf(secret, parts));
}

export function isFresh(timestamp: string, now: Date): boolean {
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;
}

export const isNonce = (text: string): boolean => /^[A-Za-z0-9_-]{16,128}$/.test(text);

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Clients differ in what they escape; both sides sign the one RFC 3986 spelling. */
function normalPath(path: string): string {
  return path.split('/').map(normalPart).join('/');
}

function normalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => splitOnce(pair, '=').map((part) => normalPart(part.replaceAll('+', ' '))))
    .map(([name = '', value = '']) => [name, value] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function normalPart(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // Not percent-encoded text: it is signed as it stands.
  }
  return encodeURIComponent(plain.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
