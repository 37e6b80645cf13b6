// Serves the console: one page for every address below /console, and the files it loads.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/errors.ts';
import { pageHeaders, safeHeaders } from './html.ts';
import { type Missing, waitingPage } from './waiting-page.ts';

export type Asset = { type: string; content: Buffer; br: Buffer | null; gzip: Buffer | null };
export type ConsoleFiles = { html: string; assets: Map<string, Asset> };
export type Console = {
  /** What is served, or why nothing is. */
  state(): ConsoleFiles | Missing;
};

/** The same for the page and for the worker, whose address has a policy of its own. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  // Sounds and films that the console itself has loaded, and none by their address.
  'media-src blob:',
  "worker-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types godwit',
].join('; ');

export const consoleHome = '/console/';

const forever = 'public, max-age=31536000, immutable';

export function serveConsole(app: FastifyInstance, console: Console): void {
  const page = (_request: FastifyRequest, reply: FastifyReply) => {
    const state = console.state();
    if (typeof state === 'string') return waitingPage(reply, state);
    return reply.headers(pageHeaders(policy)).type('text/html; charset=utf-8').send(state.html);
  };
  app.get('/console', (_request, reply) => reply.header('cache-control', 'no-store').redirect(consoleHome));
  app.get('/console/*', page);
  app.get<{ Params: { name: string } }>('/console/assets/:name', (request, reply) => {
    const state = console.state();
    const asset = typeof state === 'string' ? undefined : state.assets.get(request.params.name);
    if (!asset) throw new ApiError('NOT_FOUND');
    return sendAsset(reply, asset, String(request.headers['accept-encoding'] ?? ''));
  });
}

function sendAsset(reply: FastifyReply, { type, content, br, gzip }: Asset, accepted: string): FastifyReply {
  const codings = accepted.split(',').map((one) => one.trim().toLowerCase().split(/ *; */));
  const takes = (coding: string) =>
    codings.some(([name, quality]) => name === coding && !/^q=0(\.0*)?$/.test(quality ?? ''));
  const [coding, body] =
    br && takes('br') ? ['br', br] : gzip && takes('gzip') ? ['gzip', gzip] : [null, content];
  return reply
    .headers({
      ...safeHeaders,
      'content-security-policy': policy,
      'cache-control': forever,
      vary: 'accept-encoding',
      ...(coding && { 'content-encoding': coding }),
    })
    .type(type)
    .send(body);
}
