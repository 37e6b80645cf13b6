import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { sha256 } from './hashing.ts';

// A sealed value is, in order: version (1 byte), key id (4), IV (12), ciphertext, tag (16).
const VERSION = 1;
const KEY_ID_AT = 1;
const IV_AT = 5;
const TEXT_AT = 17;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';

// Enough for the contexts in use at one time; deriving a key again costs only microseconds.
const CACHED_KEYS = 1_000;

/** The material is a KeyObject because that prints and serialises without showing its bytes. */
export type MasterKey = { readonly id: string; readonly material: KeyObject };

export type Sealer = {
  /** The context says what the secret is and whose; only the same context opens it again. */
  seal(plaintext: string | Buffer, context: string): Buffer;
  /** Throws SealBroken if the value was changed, belongs to another context or to an unknown key. */
  open(sealed: Buffer, context: string): Buffer;
  /** True if the value was sealed under an older key, which can be retired once nothing needs it. */
  needsResealing(sealed: Buffer): boolean;
  /** A key for another purpose, such as signing cursors. It changes when the first master key does. */
  derive(purpose: string): Buffer;
  /** The same for every master key, the current one first: for what was signed before the keys were changed. */
  deriveEach(purpose: string): Buffer[];
};

/** Says nothing of the cause: what broke is of use only to whoever broke it. */
export class SealBroken extends Error {
  override name = 'SealBroken';

  constructor() {
    super('The sealed value cannot be opened.');
  }
}

export function generateMasterKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** Reads master keys separated by commas: the first seals, all of them open. */
export function parseMasterKeys(text: string): MasterKey[] {
  return text.split(',').map((part, i) => {
    const encoded = part.trim();
    const bytes = Buffer.from(encoded, 'base64');
    // Buffer.from skips what it cannot read, so a mistyped key shows only on the way back.
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== encoded) {
      throw new Error(`Master key ${i + 1} must be ${KEY_BYTES} bytes in base64, which is 44 characters.`);
    }
    return { id: sha256(bytes).toString('hex', 0, 4), material: createSecretKey(bytes) };
  });
}

/**
 * Each context has its own key, derived from the master key, rather than one key for all with the context
 * as associated data. Both bind the context, but AES-GCM with random IVs is safe for only 2^32 values under
 * one key, a number a busy platform could reach and no single context will.
 */
export function createSealer(masterKeys: readonly MasterKey[]): Sealer {
  const [current] = masterKeys;
  if (!current) throw new Error('A sealer needs at least one master key.');
  const keysById = new Map(masterKeys.map((key) => [key.id, key]));
  if (keysById.size < masterKeys.length) throw new Error('A master key is listed twice.');
  const keyFor = cachedDerivation();

  return {
    seal(plaintext, context) {
      const iv = randomBytes(TEXT_AT - IV_AT);
      const cipher = createCipheriv(CIPHER, keyFor(current, `seal/${context}`), iv);
      const ciphertext = cipher.update(plaintext);
      // GCM holds nothing back until the end, so final() only completes the tag.
      cipher.final();
      return Buffer.concat([headerOf(current), iv, ciphertext, cipher.getAuthTag()]);
    },

    open(sealed, context) {
      if (sealed.length < TEXT_AT + TAG_BYTES || sealed[0] !== VERSION) throw new SealBroken();
      const key = keysById.get(keyIdOf(sealed));
      if (!key) throw new SealBroken();
      return decrypt(sealed, keyFor(key, `seal/${context}`));
    },

    needsResealing: (sealed) => sealed[0] !== VERSION || keyIdOf(sealed) !== current.id,

    // A copy, so that nobody can change the cached key under the others.
    derive: (purpose) => keyFor(current, `derive/${purpose}`).export(),
    deriveEach: (purpose) => masterKeys.map((key) => keyFor(key, `derive/${purpose}`).export()),
  };
}

/** The same, with secrets of the operator's own for some purposes in place of keys derived from the master keys. */
export const withOwnSecrets = (sealer: Sealer, secrets: Record<string, readonly string[]>): Sealer => ({
  ...sealer,
  deriveEach(purpose) {
    const own = secrets[purpose] ?? [];
    return own.length > 0 ? own.map((secret) => Buffer.from(secret, 'utf8')) : sealer.deriveEach(purpose);
  },
});

function headerOf(key: MasterKey): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(key.id, 'hex')]);
}

function keyIdOf(sealed: Buffer): string {
  return sealed.toString('hex', KEY_ID_AT, IV_AT);
}

function decrypt(sealed: Buffer, key: KeyObject): Buffer {
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(IV_AT, TEXT_AT), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(TEXT_AT, tagAt));
  try {
    decipher.final();
  } catch {
    throw new SealBroken();
  }
  return plaintext;
}

/** Derived keys, the least recently used forgotten first: a Map keeps the order in which entries were set. */
function cachedDerivation(): (master: MasterKey, info: string) => KeyObject {
  // Key objects and not bytes: of bytes Node makes a key object at every use, which takes ten times the sealing.
  const cache = new Map<string, KeyObject>();
  return (master, info) => {
    const name = `${master.id}/${info}`;
    const key =
      cache.get(name) ??
      createSecretKey(Buffer.from(hkdfSync('sha256', master.material, '', info, KEY_BYTES)));
    cache.delete(name);
    cache.set(name, key);
    if (cache.size > CACHED_KEYS) cache.delete(cache.keys().next().value!);
    return key;
  };
}
