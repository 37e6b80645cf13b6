// Signed statements that anybody can hold against published keys: compact JWS (RFC 7515), made and verified.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { canonicalJson, sha256 } from '../hashing.ts';

export type Algorithm = 'ES256' | 'EdDSA';
export type SigningKey = { kid: string; alg: Algorithm; key: KeyObject };
/** A public key as a key set shows it. */
export type PublicKey = {
  kty: string;
  crv: string;
  x: string;
  y?: string;
  kid: string;
  alg: Algorithm;
  use: 'sig';
};

/** A new pair: what is published of it, and the private part to be sealed. */
export function makeSigningKey(alg: Algorithm): { published: PublicKey; privateDer: Buffer } {
  const { publicKey, privateKey } =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' }) as Record<'kty' | 'crv' | 'x', string> & {
    y?: string;
  };
  const parts = { kty, crv, x, ...(y !== undefined && { y }) };
  // The thumbprint of RFC 7638.
  const kid = sha256(canonicalJson(parts)).toString('base64url');
  return {
    published: { ...parts, kid, alg, use: 'sig' },
    privateDer: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

export const openSigningKey = (kid: string, alg: Algorithm, privateDer: Buffer): SigningKey => ({
  kid,
  alg,
  key: createPrivateKey({ key: privateDer, format: 'der', type: 'pkcs8' }),
});

const asPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signStatement({ kid, alg, key }: SigningKey, typ: string, claims: object): string {
  const signed = `${asPart({ alg, kid, typ })}.${asPart(claims)}`;
  const bytes = Buffer.from(signed);
  const signature =
    alg === 'ES256' ? sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }) : sign(null, bytes, key);
  return `${signed}.${signature.toString('base64url')}`;
}

/** Why a statement does not hold, in words for people. */
export class StatementBroken extends Error {}

/** What a statement says it is; null where it says nothing. Nobody has verified that yet. */
export function claimedType(statement: string): unknown {
  try {
    return (readPart(statement.split('.')[0]!) as { typ?: unknown }).typ ?? null;
  } catch {
    return null;
  }
}

/** The claims of a statement that one of these keys signed as `typ`; throws `StatementBroken` for any other. */
export function verifyStatement(statement: string, keys: readonly unknown[], typ: string): object {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(statement);
  if (!parts) throw new StatementBroken('it is no signed statement');
  const [, head, claims, signature] = parts as unknown as [string, string, string, string];
  const header = readPart(head) as { alg?: unknown; kid?: unknown; typ?: unknown };
  if (header.typ !== typ) throw new StatementBroken(`it is no ${typ}`);
  const known = keys.find((key) => isPublicKey(key) && key.kid === header.kid) as PublicKey | undefined;
  if (!known) throw new StatementBroken('none of the keys has signed it');
  if (known.alg !== header.alg) throw new StatementBroken('it is signed in another way than its key signs');
  const bytes = Buffer.from(`${head}.${claims}`);
  // More than one text can stand for the same bytes; the one that was issued is meant.
  const raw = Buffer.from(signature, 'base64url');
  if (raw.toString('base64url') !== signature || !isSignedBy(known, bytes, raw))
    throw new StatementBroken('its signature does not fit: it was changed');
  return readPart(claims);
}

function isPublicKey(key: unknown): key is PublicKey {
  const { kid, alg, crv } = (key ?? {}) as Record<string, unknown>;
  return (
    typeof kid === 'string' && (alg === 'EdDSA' ? crv === 'Ed25519' : alg === 'ES256' && crv === 'P-256')
  );
}

function isSignedBy(known: PublicKey, bytes: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: known as JsonWebKey, format: 'jwk' });
    return known.alg === 'ES256'
      ? verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)
      : verify(null, bytes, key, signature);
  } catch {
    throw new StatementBroken('its key cannot be read');
  }
}

function readPart(part: string): object {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // said below
  }
  throw new StatementBroken('it is no signed statement');
}
