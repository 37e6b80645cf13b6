// What the SDK asks of the service for a page, remembered in the page alone, so that people can ask the same by a program.
import type { Fetch } from '@godwit/sdk';

export type Request = {
  /** Under which a program asks for the same, once. */
  id: string;
  /** The address of the page that asked. */
  page: string;
  method: string;
  /** With its query. */
  path: string;
  /** JSON as it was sent, but for what proves who somebody is. */
  body: string | null;
  /** Null until it is answered, and where it never was. */
  status: number | null;
};

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
  const body = typeof init.body === 'string' ? withoutProofs(init.body) : null;
  const asked = { id, page: location.pathname, method: init.method ?? 'GET', path: url, body, status: null };
  keep([asked, ...kept]);
  const response = await send(url, init);
  keep(kept.map((one) => (one.id === id ? { ...one, status: response.status } : one)));
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

const withoutProofs = (body: string): string =>
  JSON.stringify(JSON.parse(body), (name, value: unknown) => (proofs.has(name) ? '…' : value));

/** For a shell, with a key in place of the session. */
export function asCurl({ id, method, path, body }: Request, origin: string): string {
  const isWrite = method !== 'GET';
  return [
    `curl -X ${method} ${quoted(`${origin}${path}`)}`,
    header('Authorization', 'Bearer $KEY'),
    ...(isWrite ? [header('Idempotency-Key', id)] : []),
    ...(body === null ? [] : [header('Content-Type', 'application/json'), `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

const header = (name: string, value: string) => `-H "${name}: ${value}"`;

/** As one word of a shell, whatever stands in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
