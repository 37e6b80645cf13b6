// What tests of callbacks share: a tenant with a number, signed callbacks, and handlers that leave traces.
import { createHmac } from 'node:crypto';
import type { TestApp } from '../../../test/harness/app.ts';
import { phoneNumberId, wabaId, wireBytes } from '../../adapters/whatsapp/from-wire/callbacks.test-data.ts';
import { readCallback } from '../../adapters/whatsapp/from-wire/read-callback.ts';
import { simulatorSecrets } from '../../main/process/simulator-secrets.ts';
import type { Database, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { LoopContext } from '../../platform/jobs/claim-loop.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { createMetrics } from '../../platform/observability/metrics.ts';
import { noTracing } from '../../platform/observability/tracing.ts';
import type { CallbackHandlers, CallbackHooks, OptOuts } from './hooks.ts';
import { type CallbackLane, workOnCallbacks } from './work-callbacks.ts';

export const sandbox = '/provider/callbacks/sandbox';

export const signature = (secret: string, body: Buffer | string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** A callback as the sandbox's provider sends it. */
export async function deliver(app: TestApp, value: unknown) {
  const body = Buffer.isBuffer(value) ? value : wireBytes(value);
  const { appSecret } = simulatorSecrets(app.sealer);
  return app.send('POST', sandbox, {
    body,
    headers: { 'x-hub-signature-256': signature(appSecret, body), 'idempotency-key': undefined },
  });
}

/** A table anybody's handlers may write to; rolled back with the transaction that writes. */
export async function openTraces(app: TestApp): Promise<() => Promise<string[]>> {
  await app.sql('create table traces (n bigint generated always as identity, account_sid text, what text)');
  await app.sql('grant insert on traces to godwit_tenant');
  return async () => {
    const rows = await app.sql<{ what: string }>('select what from traces order by n');
    return rows.map(({ what }) => what);
  };
}

export const leaveTrace = (t: TenantTx, what: string) =>
  t.run(sql`insert into traces (account_sid, what) values (${t.accountSid}, ${what})`);

export const tracing: CallbackHandlers = {
  async statuses(t, items) {
    for (const { providerMessageId, status } of items) await leaveTrace(t, `${status} ${providerMessageId}`);
  },
  async inbound(t, items) {
    for (const { providerMessageId } of items) await leaveTrace(t, `in ${providerMessageId}`);
  },
};

/** Only the text STOP is an opt-out here. */
const stopsOnly: OptOuts = {
  includes: ({ kind, item }) =>
    kind === 'inbound' && item.content.type === 'text' && item.content.body === 'STOP',
  hold: async () => {},
};

/** Numbers and accounts by the provider's names; what is not listed belongs to nobody. */
export const hooksFor = (
  tenants: Record<string, string>,
  handlers: CallbackHandlers = tracing,
): CallbackHooks => {
  const find = async (_s: unknown, id: string, livemode: boolean) => {
    const accountSid = tenants[id];
    return accountSid && !livemode ? { accountSid, livemode, senderSid: null, wabaSid: null } : null;
  };
  return { handlers, routes: { byPhoneNumberId: find, byWabaId: find }, optOuts: stopsOnly };
};

export const ownNumbers = ({ accountSid }: TestApp) => ({
  [phoneNumberId]: accountSid,
  [wabaId]: accountSid,
});

export function workerContext(database: Database, now: () => Date): LoopContext {
  const providerCallbacks = { secrets: { live: null, sandbox: null }, read: readCallback };
  return {
    database,
    now,
    log: silentLog,
    metrics: createMetrics(),
    tracing: noTracing,
    ports: { providerCallbacks } as LoopContext['ports'],
    site: () => {
      throw new Error('not asked for');
    },
    sealer: null as never,
    signal: new AbortController().signal,
    processId: '',
  };
}

export const turn = (app: TestApp, hooks: CallbackHooks, lane: CallbackLane = 'others') =>
  workOnCallbacks(
    workerContext(app.database, () => app.clock.now()),
    hooks,
    lane,
  );

export async function untilDone(app: TestApp, hooks: CallbackHooks): Promise<void> {
  while (await turn(app, hooks, 'opt-outs'));
  while (await turn(app, hooks));
}
