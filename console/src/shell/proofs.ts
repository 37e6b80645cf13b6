// Passkeys and the work asked for after failed sign-ins: what the browser itself proves.
import type { SignInChallenge } from '@godwit/sdk';

type Json = Record<string, unknown>;

export async function createPasskey(options: Json): Promise<string> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return asText(await navigator.credentials.create({ publicKey }));
}

export async function presentPasskey(options: Json): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return asText(await navigator.credentials.get({ publicKey }));
}

const asText = (credential: Credential | null) =>
  JSON.stringify((credential as PublicKeyCredential).toJSON());

type Parameters = { nonce: string; salt: string; cost: number; keyLength?: number; keyPrefix: string };

/** Counts up until the derived key begins as the challenge wants. */
export async function solve({ parameters, signature }: SignInChallenge): Promise<string> {
  const { nonce, salt, cost, keyLength = 32, keyPrefix } = parameters as Parameters;
  const start = bytesOf(nonce);
  const attempt = new Uint8Array(start.length + 4);
  attempt.set(start);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', iterations: cost, salt: bytesOf(salt) };
  for (let counter = 0; ; counter += 1) {
    new DataView(attempt.buffer).setUint32(start.length, counter);
    const key = await crypto.subtle.importKey('raw', attempt, 'PBKDF2', false, ['deriveBits']);
    const derivedKey = hexOf(await crypto.subtle.deriveBits(derivation, key, keyLength * 8));
    if (derivedKey.startsWith(keyPrefix))
      return btoa(
        JSON.stringify({ challenge: { parameters, signature }, solution: { counter, derivedKey } }),
      );
  }
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
