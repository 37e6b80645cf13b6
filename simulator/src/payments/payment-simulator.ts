// Starts the payment simulator: its state, its server, its control.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Log } from '../log.ts';
import { createRandom } from '../random.ts';
import { openStateFile, readTables } from '../state-file.ts';
import { createTimeline } from '../timeline.ts';
import { operations } from './api/operations.ts';
import { addCheckoutRoutes } from './checkout/checkout-routes.ts';
import { createPaymentControl, type PaymentControl } from './control/payment-control.ts';
import { addPaymentControlRoutes } from './control/payment-control-routes.ts';
import { paymentHomePage } from './control/payment-home-page.ts';
import { createKeys } from './http/keys.ts';
import { PaymentProblem } from './http/problems.ts';
import { problemOf, serve } from './http/serve.ts';
import { bookCharge, finishProcessing } from './moves/charging.ts';
import { openDispute } from './moves/disputes.ts';
import { failRefund, finishRefund } from './moves/refunds.ts';
import { expireSession } from './moves/sessions.ts';
import { cardWith } from './objects/cards.ts';
import { createPaymentRules } from './objects/payment-rules.ts';
import { newId, type Payments, resumeTasks } from './objects/payments.ts';
import { type Endpoint, emptyTables, type Tables } from './objects/rows.ts';
import { defaultPaymentSettings, type PaymentSettings } from './settings.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

export type WebhookTarget = {
  /** Asked at each webhook; null sends none. */
  url: string | null | (() => string | null);
  /** The first is the newest; while a secret is rolled there are two, and each signs. */
  secrets: string[];
  /** Types of events; all by default. */
  events?: string[];
};

export type PaymentSimulatorOptions = {
  /** 0 takes a free port. */
  port: number;
  host?: string;
  /** The secret keys that are let in. Keys of live mode (`sk_live_…`) make everything live, though no money moves. */
  apiKeys: string[];
  webhooks?: WebhookTarget[];
  /** Where people reach the hosted pages, when it is not the address it listens on. */
  publicUrl?: string;
  /** The same seed and the same calls give the same ids. By default every start has its own. */
  seed?: string;
  /** Keeps everything over a restart: objects, idempotency keys, endpoints and what is still to happen. */
  stateFile?: string;
  /** A clock handed in is moved by its owner: nothing falls due until `control.advance` or `control.settle` is called. */
  clock?: { now(): Date };
  /** What is scheduled soon happens at once; sessions still expire, and webhooks are still retried, by the clock. */
  instant?: boolean;
  settings?: Partial<PaymentSettings>;
  log?: Log;
};

export type PaymentSimulator = { url: string; control: PaymentControl; stop(): Promise<void> };

export async function startPaymentSimulator(options: PaymentSimulatorOptions): Promise<PaymentSimulator> {
  const { host = '127.0.0.1', seed = randomUUID(), log = () => {}, stateFile } = options;
  const tables = stateFile ? await readTables(stateFile, emptyTables()) : emptyTables();
  const file = stateFile ? await openStateFile(stateFile, tables, log) : null;
  let url = '';
  const webhooks = createWebhooks(() => payments, {
    endpoints: () => endpointsOf(options.webhooks ?? [], tables),
    dice: createRandom(`${seed}/callbacks`),
    log,
  });
  const random = createRandom(seed);
  const payments: Payments = {
    livemode: options.apiKeys.some((key) => /^[sr]k_live_/.test(key)),
    tables,
    timeline: createTimeline(options.clock, options.instant ?? false),
    random,
    settings: { ...defaultPaymentSettings, ...options.settings },
    rules: createPaymentRules(random),
    url: () => options.publicUrl ?? url,
    changed: () => file?.changed(),
    emit: webhooks.emit,
    cause: null,
    work: workOf(() => payments, webhooks.again),
  };
  const control = createPaymentControl(payments, webhooks);
  const app = buildApp();
  const keys = createKeys(payments);
  const served = { payments, keys, apiKeys: options.apiKeys, newRequestId: () => newId(payments, 'req', 14) };
  for (const one of operations) serve(app, served, one);
  addCheckoutRoutes(app, payments);
  addPaymentControlRoutes(app, control);
  app.get('/', (_request, reply) => reply.type('text/html').send(paymentHomePage()));
  await app.listen({ port: options.port, host });
  const { port } = app.server.address() as AddressInfo;
  url = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
  resumeTasks(payments);
  return {
    url,
    control,
    async stop() {
      await app.close();
      await webhooks.stop();
      payments.timeline.clear();
      await file?.flush();
    },
  };
}

/** Those given at the start, and those that were added by the control API. */
function endpointsOf(targets: WebhookTarget[], { endpoints }: Tables): Endpoint[] {
  const given = targets.flatMap(({ url, secrets, events = ['*'] }, at) => {
    const address = typeof url === 'function' ? url() : url;
    return address === null
      ? []
      : [{ id: `we_start_${at + 1}`, url: address, secrets, events, enabled: true }];
  });
  return [...given, ...endpoints.values()];
}

/** What happens when something falls due; what it is about may be gone by then. */
function workOf(payments: () => Payments, deliver: Payments['work']['deliver']): Payments['work'] {
  const about = <K extends keyof Tables>(
    name: K,
    work: (row: NonNullable<ReturnType<Tables[K]['get']>>, more: Record<string, string>) => void,
  ): Payments['work'][keyof Payments['work']] => {
    return ({ id, more = {} }) => {
      const row = payments().tables[name].get(id);
      if (row) work(row as NonNullable<ReturnType<Tables[K]['get']>>, more);
    };
  };
  return {
    book: about('charges', (charge) => bookCharge(payments(), charge)),
    dispute: about('charges', (charge) => {
      const { number } = payments().tables.cardSecrets.get(charge.payment_method!)!;
      const { reason = 'fraudulent', inquiry = false } = cardWith(number).dispute ?? {};
      openDispute(payments(), charge, { amount: charge.amount, reason, inquiry });
    }),
    expire: about('sessions', (session) => void expireSession(payments(), session)),
    'finish-refund': about('refunds', (refund) => finishRefund(payments(), refund)),
    'fail-refund': about('refunds', (refund) => failRefund(payments(), refund)),
    'finish-processing': about('intents', (intent, { outcome }) =>
      finishProcessing(payments(), intent, outcome === 'later'),
    ),
    deliver,
  };
}

const mostBodyBytes = 1024 * 1024;

function buildApp(): FastifyInstance {
  const app = Fastify({
    bodyLimit: mostBodyBytes,
    // Connections that are left hanging on purpose must not keep the simulator from stopping.
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1024 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : JSON.parse(text as string));
    } catch {
      done(Object.assign(new Error('The body is not valid JSON.'), { statusCode: 400 }));
    }
  });
  // Everything else is a form, and read as such where it is expected.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
  app.setNotFoundHandler((request) => {
    throw new PaymentProblem(404, {
      message: `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]!.slice(0, 200)}). Please see https://docs.stripe.com/ or we can help at https://support.stripe.com/.`,
      type: 'invalid_request_error',
    });
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { http, body } = problemOf(error);
    if (http === 401) void reply.header('www-authenticate', 'Basic realm="Stripe"');
    return reply.code(http).send({ error: body });
  });
  return app;
}
