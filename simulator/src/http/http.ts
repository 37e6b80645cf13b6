// The provider's manners: versions in the path, tokens, headers on every answer, one envelope for every error.
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { envelopeOf, GraphError } from '../errors.ts';
import { mostMediaBytes } from '../media/media-types.ts';
import type { Simulation } from '../simulation.ts';
import { type Tenant, wabaIdOf } from '../world.ts';
import { readSandboxToken, sandboxPartner } from './access-token.ts';
import type { Wire } from './shape.ts';
import { refuseOldParameters, servedVersion } from './versions.ts';

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

const shares = (percent: number) => ({ call_count: percent, total_cputime: 1, total_time: 1 });

const version = /^\/(v\d+\.\d+)(?=\/|$|\?)/;
const askedVersion = ({ originalUrl }: FastifyRequest) => version.exec(originalUrl)?.[1];
const isControl = ({ url }: FastifyRequest) => url.startsWith('/_control');

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

  app.addHook('onRequest', async (request) => {
    if (isControl(request)) return;
    const nowMs = simulation.timeline.nowMs();
    if (servedVersion(askedVersion(request), nowMs) === null) throw unknownPath(request.originalUrl);
    refuseOldParameters(request.query as Record<string, unknown>, nowMs);
  });
  app.addHook('onSend', async (request, reply) => {
    if (isControl(request)) return;
    const nowMs = simulation.timeline.nowMs();
    const { id } = (request.params ?? {}) as { id?: string };
    const wabaId = id && wabaIdOf(simulation.world, id);
    if (wabaId) void reply.header('x-business-use-case-usage', businessUsage(simulation, wabaId, nowMs));
    void reply.headers({
      'facebook-api-version': servedVersion(askedVersion(request), nowMs) ?? 'unknown',
      'x-fb-trace-id': traceOf(request),
      'x-fb-request-id': request.id,
      'x-fb-rev': '1',
      // By this nobody takes its answers for the provider's.
      'x-simulated-by': 'godwit',
      'x-app-usage': JSON.stringify(
        shares(simulation.rates.managementUse(simulation.options.appId, nowMs).percent),
      ),
    });
  });
  app.setNotFoundHandler((request) => {
    throw unknownPath(request.url);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) =>
    answerError(simulation, asGraphError(error), request, reply),
  );
  return app;
}

function businessUsage(simulation: Simulation, wabaId: string, nowMs: number): string {
  const { percent, minutesLeft } = simulation.rates.managementUse(wabaId, nowMs);
  const use = {
    type: 'messaging',
    ...shares(percent),
    estimated_time_to_regain_access: percent >= 100 ? minutesLeft : 0,
  };
  return JSON.stringify({ [wabaId]: [use] });
}

const unknownPath = (url: string) =>
  new GraphError(2500, `Unknown path components: ${url.split('?')[0]!.slice(0, 200)}`);

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
      if (token === sandboxPartner.accessToken) return { token, businessId: sandboxPartner.businessId };
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
