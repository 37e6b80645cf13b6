// What a feature serves beside its operations: scripts of pages it makes itself, and addresses that moved.
import type { FastifyInstance } from 'fastify';
import { safeHeaders } from './html.ts';

export { head as pageHead } from './html.ts';

type Script = { path: string; script: string };
type Moved = { path: string; leadsTo: string };
export type Page = Script | Moved;

export function servePages(app: FastifyInstance, pages: Page[]): void {
  for (const page of pages)
    app.get(page.path, (_request, reply) =>
      'leadsTo' in page
        ? reply.headers({ ...safeHeaders, 'cache-control': 'no-store' }).redirect(page.leadsTo)
        : reply
            .type('text/javascript; charset=utf-8')
            .headers({ ...safeHeaders, 'cache-control': 'no-cache' })
            .send(page.script),
    );
}
