// A span for each request that reached an operation or a mount, made when its answer is over: nothing is done for it on the
// way. The path is told as its route, since callers write into paths what they like; address and user agent are not told.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSid, sidAtEnd } from '../ids.ts';
import { readTraceparent, type SpanAttributes, type Tracing } from '../observability/tracing.ts';
import type { Operation } from './operations/operation.ts';

export function traceRequests(app: FastifyInstance, tracing: Tracing, operations: Operation[]): void {
  const followed = new Set(operations.filter(({ madeIsTraced }) => madeIsTraced).map(({ id }) => id));
  app.addHook('onResponse', async (request, reply) => {
    const { operationId } = request;
    if (operationId === null) return;
    const created = reply.statusCode < 300 ? sidAtEnd(String(reply.getHeader('location') ?? '')) : null;
    const span = tracing.start(operationId, 'server', {
      of: request.id,
      caller: readTraceparent(request.headers.traceparent),
      made: followed.has(operationId) ? created : null,
      startedMs: performance.now() - reply.elapsedTime,
    });
    const failed = reply.statusCode >= 500;
    span?.end(
      { ...attributesOf(request, reply), 'godwit.operation': operationId, 'godwit.created': created },
      failed ? (request.errorCode ?? String(reply.statusCode)) : null,
    );
  });
}

function attributesOf(request: FastifyRequest, reply: FastifyReply): SpanAttributes {
  const principal = request.call?.authentication?.principal;
  const { accountSid } = request.params as { accountSid?: string };
  return {
    'http.request.method': request.method,
    'http.route': request.routeOptions.url,
    'http.response.status_code': reply.statusCode,
    // A header says it where proxies are trusted, and headers say what their writers like.
    'url.scheme': request.protocol === 'https' ? 'https' : 'http',
    'network.protocol.version': request.raw.httpVersion,
    // Before the caller is known the path may say anything.
    'godwit.account': accountSid && isSid('AC', accountSid) ? accountSid : (principal?.accountSid ?? null),
    'godwit.livemode': principal?.livemode ?? null,
    'godwit.request_id': request.id,
    'godwit.error_code': request.errorCode,
  };
}
