// The outbound client in the dress of `fetch`, for libraries that bring their own protocol and take a transport. What
// they call is judged like every other call that leaves the service.
import type { Outbound, OutboundRequest } from './outbound.ts';

type Init = {
  method?: string;
  headers?: ConstructorParameters<typeof Headers>[0];
  body?: unknown;
  signal?: AbortSignal | null;
};
type Terms = { livemode: boolean; timeoutMs: number; maxResponseBytes: number };

/** Redirects are not followed: their answer is handed over as it is. Only text bodies can be sent. */
export function fetchThrough(outbound: Outbound, { livemode, timeoutMs, maxResponseBytes }: Terms) {
  return async (url: string | URL, init: Init = {}): Promise<Response> => {
    const result = await outbound.request({
      livemode,
      url: String(url),
      method: (init.method ?? 'GET') as OutboundRequest['method'],
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body !== undefined && init.body !== null && { body: textOf(init.body) }),
      timeoutMs,
      maxResponseBytes,
      ...(init.signal && { signal: init.signal }),
    });
    if (!result.ok) throw new OutboundRefused(result.reason);
    if (result.truncated) throw new OutboundRefused(`The answer is longer than ${maxResponseBytes} bytes.`);
    const empty = [101, 204, 205, 304].includes(result.status);
    const answer = new Response(empty ? null : new Uint8Array(result.body), {
      status: result.status,
      headers: headersOf(result.headers),
    });
    // Libraries look at where an answer came from, and a made response has no address of its own.
    Object.defineProperty(answer, 'url', { value: String(url) });
    return answer;
  };
}

/** Why nothing was fetched, in a sentence fit for a tenant's eyes. */
export class OutboundRefused extends Error {
  override name = 'OutboundRefused';
}

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('only text can be sent');
}

function headersOf(headers: Record<string, string | string[] | undefined>): Headers {
  const made = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) made.append(name, one);
  }
  return made;
}
