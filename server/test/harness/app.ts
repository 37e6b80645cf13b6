// A whole service for a test: its own database, a clock that stands still, an account with keys, and short ways to
// speak HTTP to it. Only the outside world is missing.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { exactCallbacks, type SimulatorOptions } from '@godwit/simulator';
import { exactWebhooks, type PaymentSimulatorOptions } from '@godwit/simulator/payments';
import type pg from 'pg';
import { type Dispatcher, Pool } from 'undici';
import { bootstrap } from '../../src/main/process/demo.ts';
import { issueKey } from '../../src/main/process/keys.ts';
import { type Role, startService } from '../../src/main/process/service.ts';
import { readConfig } from '../../src/main/settings.ts';
import { type ManualClock, manualClock } from '../../src/platform/clock.ts';
import type { Console } from '../../src/platform/http/console.ts';
import { createLog } from '../../src/platform/observability/logging.ts';
import type { Ports } from '../../src/platform/ports.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { faultsLeft, faultsOfService } from './books.ts';
import { checkEvents, takeWrongEvents } from './events.ts';
import type { Lifetime } from './lifetime.ts';
import { cloneDatabase, ownerPool } from './postgres.ts';
import { beatsAreNeverLate } from './time.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies whose shape the test itself checks
export type Reply = { status: number; headers: Headers; body: any; text: string };

export type AppOptions = {
  role?: Role;
  env?: Record<string, string>;
  /** Its own, removed once the service has ended: until then something may be written to it. */
  dataDir?: string;
  databaseUrl?: string;
  /**
   * Starts the simulated provider in this process and points the app at it. It shares the app's clock and calls back at
   * once; rates are not held to, since on a clock that stands still every message falls into the same second.
   */
  simulator?: boolean | Partial<SimulatorOptions>;
  /** The same of the simulated payment service, which starts only when it is asked for. */
  payments?: boolean | Partial<PaymentSimulatorOptions>;
  /** Served beside the API. */
  console?: Console;
  /** Stands in for parts of the outside world. */
  ports?: Partial<Ports>;
  /** Gives up on the database as soon as a real service does. */
  impatient?: boolean;
  /** The test plants errors in the books, writes down half of what happened or has others forget it: nobody proves them when it ends. */
  wrongBooks?: boolean;
};

// A test that shares the machine with others may wait longer than a client would.
export const patience = {
  connectionMs: 30_000,
  lockMs: 30_000,
  statementMs: 60_000,
  idleMs: 60_000,
  answerMs: 90_000,
};

// A test that counts callbacks can, and one that sends much to one person meets no cap of the provider's.
const unhinderedInTests = {
  ...exactCallbacks,
  managementLimit: false,
  marketingCap: 0,
  pacingSample: 0,
};

const simulatorInTests = (
  clock: ManualClock,
  given: Partial<SimulatorOptions>,
): Partial<SimulatorOptions> => ({
  clock,
  instant: true,
  seed: 'test',
  stateFile: undefined,
  links: 'believed',
  ...given,
  settings: { ...unhinderedInTests, throughputLimit: false, pairLimit: false, ...given.settings },
});

const paymentsInTests = (
  clock: ManualClock,
  given: Partial<PaymentSimulatorOptions>,
): Partial<PaymentSimulatorOptions> => ({
  clock,
  instant: true,
  seed: 'test',
  stateFile: undefined,
  ...given,
  settings: { ...exactWebhooks, ...given.settings },
});

/** Where no simulator was started it knows nobody. */
const nobody: Ports['simulatedPeople'] = { forget: async () => ({ ok: true }) };

export const testStart = '2026-08-21T10:00:00.000Z';

export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

checkEvents();

