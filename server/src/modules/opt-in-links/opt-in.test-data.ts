// Forms in tests: links of an account, what is posted to them from addresses of one's own, and what became of it.
import assert from 'node:assert/strict';
import { type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import type { Lifetime } from '../../../test/harness/lifetime.ts';

export type OptInApp = Awaited<ReturnType<typeof startOptInApp>>;

export const consentText = 'Yes, <b>Test</b> & friends may write to me — "offers" too.';

// Every visitor comes from an address of their own, unless the test says otherwise.
let visitors = 0;
export const newAddress = () => {
  visitors += 1;
  return `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
};

export async function startOptInApp(lifetime: Lifetime, env: Record<string, string> = {}) {
  const app = await startTestApp(lifetime, { env: { TRUSTED_PROXIES: '127.0.0.1,::1', ...env } });
  return Object.assign(app, formsOf(app));
}

export function formsOf(app: TestApp) {
  const visitor = (headers: object = {}) => ({
    authorization: undefined,
    'idempotency-key': undefined,
    'x-forwarded-for': newAddress(),
    ...headers,
  });
  return {
    async link(
      body: object = {},
    ): Promise<{ sid: string; path: string; token: string; [name: string]: unknown }> {
      const given = { consentText, label: 'A label', defaultCountry: 'FR', ...body };
      const reply = await app.post(`${app.at}/opt-in-links`, given);
      assert.equal(reply.status, 201, reply.text);
      return { ...reply.body, path: `/v1/opt-in/${reply.body.token}` };
    },
    /** As a program posts it. */
    submit: (path: string, body: object, headers: object = {}): Promise<Reply> =>
      app.post(path, { agreed: true, ...body }, visitor(headers)),
    /** The page, as a browser asks for it. */
    open: (path: string, headers: object = {}): Promise<Reply> =>
      app.get(path, visitor({ accept: 'text/html,*/*;q=0.8', ...headers })),
    /** As a browser posts it. */
    postForm: (path: string, fields: Record<string, string>, headers: object = {}): Promise<Reply> =>
      app.send('POST', path, {
        body: new URLSearchParams(fields).toString(),
        headers: visitor({
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'text/html',
          ...headers,
        }),
      }),
    async consents(phone: string) {
      const { body } = await app.get(`${app.at}/contacts?identifier=${encodeURIComponent(phone)}`);
      const [contact] = body.data;
      if (!contact) return { contact: null, consents: [], suppressions: [] };
      const at = `${app.at}/contacts/${contact.sid}`;
      const consents = (await app.get(`${at}/consents`)).body.data;
      const suppressions = (await app.get(`${at}/suppressions`)).body.data;
      return { contact, consents, suppressions };
    },
  };
}

/** The ticket of a page, and a moment in which somebody fills it in. */
export function ticketIn(app: TestApp, page: Reply): string {
  app.clock.advance(5_000);
  const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)?.[1];
  assert.ok(ticket, page.text);
  return ticket;
}
