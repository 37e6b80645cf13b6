// The HTTP server: declared operations on Fastify, and one error body for whatever goes wrong on the way.
import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RequestPayload,
} from 'fastify';
import { databaseFailure } from '../db/failures.ts';
import { ApiError, errorBody, invalid } from '../errors/errors.ts';
import { equalInConstantTime } from '../hashing.ts';
import { newRequestId } from '../ids.ts';
import type { Log } from '../observability/logging.ts';
import type { Metrics } from '../observability/metrics.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import { type Console, consoleHome, serveConsole } from './console.ts';
import { frameworkRefusal } from './framework-errors.ts';
import type { Batch } from './input/batch-body.ts';
import { createLargeBodies, type LargeBodies } from './limits/large-bodies.ts';
import type { Mount } from './mount.ts';
import { docsPages } from './openapi/docs-pages.ts';
import { openApiDocument } from './openapi/openapi.ts';
import { type Prepared, prepare } from './operations/call.ts';
import { wantsPage } from './operations/html-answer.ts';
import type { StoredAnswer } from './operations/idempotency.ts';
import { type Answer, type Operation, StreamedAnswer } from './operations/operation.ts';
import type { Call, Incoming, Serving } from './operations/serving.ts';
import { type Page, servePages } from './pages.ts';
import { traceRequests } from './trace-requests.ts';

const maxBodyBytes = 1024 * 1024;

export type ServerOptions = {
  operations: Operation[];
  /** What the headings of the operations are about. */
  about?: string;
  tags?: Record<string, string>;
  pages?: Page[];
  mounts?: Mount[];
  console?: Console | undefined;
  serving: Serving;
  publicUrl: () => string;
  trustedProxies: string[];
  metrics: Metrics;
  tracing: Tracing;
  /** Lets `/metrics` be read from elsewhere than this machine. */
  metricsToken: string | null;
  /** Throws, with a reason for people, while the process should get no traffic. */
  ready: () => Promise<void>;
  log: Log;
};

declare module 'fastify' {
  interface FastifyRequest {
    call: Call | null;
    operationId: string | null;
    /** The code it was refused with. */
    errorCode: string | null;
  }
  interface FastifyContextConfig {
    refusalPage?: Operation['refusalPage'];
  }
}

