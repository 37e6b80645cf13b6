// HMAC and SHA-256 by WebCrypto, which browsers, Node, Deno, Bun and workers all have.
const encoder = new TextEncoder();

export type Bytes = Uint8Array<ArrayBuffer>;

export const bytesOf = (content: string | Uint8Array): Bytes =>
  typeof content === 'string' ? encoder.encode(content) : new Uint8Array(content);

export const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

export const sha256Hex = async (content: string | Uint8Array): Promise<string> =>
  hexOf(await crypto.subtle.digest('SHA-256', bytesOf(content)));

const hmac = { name: 'HMAC', hash: 'SHA-256' };

const keyOf = (secret: string, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, [use]);

export const hmacHex = async (secret: string, content: string | Uint8Array): Promise<string> =>
  hexOf(await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), bytesOf(content)));

/** Compares in constant time. */
export async function hmacHolds(secret: string, content: Uint8Array, hex: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return false;
  const given = Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.verify('HMAC', await keyOf(secret, 'verify'), given, bytesOf(content));
}
