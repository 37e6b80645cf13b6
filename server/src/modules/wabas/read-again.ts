// Callbacks get lost, and then nobody would know that a number was restricted or a template paused. So every business account
// is read again within the hour: its numbers with their quality, status, name and messaging limit, its templates, and what it
// may send. What changed is announced as the callback would have announced it; what did not changes nothing.
import { Counter } from 'prom-client';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { type DueItem, eachItem } from '../../platform/jobs/each-item.ts';
import { defineCron, defineJob, enqueue, type Job, type TenantJobContext } from '../../platform/jobs/jobs.ts';
import type { Observing } from '../../platform/module.ts';
import { tellMetrics } from '../../platform/observability/metrics.ts';
import type { ProviderPhoneNumber } from '../provider/index.ts';
import { lookAtSubscription, markSeen } from './connection/look.ts';
import type { WabaHooks } from './hooks.ts';
import { applyListedLimit } from './limits.ts';
import { listNumbers } from './list-numbers.ts';
import { reach, readFacts } from './read-waba.ts';

/** The rest of the hour is for the minute of the clock, a busy queue and one failure. */
const everyMs = 50 * 60_000;
const batch = 500;
// What somebody waits for goes before.
const priority = 10;

const readings = new Counter({
  name: 'godwit_provider_readings_total',
  help: 'Business accounts read again at the provider, by outcome: read, or failed',
  labelNames: ['environment', 'outcome'],
  registers: [],
});
export const observeReadings = ({ registry }: Observing) => tellMetrics(registry, [readings]);

const payload = Closed({ wabaSid: Sid('WB') });

export const readAgainJob = (hooks: WabaHooks) =>
  defineJob({
    name: 'wabas.read-again',
    payload,
    attempts: 3,
    async run(context, { wabaSid }) {
      const failure = await readAgain(context, hooks, wabaSid).catch((error: unknown) => {
        if (error instanceof ApiError) return error;
        throw error;
      });
      const { livemode, failures } = await context.write((t) => noteReading(t, wabaSid, failure));
      const environment = livemode ? 'live' : 'sandbox';
      readings.inc({ environment, outcome: failure ? 'failed' : 'read' });
      if (!failure) return;
      if (failure.code === 'PROVIDER_TOKEN_INVALID')
        await context.write((t) => markSeen(t, hooks, wabaSid, { token: 'INVALID' }));
      const { code, facts } = failure;
      context.log.warn(
        { wabaSid, environment, failures, code, providerCode: facts.providerCode },
        'the numbers and templates of a business account could not be read again',
      );
    },
  });

/** Null when everything was read; otherwise the first thing that could not be. */
async function readAgain(
  context: TenantJobContext,
  hooks: WabaHooks,
  wabaSid: string,
): Promise<ApiError | null> {
  const askedAt = context.now();
  const reached = await context.read((t) => reach(t, wabaSid));
  if (!reached) return null; // disconnected meanwhile: there is nothing to be read
  const numbers = await listNumbers(context, reached.connection, reached.wabaId);
  const refused = await storeNumbers(context, hooks, wabaSid, numbers, askedAt);
  await context.write((t) => applyListedLimit(t, hooks, wabaSid, numbers, { saidAt: askedAt }));
  await hooks.readTemplates(context, wabaSid);
  await readFacts(context, hooks, wabaSid, reached);
  await lookAtSubscription(context, hooks, wabaSid, reached);
  return refused;
}

/** One by one: a number that is connected elsewhere is refused, and must not keep the others from being read. */
async function storeNumbers(
  context: TenantJobContext,
  hooks: WabaHooks,
  wabaSid: string,
  numbers: readonly ProviderPhoneNumber[],
  saidAt: Date,
): Promise<ApiError | null> {
  let refused: ApiError | null = null;
  for (const number of numbers) {
    await context
      .write((t) => hooks.numbersListed(t, wabaSid, [number], { saidAt }))
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        refused ??= error;
      });
  }
  return refused;
}

type Noted = { livemode: boolean; failures: number };

/** After a failure sooner than otherwise, but not before the provider said; at the latest when it would have been due anyway. */
function noteReading(t: TenantTx, wabaSid: string, failure: ApiError | null): Promise<Noted> {
  if (!failure) {
    return t.one<Noted>(sql`
      update wabas set read_at = ${t.now}, read_failures = 0
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid}
      returning livemode, read_failures as failures`);
  }
  const askedFor = failure.facts.retryAfterSeconds ?? 0;
  return t.one<Noted>(sql`
    update wabas set read_failures = least(read_failures + 1, 1000),
      read_due_at = ${t.now}::timestamptz + greatest(${askedFor} * interval '1 second',
        least(2 ^ least(read_failures, 10) * interval '1 minute', ${everyMs} * interval '1 millisecond'))
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid}
    returning livemode, read_failures as failures`);
}

export const readDueAgain = (job: Job<typeof payload>) =>
  defineCron({
    name: 'wabas.read-due-again',
    schedule: '* * * * *',
    run: (context) =>
      eachItem(
        context,
        'wabas.read-due-again',
        batch,
        () =>
          context.database.system((s) =>
            s.many<DueItem>(sql`
              select account_sid as "accountSid", livemode, sid from wabas
               where connection_state = 'CONNECTED' and read_due_at <= ${context.now()}
               order by read_due_at limit ${batch}`),
          ),
        (t, sid) => queueReading(t, job, sid),
      ),
  });

/** Due again from now on, whatever becomes of the job: a reading that was given up is made up for by the next. */
async function queueReading(t: TenantTx, job: Job<typeof payload>, wabaSid: string): Promise<void> {
  const due = await t.run(sql`
    update wabas set read_due_at = ${new Date(t.now.getTime() + everyMs)}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid} and read_due_at <= ${t.now}`);
  if (due > 0) enqueue(t, job, { wabaSid }, { key: `read-again/${wabaSid}`, priority });
}