export function buildServer(options: ServerOptions): FastifyInstance {
  const { operations, serving, metrics, log } = options;
  const { docsUrl } = serving;
  const uploading = new WeakSet<Socket>();
  const app = fastify({
    // We write our own line per request: the framework's would cost a logger per request and repeat itself.
    logger: false,
    genReqId: newRequestId,
    bodyLimit: maxBodyBytes,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    // A hanging client may not hold a connection: headers within 10 s, the whole request within 30 s.
    requestTimeout: 30_000,
    http: {
      headersTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      // Both limits are looked at this often; Node's own 30 s would let them slip by as much.
      connectionsCheckingInterval: 2_000,
      // A missing Host is refused below, with a body like every other refusal.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 1_024, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => sendError(asApiError(error, request), request, reply),
    clientErrorHandler(error: NodeJS.ErrnoException, socket) {
      // Node knows one time limit for all requests. A file may take longer and is held to limits of its own.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && uploading.has(socket)) return;
      refuseConnection(error, socket, docsUrl());
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  }) as unknown as FastifyInstance;

  // Node would answer an expectation it does not know with a bare 417; RFC 9110 lets us pass over it.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  // Whoever asks before sending is told to go on only when somebody is about to read.
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue();
    done(null, payload);
  });

  const sendError = (error: ApiError, request: FastifyRequest, reply: FastifyReply) => {
    metrics.refusals.inc({ code: error.code });
    request.errorCode = error.code;
    const { retryAfterSeconds } = error;
    const page = pageOf(error, request);
    reply
      .code(error.status)
      .headers({ 'x-request-id': request.id, ...request.call?.headers, ...error.facts.headers })
      .headers(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {})
      .headers(retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) })
      .type('application/json')
      .headers(page?.headers ?? {})
      .send(page?.body ?? JSON.stringify(errorBody(error, { docsUrl: docsUrl(), requestId: request.id })));
    return reply;
  };

  app.decorateRequest('call', null);
  app.decorateRequest('operationId', null);
  app.decorateRequest('errorCode', null);
  app.removeAllContentTypeParsers();
  // The body stays as it was sent: signatures and fingerprints cover its bytes, and it is judged after the caller.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // Whoever hung up within the request hears no answer, and nothing of ours has failed.
    const known = request.raw.aborted
      ? invalid({ path: 'body', issue: 'ended early' })
      : asApiError(error, request);
    if (ourFailures.includes(known.code)) {
      log.error(
        { err: known.cause ?? error, requestId: request.id, operation: request.operationId },
        'a request failed',
      );
    }
    return sendError(known, request, reply);
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { httpVersion, headers } = request.raw;
    if (httpVersion === '1.1' && !headers.host) throw invalid({ path: 'Host', issue: 'is required' });
    // Before the body is looked at: where nothing is, no body can be wrong.
    if (request.is404) throw nothingHere(request, allowed);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (!request.raw.complete) letGo(request.raw);
    const { operationId } = request;
    const seconds = reply.elapsedTime / 1000;
    metrics.requestSeconds.observe({ operation: operationId ?? 'none', status: reply.statusCode }, seconds);
    if (!log.isLevelEnabled('debug')) return;
    log.debug(
      {
        requestId: request.id,
        operation: operationId,
        status: reply.statusCode,
        code: request.errorCode,
        durationMs: reply.elapsedTime,
      },
      'answered',
    );
  });

  // Nobody reads a body of theirs. Known to the framework, they reach the mounts, which refuse them in their own form; left
  // unknown, some are complained of for their content type before anybody has looked whether the path takes them.
  for (const method of METHODS.filter((name) => !methodsWeServe.includes(name)))
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const allowed = methodsByPath(app);

  if (options.tracing !== noTracing) traceRequests(app, options.tracing, operations);

  // Answers sent in pieces may last long, and are ended when the service stops: it would wait for them.
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());
  endUnusedConnections(app);
  const largeBodies = createLargeBodies();
  for (const operation of operations)
    register(app, prepare(operation, serving), { stopping: stopping.signal, uploading, largeBodies, log });
  for (const mount of options.mounts ?? []) registerMount(app, mount, serving, log);
  registerOperatorPages(app, options);
  docsPages(app, { openapiUrl: '/v1/openapi.json', home: options.console && consoleHome });
  servePages(app, options.pages ?? []);
  if (options.console) serveConsole(app, options.console);

  app.setNotFoundHandler((request, reply) => sendError(nothingHere(request, allowed), request, reply));
  return app;
}

/** What the routes of a server have in common. */
type Surroundings = {
  stopping: AbortSignal;
  uploading: WeakSet<Socket>;
  largeBodies: LargeBodies;
  log: Log;
};

function register(app: FastifyInstance, prepared: Prepared, around: Surroundings): void {
  if (!prepared.operation.upload) {
    addRoute(app, prepared, around);
    return;
  }
  void app.register(async (scope) => {
    // A form with a file is not gathered: its stream is handed on.
    scope.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
    addRoute(scope, prepared, around);
  });
}

function addRoute(
  app: FastifyInstance,
  prepared: Prepared,
  { stopping, uploading, largeBodies, log }: Surroundings,
): void {
  const { operation } = prepared;
  const { refusalPage, maxBodyBytes: bodyLimit } = operation;
  app.route({
    ...(refusalPage && { config: { refusalPage } }),
    ...(bodyLimit && { bodyLimit }),
    ...(operation.batch && roomFor(operation.batch, largeBodies)),
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    async onRequest(request, reply) {
      request.operationId = operation.id;
      const signal = operation.stream ? untilEnd(reply, stopping) : stopping;
      request.call = await prepared.admit(incomingOf(request, log), signal);
    },
    async handler(request, reply) {
      const { socket } = request.raw;
      const sent = (request.body as Buffer | Readable | undefined) ?? noBody;
      if (!Buffer.isBuffer(sent)) uploading.add(socket);
      try {
        const answer = await prepared.answer(request.call!, sent);
        return answer instanceof StreamedAnswer
          ? sendPieces(reply, request, answer)
          : send(reply, request, answer);
      } finally {
        uploading.delete(socket);
      }
    },
  });
}

