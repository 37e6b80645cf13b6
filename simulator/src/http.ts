// The provider's manners: versions in the path, tokens, headers on every answer, one envelope for every error.
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readSandboxToken } from './access-token.ts';
import { envelopeOf, GraphError } from './errors.ts';
import { mostMediaBytes } from './media-types.ts';
import type { Wire } from './shape.ts';
import type { Simulation } from './simulation.ts';
import type { Tenant } from './world.ts';

/** A call on the wire, as handlers see it. */
export type Call = {
  simulation: Simulation;
  tenant: Tenant;
  /** The object the path names. */
  id: string;
  body: Wire;
  /** Query and body together: management calls take their fields in either. */
  fields: Wire;
  request: FastifyRequest;
};

const usage = { call_count: 1, total_cputime: 1, total_time: 1 };
const businessUsage = (wabaId: string) =>
  `{"${wabaId}":[{"type":"messaging","call_count":1,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":0}]}`;

const version = /^\/(v\d+\.\d)(?=\/|$|\?)/;

export function buildApp(simulation: Simulation): FastifyInstance {
  const app = Fastify({
    bodyLimit: mostMediaBytes + 1024 * 1024,
    // Connections that are left hanging on purpose must not keep the simulator from stopping.
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    rewriteUrl: (request) => request.url!.replace(version, '') || '/',
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : JSON.parse(text as string));
    } catch {
      done(new GraphError(100, 'The body is not valid JSON.'));
    }
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(text as string))),
  );
  // Left as a stream for whoever expects files.
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));

  app.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/_control')) return;
    const given = version.exec(request.originalUrl)?.[1];
    const { id } = (request.params ?? {}) as { id?: string };
    const wabaId = id && (simulation.world.numbers.get(id)?.wabaId ?? simulation.world.wabas.get(id)?.id);
    if (wabaId) void reply.header('x-business-use-case-usage', businessUsage(wabaId));
    void reply.headers({
      'facebook-api-version': given ?? 'v25.0',
      'x-fb-trace-id': traceOf(request),
      'x-fb-request-id': request.id,
      'x-fb-rev': '1',
      'x-app-usage': JSON.stringify(usage),
    });
  });
  app.setNotFoundHandler((request) => {
    throw new GraphError(2500, `Unknown path components: ${request.url.split('?')[0]!.slice(0, 200)}`);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) =>
    answerError(simulation, asGraphError(error), request, reply),
  );
  return app;
}

function asGraphError(error: Error & { statusCode?: number }): GraphError {
  if (error instanceof GraphError) return error;
  const refused = error.statusCode !== undefined && error.statusCode < 500;
  return refused
    ? new GraphError(100, error.message)
    : new GraphError(1, `An unknown error occurred: ${error.message}`);
}

function answerError(
  simulation: Simulation,
  error: GraphError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  simulation.records.refused(error.code);
  if (error.http === 401 || error.http === 400) {
    const reason = error.code === 190 ? 'invalid_token' : 'invalid_request';
    void reply.header(
      'www-authenticate',
      `OAuth "Facebook Platform" "${reason}" ${JSON.stringify(error.details.replace(/[^ -~]/g, ''))}`,
    );
  }
  return reply.code(error.http).send(envelopeOf(error, traceOf(request)));
}

/** What the provider's support would ask for; here it only counts the requests. */
const traceOf = (request: FastifyRequest): string =>
  `A${Buffer.from(request.id.padStart(12, '0')).toString('base64url')}`;

function tokenOf(request: FastifyRequest): string | null {
  const header = /^(?:Bearer|OAuth) +(.+)$/.exec(request.headers.authorization ?? '')?.[1];
  return header ?? (request.query as Record<string, string>).access_token ?? null;
}

/** Calls on the app itself are made with it. */
export const appToken = ({ options }: Simulation): string => `${options.appId}|${options.appSecret}`;

export function requireApp(simulation: Simulation, request: FastifyRequest): void {
  if (tokenOf(request) === appToken(simulation)) return;
  throw new GraphError(190, 'Invalid OAuth access token - an app token is needed.');
}

const mostTenants = 100_000;

export function createTenants(simulation: Simulation) {
  const known = new Map<string, Tenant>();
  return {
    of(request: FastifyRequest): Tenant {
      const token = tokenOf(request);
      if (token === null) {
        throw new GraphError(190, 'An access token is required to request this resource.');
      }
      const tenant = known.get(token);
      if (tenant) return tenant;
      const portfolio = readSandboxToken(token);
      if (!portfolio)
        throw new GraphError(190, 'Invalid OAuth access token - Cannot parse access token', { subcode: 467 });
      const made = simulation.world.provision(token, portfolio, simulation.timeline.nowMs());
      if (known.size >= mostTenants) known.clear();
      known.set(token, made);
      return made;
    },
    forget: () => known.clear(),
  };
}
export type Tenants = ReturnType<typeof createTenants>;

export type Handler = (call: Call) => unknown;

/** Of JSON or of a form; files and raw bytes have none, and a form with files is read by whoever expects it. */
function fieldsIn(body: unknown): object | undefined {
  const other =
    typeof body !== 'object' || body === null || Buffer.isBuffer(body) || body instanceof Readable;
  return other ? undefined : body;
}

/** Gives handlers their call: who asks, of what, with which fields. */
export function callOf(simulation: Simulation, tenants: Tenants, request: FastifyRequest): Call {
  const tenant = tenants.of(request);
  const query = request.query as Record<string, string>;
  const { access_token: _token, ...fields } = { ...query, ...fieldsIn(request.body) };
  const { id = '' } = request.params as { id?: string };
  return { simulation, tenant, id, body: request.body, fields, request };
}