export async function startTestApp(lifetime: Lifetime, options: AppOptions = {}) {
  const { role = 'api', env = {}, databaseUrl, simulator = false, ports = {}, impatient = false } = options;
  const { payments = false, wrongBooks = false } = options;
  const cloned = databaseUrl ? null : await cloneDatabase();
  const url = databaseUrl ?? cloned!.url;
  const clock = manualClock(testStart);
  const defaults = {
    PORT: '0',
    MASTER_KEY: generateMasterKey(),
    REQUESTS_PER_SECOND: '100000',
    DATABASE_CONNECTIONS: '10',
  };
  const { dataDir } = options;
  const config = readConfig({ ...defaults, ...(dataDir !== undefined && { DATA_DIR: dataDir }), ...env });
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent');
  const service = await startService({
    config,
    databaseUrl: url,
    role,
    log,
    clock,
    checkAnswers: true,
    ports: { ...(!simulator && role !== 'all' && { simulatedPeople: nobody }), ...ports },
    console: options.console,
    patience: impatient ? undefined : patience,
    payments: payments ? paymentsInTests(clock, payments === true ? {} : payments) : null,
    ...(simulator
      ? { simulator: simulatorInTests(clock, simulator === true ? {} : simulator) }
      : // The one a whole service starts by itself.
        role === 'all' &&
        env.SIMULATOR_URL === undefined && {
          // What it knows ends with it: services of many tests share the folder it would be written to.
          simulator: { settings: unhinderedInTests, links: 'believed' as const, stateFile: undefined },
        }),
  });
  const { database, sealer } = service.core;
  const admin = ownerPool(url);
  await admin.query(beatsAreNeverLate);
  // A role without an API has no address, and nobody asks it anything.
  // One that says it is known by another address is reached by its own.
  const address = env.PUBLIC_URL === undefined ? service.url : service.core.localUrl();
  const client = new Pool(address ?? 'http://127.0.0.1:1');
  const differing = new Set<string>();
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    return service.stop();
  };
  lifetime.after(async () => {
    await client.destroy();
    const { site } = service.core;
    // Whoever shares a database with others leaves the proof to the one whose it is, who ends last.
    const isProven = cloned !== null && !wrongBooks;
    // The payment service is asked while it is there.
    const isAsked = isProven && payments !== false && !isStopped;
    const asked = { database, ports: service.ports, site: site(), now: clock.now(), expected: differing };
    const unlike = isAsked ? await faultsOfService(asked).catch((error) => [`cash: ${error}`]) : [];
    await stop();
    const books = isProven
      ? await faultsLeft({ url, sealer, site, patience, admin }).catch((error) => [`books: ${error}`])
      : [];
    await admin.end();
    await cloned?.drop();
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
    const wrong = [...unlike, ...books, ...takeWrongEvents()];
    if (wrong.length > 0) throw new Error([...new Set(wrong)].join('\n'));
  });

  const context = { database, clock, log };
  const newAccount = () =>
    bootstrap(context, { organizationName: 'Test', accountName: 'Test', region: 'local' });
  const account = await newAccount();
  const base = service.url ?? '';

  const send: Send = async (method, path, init = {}) => {
    const raw = typeof init.body === 'string' || init.body instanceof Buffer;
    const answer = await client.request({
      path,
      method: method as Dispatcher.HttpMethod,
      headers: withoutAbsent({
        authorization: `Bearer ${account.sandboxKey}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && method !== 'HEAD' && { 'idempotency-key': randomUUID() }),
        ...init.headers,
      }),
      ...(init.body !== undefined && { body: raw ? (init.body as string) : JSON.stringify(init.body) }),
    });
    const text = await answer.body.text();
    const headers = headersOf(answer.headers);
    const isJson = headers.get('content-type')?.includes('json');
    return {
      status: answer.statusCode,
      headers,
      text,
      body: isJson && text ? JSON.parse(text) : null,
    };
  };

  return {
    ...account,
    url: base,
    /** The path of the account. */
    at: `/v1/accounts/${account.accountSid}`,
    clock,
    /** There when it was asked for. */
    simulator: service.simulator!,
    /** There when it was asked for. */
    paymentSimulator: service.paymentSimulator!,
    database,
    sealer,
    ports: service.ports,
    site: service.core.site,
    log,
    databaseUrl: url,
    newAccount,
    send,
    ...methodsOf(send),
    /** A key of the account, or of another, with exactly these scopes. */
    key: async (scopes: string[], of: { livemode?: boolean; accountSid?: string } = {}) => {
      const tenant = { accountSid: of.accountSid ?? account.accountSid, livemode: of.livemode ?? false };
      return issueKey(context, tenant, { name: 'Test key', scopes });
    },
    /** Runs SQL as the owner, past every wall: for looking, and for breaking things on purpose. */
    sql: async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await admin.query<Row>(text, values)).rows,
    count: async (tableAndWhere: string) =>
      Number((await admin.query(`select count(*) as n from ${tableAndWhere}`)).rows[0].n),
    /** The types of all events so far, in order. */
    emitted: async () =>
      (
        await admin.query<{ type: string }>(
          'select type from events order by account_sid, livemode, sequence',
        )
      ).rows.map(({ type }) => type),
    /** The payment service knows of this charge and the books rightly do not. */
    differsInCash: (chargeId: string) => differing.add(chargeId),
    stop,
  };
}

type Send = (method: string, path: string, init?: { body?: unknown; headers?: object }) => Promise<Reply>;

export const methodsOf = (send: Send) => ({
  get: (path: string, headers: object = {}) => send('GET', path, { headers }),
  post: (path: string, body?: unknown, headers: object = {}) => send('POST', path, { body, headers }),
  put: (path: string, body?: unknown, headers: object = {}) => send('PUT', path, { body, headers }),
  patch: (path: string, body?: unknown, headers: object = {}) => send('PATCH', path, { body, headers }),
  delete: (path: string, body?: unknown, headers: object = {}) => send('DELETE', path, { body, headers }),
});

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

/** A header given as undefined is not sent: a signed-in person brings no key. */
function withoutAbsent(headers: Record<string, string | undefined>): Record<string, string> {
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(present);
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
