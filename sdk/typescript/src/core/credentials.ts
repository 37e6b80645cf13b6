// How a request shows who sends it: by a key, by a signature, or by the cookie of a browser's session.
import type { GodwitError } from './errors.ts';
import { hmacHex, sha256Hex } from './hmac.ts';
import { encoded } from './paths.ts';

/** A request that is about to leave. */
export type Leaving = {
  method: string;
  /** As the service sees it, encoded. */
  path: string;
  query: [string, string][];
  /** Exactly as it is sent; empty where there is none. Given to those that sign. */
  body: Uint8Array;
};

export type Credentials = {
  /** Asked at every attempt, so that a signature is never sent twice. */
  headersFor(request: Leaving): Promise<Record<string, string>> | Record<string, string>;
  /** The body is needed as bytes. */
  signs?: true;
  /** The browser sends its cookies along. */
  sendsCookies?: true;
  /** Whether a refusal was about something that is known better now, so that the same request may pass. */
  renewedAfter?(error: GodwitError): boolean;
};

export const bearer = (key: string): Credentials => ({
  headersFor: () => ({ authorization: `Bearer ${key}` }),
});

export type SigningKey = {
  /** The public part of an API key. */
  keyId: string;
  /** Shown once, when the key was made or rotated. */
  signingSecret: string;
  /** The time, for tests. */
  now?: () => Date;
};

/** Signs every request instead of sending the key: docs/request-signing.md. */
export function signed({ keyId, signingSecret, now = () => new Date() }: SigningKey): Credentials {
  return {
    signs: true,
    async headersFor(request) {
      const timestamp = String(Math.floor(now().getTime() / 1000));
      const nonce = crypto.randomUUID();
      const text = await canonicalRequest({ ...request, timestamp, nonce });
      return {
        'x-service-key': keyId,
        'x-service-timestamp': timestamp,
        'x-service-nonce': nonce,
        'x-service-signature': `v1=${await hmacHex(signingSecret, text)}`,
      };
    },
  };
}

/** The seven lines that are signed. */
export async function canonicalRequest(
  request: Leaving & { timestamp: string; nonce: string },
): Promise<string> {
  const { method, path, query, timestamp, nonce, body } = request;
  const pairs = query.map(([name, value]) => [encoded(name), encoded(value)] as const);
  const inOrder = pairs.sort(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  const line = inOrder.map(([name, value]) => `${name}=${value}`).join('&');
  return ['v1', method.toUpperCase(), path, line, timestamp, nonce, await sha256Hex(body)].join('\n');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export type CookieOptions = {
  /** Reads the `csrfToken` of the session. Asked before the first write, and again when a write was refused for want of it. */
  csrfToken: () => Promise<string>;
  /** Which of the sessions the browser holds is meant; needed where it holds one of each environment. */
  environment?: 'live' | 'sandbox';
};

/** For a page of the service's own origin, where somebody has signed in. */
export function cookies({ csrfToken, environment }: CookieOptions): Credentials {
  const meant: Record<string, string> = environment ? { 'x-environment': environment } : {};
  let known: Promise<string> | null = null;
  return {
    sendsCookies: true,
    async headersFor({ method }): Promise<Record<string, string>> {
      if (method === 'GET') return meant;
      known ??= csrfToken();
      try {
        return { ...meant, 'x-csrf-token': await known };
      } catch (error) {
        known = null;
        throw error;
      }
    },
    renewedAfter(error) {
      const isAboutToken = error.details.some(({ path }) => path.toLowerCase() === 'x-csrf-token');
      if (isAboutToken) known = null;
      return isAboutToken;
    },
  };
}
