import type { Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { eachItem } from '../../../platform/jobs/each-item.ts';
import { defineCron, type JobContext } from '../../../platform/jobs/jobs.ts';
import { enqueueLook } from '../attempts/jobs.ts';
import { serviceOf } from '../intents/service.ts';
import { PaymentCallFailed } from '../ports.ts';
import { type ReceivedEvent, storeEvents } from './store-callbacks.ts';

const dayMs = 86_400_000;
// The service keeps its events for thirty days.
const listedMs = 29 * dayMs;
// What it lists can come to the list a little late.
const overlapMs = 3_600_000;
const keptMs = 40 * dayMs;
const slice = 5_000;

/** Reads the service's own list of what happened, for what no webhook told: those that are known count once. */
export const readEvents = defineCron({
  name: 'payments.read-events',
  schedule: '*/10 * * * *',
  async run(context) {
    for (const livemode of [true, false]) {
      if (livemode && context.site.payments.live === null) continue;
      await readEventsOf(context, livemode).catch((error) => {
        if (!(error instanceof PaymentCallFailed)) throw error;
        context.log.warn({ err: error, livemode }, "the payment service's events cannot be read");
      });
    }
  },
});

async function readEventsOf(context: JobContext, livemode: boolean): Promise<void> {
  const { database } = context;
  const begunAt = context.now();
  const found = await database.system((s) =>
    s.one<{ used: boolean; readUntil: string | null }>(sql`
      select exists (select from payment_intents where livemode = ${livemode}) as used,
        (select read_until from payment_event_lists where livemode = ${livemode}) as "readUntil"`),
  );
  if (!found.used) return;
  const from = found.readUntil ? Date.parse(found.readUntil) - overlapMs : 0;
  const since = new Date(Math.max(from, begunAt.getTime() - listedMs));
  let page: ReceivedEvent[] = [];
  const store = async () => {
    await storeEvents(database, page);
    page = [];
  };
  for await (const event of serviceOf(context, livemode).events(since)) {
    if (event.livemode === livemode) page.push({ event, livemode, receivedAt: begunAt, listed: true });
    if (page.length === 500) await store();
  }
  await store();
  // What happened before the list begins is told by nobody any more: a bank may have taken back any payment.
  if (found.readUntil && from < begunAt.getTime() - listedMs) await lookAtPaid(context, livemode);
  await database.system((s) =>
    s.run(sql`
      insert into payment_event_lists (livemode, read_until) values (${livemode}, ${begunAt})
      on conflict (livemode) do update set read_until = excluded.read_until`),
  );
}

const batch = 200;

/** A look at every payment that was paid by the service. */
async function lookAtPaid(context: JobContext, livemode: boolean): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  await eachItem(
    context,
    'payments.read-events',
    batch,
    async () => {
      const found = await context.database.system((s) =>
        s.many<Tenant & { sid: string }>(sql`
          select account_sid as "accountSid", livemode, id as sid from payment_intents
           where livemode = ${livemode} and payment_id is not null and succeeded_at is not null and id > ${after}
           order by id limit ${batch}`),
      );
      after = found.at(-1)?.sid ?? after;
      return found;
    },
    async (t, id) => enqueueLook(t, id),
  );
}

/** Older ones are known to nobody any more, so that none of them can be told again. */
export const sweepCallbacks = defineCron({
  name: 'payments.sweep-callbacks',
  schedule: '27 * * * *',
  async run({ database, now, signal }) {
    const before = new Date(now().getTime() - keptMs);
    for (let removed = slice; removed === slice && !signal.aborted; )
      removed = await database.system((s) =>
        s.run(sql`
          delete from payment_callbacks where ctid = any (array(
            select ctid from payment_callbacks where state <> 'due' and received_at < ${before} limit ${slice}))`),
      );
  },
});
