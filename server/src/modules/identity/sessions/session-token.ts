// A browser's session: a random token in a cookie only the server reads, stored hashed, and a second value the page
// must repeat in a header, which another site can neither read nor send.
import { equalInConstantTime, hmacSha256, sha256 } from '../../../platform/hashing.ts';
import { randomToken } from '../../../platform/ids.ts';
import type { Sealer } from '../../../platform/sealing.ts';

// The prefix makes browsers insist on Secure, Path=/ and no Domain.
export const cookieName = '__Host-godwit-session';
export const csrfHeader = 'x-csrf-token';

export const newSessionToken = (): string => randomToken(32);
export const hashToken = (token: string): Buffer => sha256(token);

/** Derived from the token, so that it needs no storage and changes with the session. */
export function csrfTokenOf(sealer: Sealer, token: string): string {
  return hmacSha256(sealer.derive('csrf'), token).toString('base64url');
}

export function csrfHolds(sealer: Sealer, token: string, given: string | null): boolean {
  return given !== null && equalInConstantTime(given, csrfTokenOf(sealer, token));
}

export function sessionCookie(token: string, maxAgeSeconds: number): string {
  return `${cookieName}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
}

export const endedCookie = `${cookieName}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`;

export function readSessionCookie(header: string | null): string | null {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return null;
}
