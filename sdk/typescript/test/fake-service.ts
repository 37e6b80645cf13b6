// A service that says what a test tells it to, and a clock on which waiting costs nothing.
import { type ClientOptions, Godwit } from '@godwit/sdk';

export type Seen = { method: string; path: string; headers: Headers; body: string };
type Said = Response | Error | ((seen: Seen) => Response | Promise<Response>);

export const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

export const refusal = (status: number, code: string, more: object = {}) =>
  json(status, {
    error: {
      code,
      type: 'api_error',
      message: 'No.',
      retryable: false,
      retryAfterSeconds: null,
      docUrl: '',
      ...more,
    },
  });

export const accountSid = 'AC01K3SAMP1E0000000000000000';

/** The answers in order; whatever is asked after the last of them fails the test. */
export function serviceSaying(...said: Said[]) {
  const seen: Seen[] = [];
  const waited: number[] = [];
  let time = 0;
  const options = {
    key: 'gw_test_key',
    baseUrl: 'https://godwit.test',
    accountSid,
    async fetch(url: string, init: RequestInit) {
      const { pathname, search } = new URL(url);
      const body = init.body === undefined ? '' : await new Response(init.body).text();
      const request = {
        method: init.method!,
        path: `${pathname}${search}`,
        headers: new Headers(init.headers),
        body,
      };
      seen.push(request);
      const next = said.shift();
      if (next === undefined) throw new Error(`Nobody was to ask for ${request.path}.`);
      if (next instanceof Error) throw next;
      return next instanceof Response ? next : next(request);
    },
    clock: {
      now: () => time,
      async wait(ms: number) {
        waited.push(ms);
        time += ms;
      },
    },
  } satisfies ClientOptions;
  return {
    seen,
    waited,
    options,
    client: (more: Partial<ClientOptions> = {}) => new Godwit({ ...options, ...more }),
    pass: (ms: number) => {
      time += ms;
    },
  };
}
