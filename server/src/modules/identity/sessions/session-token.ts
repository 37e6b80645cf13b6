// A browser's session: a random token in a cookie only the server reads, stored hashed, and a second value the page
// must repeat in a header, which another site can neither read nor send. Each environment has its own cookie, so that
// both can be open side by side.
import { equalInConstantTime, hmacSha256, sha256 } from '../../../platform/hashing.ts';
import { randomToken } from '../../../platform/ids.ts';
import type { Sealer } from '../../../platform/sealing.ts';

export type Environment = 'live' | 'sandbox';
export const environmentOf = (livemode: boolean): Environment => (livemode ? 'live' : 'sandbox');

// The prefix makes browsers insist on Secure, Path=/ and no Domain.
export const cookieName = (environment: Environment): string => `__Host-godwit-session-${environment}`;
// What sessions of either environment were kept in before; none is set any more.
const formerCookieName = '__Host-godwit-session';

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

const written = (name: string, token: string, maxAgeSeconds: number) =>
  `${name}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;

export const sessionCookie = (livemode: boolean, token: string, maxAgeSeconds: number): string =>
  written(cookieName(environmentOf(livemode)), token, maxAgeSeconds);

export const endedCookie = (livemode: boolean): string => sessionCookie(livemode, '', 0);

/** Takes back whatever sessions a browser holds. */
export const endedCookies: string[] = [cookieName('live'), cookieName('sandbox'), formerCookieName].map(
  (name) => written(name, '', 0),
);

/** What a browser holds; `former` may be of either environment. */
export type HeldTokens = { live: string | null; sandbox: string | null; former: string | null };

export function heldTokens(cookies: string | null | undefined): HeldTokens {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  const find = (wanted: string) =>
    pairs.find(([name, value]) => name === wanted && /^[A-Za-z0-9_-]{43}$/.test(value ?? ''))?.[1] ?? null;
  return {
    live: find(cookieName('live')),
    sandbox: find(cookieName('sandbox')),
    former: find(formerCookieName),
  };
}

/** Tokens, the best first, and the environment their session must be of; null where either will do. */
export type Presented = { tokens: string[]; livemode: boolean | null };

/** The tokens that may stand for an environment. */
export const tokensOf = (held: HeldTokens, environment: Environment): Presented => ({
  tokens: present(held[environment], held.former),
  livemode: environment === 'live',
});

/**
 * The token of a request that names no environment. Where a session of each is held nobody can tell which is meant, and
 * a guess would show somebody the other environment as soon as one of the two ends.
 */
export function onlyToken({ live, sandbox, former }: HeldTokens): Presented | 'ambiguous' {
  if (live && sandbox) return 'ambiguous';
  const livemode = live ? true : sandbox ? false : null;
  return { tokens: present(live ?? sandbox ?? former), livemode };
}

const present = (...tokens: (string | null)[]) => tokens.filter((token) => token !== null);