/** A body beyond the usual size is read once there is room for it, and has its place until the answer is out. */
function roomFor({ maxBytes }: Batch, largeBodies: LargeBodies) {
  return {
    bodyLimit: maxBytes,
    async preParsing(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload) {
      const announced = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
      if (announced <= maxBodyBytes) return payload;
      const { accountSid = '' } = request.params as { accountSid?: string };
      const leave = await largeBodies.enter(accountSid);
      if (reply.raw.destroyed) leave();
      else reply.raw.once('close', leave);
      return payload;
    },
  };
}

/** A connection on which nothing was ever said counts as busy for Node, and closing would wait for it without end. */
function endUnusedConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

function untilEnd(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}

/**
 * A caller who was answered before he had sent everything. The rest is thrown away for a moment, so that he can read the
 * answer instead of finding the connection broken, and then he is cut off.
 */
function letGo(request: IncomingMessage): void {
  request.resume();
  const cut = setTimeout(() => request.complete || request.socket.destroy(), lingerMs);
  request.socket.once('close', () => clearTimeout(cut));
}

const lingerMs = 2_000;

const noBody = Buffer.alloc(0);

/** Everything below a mount's prefix, with its own form of refusal, whoever refuses. */
function registerMount(app: FastifyInstance, mount: Mount, serving: Serving, log: Log): void {
  const reply = (to: FastifyReply, answer: StoredAnswer) =>
    to
      .code(answer.status)
      .headers(answer.headers)
      .send(answer.body === '' ? undefined : answer.body);
  void app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request) => {
        request.operationId = mount.name;
      });
      scope.setErrorHandler((error, request, to) => {
        const refusal = mount.refuse(frameworkRefusal(error, bodyLimitOf(request)) ?? error);
        if (!refusal)
          log.error({ err: error, requestId: request.id, operation: mount.name }, 'a request failed');
        return reply(to, refusal ?? mount.failed);
      });
      for (const url of ['/', '/*']) {
        scope.all(url, mount.maxBodyBytes ? { bodyLimit: mount.maxBodyBytes } : {}, async (request, to) => {
          const incoming = incomingOf(request, log);
          const method = incoming.method === 'HEAD' ? 'GET' : incoming.method;
          const body = (request.body as Buffer | undefined) ?? noBody;
          return reply(to, await mount.answer(serving, { ...incoming, method }, body));
        });
      }
    },
    { prefix: mount.prefix },
  );
}

function incomingOf(request: FastifyRequest, log: Log): Incoming {
  return {
    method: request.method,
    url: request.raw.url!,
    headers: request.headers,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | string[]>,
    // Whoever has hung up by now has none.
    address: (request.ip as string | undefined) ?? '',
    requestId: request.id,
    log,
  };
}

function send(reply: FastifyReply, request: FastifyRequest, answer: StoredAnswer): FastifyReply {
  reply.code(answer.status).headers({ ...request.call!.headers, ...answer.headers });
  if (answer.body !== '' && !answer.headers['content-type']) reply.type('application/json');
  return reply.send(answer.body === '' ? undefined : answer.body);
}

function sendPieces(reply: FastifyReply, request: FastifyRequest, answer: StreamedAnswer): FastifyReply {
  reply
    .code(answer.status)
    .headers({ ...request.call!.headers, ...answer.headers })
    .type(answer.contentType);
  // A HEAD request wants to know that there is an answer, not to have it made. Sent as a stream, so that the framework
  // leaves a length that was given.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(Readable.from(answer.pieces, { objectMode: false }));
}

