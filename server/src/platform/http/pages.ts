// Small pages a feature serves itself: fixed text and scripts of our own. Nothing is loaded from elsewhere, nothing runs
// inline, nobody may frame them, and no form leaves them but through their script.
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pageHeaders, safeHeaders } from './html.ts';

export { head as pageHead } from './html.ts';

type HtmlPage = {
  path: string;
  html: string;
  /** The text of its one style element. */
  style: string;
};
type Script = { path: string; script: string };
export type Page = HtmlPage | Script;

export function servePages(app: FastifyInstance, pages: Page[]): void {
  for (const page of pages) {
    const { type, body, headers } = 'html' in page ? asHtml(page) : asScript(page);
    app.get(page.path, (_request, reply) => reply.type(type).headers(headers).send(body));
  }
}

function asHtml({ html, style }: HtmlPage) {
  const digest = createHash('sha256').update(style).digest('base64');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${digest}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return { type: 'text/html; charset=utf-8', body: html, headers: pageHeaders(policy) };
}

function asScript({ script }: Script) {
  const headers = { ...safeHeaders, 'cache-control': 'no-cache' };
  return { type: 'text/javascript; charset=utf-8', body: script, headers };
}
