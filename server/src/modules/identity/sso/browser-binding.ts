// Ties a sign-in at a provider to the browser that began it: a random value in a cookie, of which the request keeps the
// hash. Whoever is handed somebody else's link to finish has no such cookie.
import { sha256 } from '../../../platform/hashing.ts';
import { randomToken } from '../../../platform/ids.ts';

type Mode = 'redirect' | 'form';

// A provider that answers with a form posts across sites, where a Lax cookie is not sent.
const cookies: Record<Mode, { name: string; sameSite: string }> = {
  redirect: { name: '__Host-godwit-sso', sameSite: 'Lax' },
  form: { name: '__Host-godwit-sso-form', sameSite: 'None' },
};

export const requestMinutes = 10;

/** The browser's value: kept while it is fresh, so that two tabs can sign in side by side. */
export function bindingFor(mode: Mode, cookieHeader: string | undefined): string {
  return readBinding(mode, cookieHeader) ?? randomToken(32);
}

export function readBinding(mode: Mode, cookieHeader: string | undefined): string | null {
  for (const pair of (cookieHeader ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookies[mode].name && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return null;
}

export function bindingCookie(mode: Mode, value: string): string {
  const { name, sameSite } = cookies[mode];
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${requestMinutes * 60}`;
}

export const hashBinding = (value: string): Buffer => sha256(value);
