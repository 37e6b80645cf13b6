// What the SDK asks of the service for a page, remembered in the page alone, so that people can ask the same by a program.
import type { Fetch } from '@godwit/sdk';
import type { Request } from './programs/curl.ts';

const keptCount = 100;
let kept: readonly Request[] = [];
const listeners = new Set<() => void>();

/** The newest first. */
export const requests = {
  all: () => kept,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function keep(changed: readonly Request[]): void {
  kept = changed.slice(0, keptCount);
  for (const listener of listeners) listener();
}

const send: Fetch = globalThis.fetch.bind(globalThis);

/** Given to the SDK, which alone calls it. */
export const remembering: Fetch = async (url, init) => {
  const id = crypto.randomUUID();
  const body = typeof init.body === 'string' ? withoutProofs(url, init.body) : null;
  const unanswered = { status: null, requestId: null };
  const asked = { id, page: location.pathname, method: init.method ?? 'GET', path: url, body, ...unanswered };
  keep([asked, ...kept]);
  const response = await send(url, init);
  const answer = { status: response.status, requestId: response.headers.get('x-request-id') };
  keep(kept.map((one) => (one.id === id ? { ...one, ...answer } : one)));
  return response;
};

const proofs = new Set([
  'stepUpToken',
  'assertion',
  'response',
  'password',
  'currentPassword',
  'newPassword',
]);

/** The values of headers for an endpoint are secrets too, under a name that is none elsewhere. */
const isSecret = (url: string, name: string) =>
  proofs.has(name) || (name === 'value' && /\/webhooks\/[^/]+\/headers$/.test(url));

const withoutProofs = (url: string, body: string): string =>
  JSON.stringify(JSON.parse(body), (name, value: unknown) => (isSecret(url, name) ? '…' : value));
