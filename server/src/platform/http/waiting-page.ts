// What stands in the console's place until it is there.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { pageHeaders, plainPage } from './html.ts';

const style = `
:root { color-scheme: light dark; }
body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
`;
const digest = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; frame-ancestors 'none'; form-action 'none'; base-uri 'none'`;

const waitSeconds = 2;

const texts = {
  building: {
    title: 'The console is being built',
    body: '<p>This happens once after an installation or an update, and takes some seconds. The page comes back by itself; the API answers already.</p>',
  },
  failed: {
    title: 'The console could not be built',
    body: '<p>The API is not affected. <code>npx godwit console build</code> builds it and says what is wrong; start the service again afterwards.</p>',
  },
  absent: {
    title: 'There is no console here',
    body: '<p>This installation comes without it. The API is not affected.</p>',
  },
};

/** Why there is nothing to be served. */
export type Missing = keyof typeof texts;

export function waitingPage(reply: FastifyReply, state: Missing): FastifyReply {
  const html = plainPage({ language: 'en', style, ...texts[state] });
  // A script would need more of a policy than this page deserves.
  const again = { 'retry-after': String(waitSeconds), refresh: String(waitSeconds) };
  return reply
    .code(503)
    .headers({ ...pageHeaders(policy), ...(state === 'building' && again) })
    .type('text/html; charset=utf-8')
    .send(html);
}
