// One way to call the API: as the person whose cookie the browser holds, with the token that proves this page asks.

let csrfToken = null;
// A browser may hold a session of each environment: this tab says which one is its own, also after a reload.
let environment = sessionStorage.getItem('environment');

export class Refusal extends Error {
  constructor({ code, message, details = [] }) {
    super([message, ...details.map(({ path, issue }) => `${path} ${issue}`)].join(' '));
    this.code = code;
    this.details = details;
  }
}

export function useSession(session) {
  csrfToken = session?.csrfToken ?? null;
  useEnvironment(session?.environment ?? null);
}

function useEnvironment(named) {
  environment = named;
  if (named) sessionStorage.setItem('environment', named);
  else sessionStorage.removeItem('environment');
}

/** The session this tab had, or the one this browser has; where it has two, the sandbox is the safer one. */
export async function findSession() {
  try {
    return await api('GET', '/auth/session');
  } catch (error) {
    if (error.code !== 'VALIDATION_ERROR') throw error;
    useEnvironment('sandbox');
    return api('GET', '/auth/session');
  }
}

export async function api(method, path, body) {
  const answer = await fetch(`/v1${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(environment && { 'x-environment': environment }),
      ...(method !== 'GET' && { 'idempotency-key': crypto.randomUUID() }),
      ...(method !== 'GET' && csrfToken && { 'x-csrf-token': csrfToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const content = text ? JSON.parse(text) : null;
  if (!answer.ok) throw new Refusal(content.error);
  return content;
}

/** Signs in; after several failures the service asks for a second of work first. */
export async function signIn(credentials) {
  try {
    return await api('POST', '/auth/sign-in', credentials);
  } catch (error) {
    if (error.code !== 'CAPTCHA_REQUIRED') throw error;
    const captcha = await solve(await api('GET', '/auth/challenge'));
    return api('POST', '/auth/sign-in', { ...credentials, captcha });
  }
}

/** Counts up until the derived key begins as the challenge wants. */
async function solve({ parameters, signature }) {
  const { nonce, salt, cost, keyLength = 32, keyPrefix } = parameters;
  const start = bytesOf(nonce);
  const attempt = new Uint8Array(start.length + 4);
  attempt.set(start);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', iterations: cost, salt: bytesOf(salt) };
  for (let counter = 0; ; counter += 1) {
    new DataView(attempt.buffer).setUint32(start.length, counter);
    const key = await crypto.subtle.importKey('raw', attempt, 'PBKDF2', false, ['deriveBits']);
    const derived = new Uint8Array(await crypto.subtle.deriveBits(derivation, key, keyLength * 8));
    const derivedKey = hexOf(derived);
    if (derivedKey.startsWith(keyPrefix)) {
      return btoa(
        JSON.stringify({ challenge: { parameters, signature }, solution: { counter, derivedKey } }),
      );
    }
  }
}

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