/** What a browser is shown instead of the error as JSON, where the operation has a page for it. */
function pageOf(error: ApiError, request: FastifyRequest): Answer<string> | null {
  const refusalPage = request.routeOptions?.config?.refusalPage;
  return refusalPage && wantsPage(request) ? refusalPage(error, request.headers) : null;
}

/** Whatever was thrown, as an error of the catalogue. An unknown throw never shows its message. */
function asApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  const known = frameworkRefusal(error, bodyLimitOf(request)) ?? databaseFailure(error);
  return known ?? new ApiError('INTERNAL_PERMANENT_ERROR', { cause: error });
}

/** What the framework refuses before it has found a route has none of its own. */
const bodyLimitOf = (request: FastifyRequest) => request.routeOptions?.bodyLimit ?? maxBodyBytes;

/** What never became a request (broken or oversized headers, a time-out) is answered on the bare socket. */
function refuseConnection(cause: NodeJS.ErrnoException, socket: Socket, docsUrl: string): void {
  // Browsers connect before they know what to ask, and would take an answer that lies there for that of whatever they ask then.
  const isUnused = socket.bytesRead === 0;
  if (cause.code === 'ECONNRESET' || !socket.writable || isUnused) return void socket.destroy();
  const path = cause.code === 'HPE_HEADER_OVERFLOW' ? 'headers' : 'request';
  const issue =
    cause.code === 'HPE_HEADER_OVERFLOW'
      ? 'must be at most 16 KiB'
      : cause.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'must arrive in time: its headers within 10 seconds, all of it within 30'
        : 'is not valid HTTP';
  const requestId = newRequestId();
  const body = JSON.stringify(errorBody(invalid({ path, issue }), { docsUrl, requestId }));
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n' +
      `X-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** What an operator should hear of, whoever has asked. */
const ourFailures = ['INTERNAL_PERMANENT_ERROR', 'INTERNAL_TEMPORARY_ERROR', 'SIGNING_UNAVAILABLE'];

const methodsWeServe = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

type Allowed = (url: string) => string[];

function nothingHere({ url, method }: FastifyRequest, allowed: Allowed): ApiError {
  const methods = allowed(url);
  // A page may hide itself from a caller, and is then as if it were not there.
  if (methods.length === 0 || methods.includes(method)) return new ApiError('NOT_FOUND');
  return new ApiError('METHOD_NOT_ALLOWED', { headers: { allow: methods.join(', ') } });
}

/** The methods a path takes, learned from the routes themselves. A mount takes every method and refuses them itself. */
function methodsByPath(app: FastifyInstance): Allowed {
  const byForm = new Map<string, { form: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.endsWith('*')) return;
    const form = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    const entry = byForm.get(form.source) ?? { form, methods: new Set() };
    for (const name of [method].flat()) entry.methods.add(name);
    byForm.set(form.source, entry);
  });
  return (url) => {
    const path = url.split('?')[0]!;
    const fitting = [...byForm.values()].filter(({ form }) => form.test(path));
    return [...new Set(fitting.flatMap(({ methods }) => [...methods]))];
  };
}

function registerOperatorPages(app: FastifyInstance, options: ServerOptions): void {
  const document = () => JSON.stringify(openApiDocument({ tags: {}, ...options }, options.publicUrl()));
  app.get('/v1/openapi.json', async (_request, reply) => reply.type('application/json').send(document()));
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await options.ready();
      return { status: 'ready' };
    } catch (error) {
      return reply.code(503).send({ status: 'not ready', reason: (error as Error).message });
    }
  });
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, options.metricsToken)) return reply.callNotFound();
    return reply.type(options.metrics.registry.contentType).send(await options.metrics.registry.metrics());
  });
}

function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  if (token !== null) return equalInConstantTime(request.headers.authorization ?? '', `Bearer ${token}`);
  return ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.ip);
}
