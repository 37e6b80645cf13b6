// Proves a certificate of consents with nothing but the published keys, as `godwit privacy verify` does: that one of them signed
// it, that every link follows from its own content, and that the words are those that were hashed. The page that shows it did the
// sums itself, and trusts nobody's answer.
import type { CertifiedConsent, ConsentCertificateClaims } from '@godwit/sdk';

/** Why a certificate does not hold; of its words there is a sentence for each. */
export type Fault =
  | 'noStatement'
  | 'otherType'
  | 'unknownKey'
  | 'otherAlgorithm'
  | 'unreadableKey'
  | 'signature'
  | 'beyondHead'
  | 'notHead'
  | 'outOfOrder'
  | 'notFollowing'
  | 'content'
  | 'unknownDetail'
  | 'detail'
  | 'somebodyElse';

export type Verdict =
  | { holds: true; claims: ConsentCertificateClaims }
  /** The link at fault, where it is one. */
  | { holds: false; fault: Fault; sequence: string | null };

class Broken extends Error {
  readonly fault: Fault;
  readonly sequence: string | null;

  constructor(fault: Fault, sequence: string | null = null) {
    super(fault);
    this.fault = fault;
    this.sequence = sequence;
  }
}

const type = 'consent-certificate+jwt';
type PublicKey = { kty: string; crv: string; x: string; y?: string; kid: string; alg: string };

export async function verifyCertificate(certificate: string, keys: readonly unknown[]): Promise<Verdict> {
  try {
    const claims = (await signedClaims(certificate, keys)) as ConsentCertificateClaims;
    let before: CertifiedConsent | null = null;
    for (const link of claims.consents) {
      const fault = await faultOf(claims, link, before);
      if (fault !== null) throw new Broken(fault, link.sequence);
      before = link;
    }
    return { holds: true, claims };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { holds: false, fault: error.fault, sequence: error.sequence };
  }
}

/** The certificate in a text: alone, or as the answer of the API that holds it. */
export function certificateIn(text: string): string {
  try {
    const { certificate } = JSON.parse(text);
    if (typeof certificate === 'string') return certificate;
  } catch {
    // It stands alone.
  }
  return text.trim();
}

async function signedClaims(certificate: string, keys: readonly unknown[]): Promise<object> {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(certificate);
  if (!parts) throw new Broken('noStatement');
  const [, head, claims, signature] = parts as unknown as [string, string, string, string];
  const header = readPart(head) as { alg?: unknown; kid?: unknown; typ?: unknown };
  if (header.typ !== type) throw new Broken('otherType');
  const known = (keys as Partial<PublicKey>[]).find(({ kid }) => kid !== undefined && kid === header.kid);
  if (!known) throw new Broken('unknownKey');
  if (known.alg !== header.alg) throw new Broken('otherAlgorithm');
  if (!(await isSignedBy(known as PublicKey, `${head}.${claims}`, signature))) throw new Broken('signature');
  return readPart(claims);
}

async function isSignedBy(known: PublicKey, text: string, signature: string): Promise<boolean> {
  const { kty, crv, x, y, alg } = known;
  const [by, how] =
    alg === 'ES256'
      ? [
          { name: 'ECDSA', namedCurve: 'P-256' },
          { name: 'ECDSA', hash: 'SHA-256' },
        ]
      : [{ name: 'Ed25519' }, { name: 'Ed25519' }];
  const parts = { kty, crv, x, ...(y !== undefined && { y }) };
  const key = await crypto.subtle.importKey('jwk', parts, by, false, ['verify']).catch(() => {
    throw new Broken('unreadableKey');
  });
  const raw = fromBase64Url(signature);
  // More than one text can stand for the same bytes; the one that was issued is meant.
  if (toBase64Url(raw) !== signature) return false;
  return crypto.subtle.verify(how, key, raw, utf8(text));
}

async function faultOf(
  { accountSid, livemode, identities, head }: ConsentCertificateClaims,
  link: CertifiedConsent,
  before: CertifiedConsent | null,
): Promise<Fault | null> {
  const [sequence, last] = [BigInt(link.sequence), BigInt(head.sequence)];
  if (sequence > last) return 'beyondHead';
  if (sequence === last && link.hash !== head.hash) return 'notHead';
  const distance = before && sequence - BigInt(before.sequence);
  if (distance !== null && distance <= 0n) return 'outOfOrder';
  if (distance === 1n && link.previousHash !== before!.hash) return 'notFollowing';
  if ((await linkHash(link)) !== link.hash) return 'content';
  const record = JSON.parse(link.payload) as Record<string, unknown>;
  const commitment = typeof record.detail === 'string' ? record.detail : null;
  // Words that were forgotten are missing here as they are in the ledger.
  if (link.detail && commitment === null) return 'unknownDetail';
  if (link.detail && (await commitmentTo(link.detail)) !== commitment) return 'detail';
  const isTheirs = record.accountSid === accountSid && record.livemode === livemode;
  return isTheirs && identities.includes(String(record.contactSid)) ? null : 'somebodyElse';
}

/** SHA-256 of the hash before, the sequence as 8 bytes (big-endian) and the payload. */
async function linkHash({ sequence, previousHash, payload }: CertifiedConsent): Promise<string> {
  const number = new DataView(new ArrayBuffer(8));
  number.setBigInt64(0, BigInt(sequence));
  const pieces = [fromHex(previousHash), new Uint8Array(number.buffer), utf8(payload)];
  const bytes = await new Blob(pieces).arrayBuffer();
  return toHex(await crypto.subtle.digest('SHA-256', bytes));
}

/** HMAC-SHA-256 of the words under their salt. */
async function commitmentTo({ salt, text }: { salt: string; text: string }): Promise<string> {
  const by = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', fromHex(salt), by, false, ['sign']);
  return toHex(await crypto.subtle.sign(by, key, utf8(text)));
}

function readPart(part: string): object {
  try {
    const value = JSON.parse(new TextDecoder().decode(fromBase64Url(part)));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // said below
  }
  throw new Broken('noStatement');
}

const utf8 = (text: string) => new TextEncoder().encode(text);

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    throw new Broken('noStatement');
  }
}

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const fromHex = (text: string) =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const toHex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
