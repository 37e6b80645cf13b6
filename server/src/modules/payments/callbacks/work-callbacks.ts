// From stored webhooks to looks at the payments they are about. What a webhook says is not believed beyond that.
import type { SystemTx, Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { enqueueLook } from '../attempts/jobs.ts';

const most = 200;
// One that comes before the payment it is about is known here waits for it: these many times, each twice as long.
const tries = 6;
const firstWaitMs = 5_000;

type Due = {
  livemode: boolean;
  eventId: string;
  paymentId: string | null;
  accountSid: string | null;
  intentId: string | null;
  attempts: number;
};

export const nextPaymentCallback = () => sql`(select min(due_at) from payment_callbacks where state = 'due')`;

/** One turn; tells whether there may be more to do at once. */
export const workOnCallbacks = (context: LoopContext): Promise<boolean> =>
  context.database.system(async (s) => {
    const now = context.now();
    const due = await s.many<Due>(sql`
      select livemode, event_id as "eventId", payment_id as "paymentId", account_sid as "accountSid",
        intent_id as "intentId", attempts
        from payment_callbacks where state = 'due' and due_at <= ${now} order by due_at, received_at limit ${most}
         for update skip locked`);
    for (const callback of due) await workOn(s, context, now, callback);
    return due.length === most;
  });

async function workOn(s: SystemTx, context: LoopContext, now: Date, callback: Due): Promise<void> {
  const { livemode, eventId, attempts } = callback;
  const found = await paymentOf(s, callback);
  if (found) {
    const principal = systemPrincipal('payments:callbacks', livemode);
    const requestContext = { principal, now, requestId: eventId, log: context.log };
    await context.database.write(found, requestContext, async (t) => enqueueLook(t, found.intentId));
  }
  const isOurs = callback.intentId !== null || callback.paymentId !== null;
  const waits = !found && isOurs && attempts + 1 < tries;
  const state = found ? 'done' : waits ? 'due' : 'passed';
  const dueAt = new Date(now.getTime() + firstWaitMs * 2 ** attempts);
  await s.run(sql`
    update payment_callbacks set state = ${state}, attempts = attempts + 1, due_at = ${dueAt}
     where livemode = ${livemode} and event_id = ${eventId}`);
}

type Found = Tenant & { intentId: string };

/** By our own ids, which the service gives back, or by what it calls the payment. */
async function paymentOf(s: SystemTx, callback: Due): Promise<Found | undefined> {
  const { livemode, accountSid, intentId, paymentId } = callback;
  const named =
    accountSid && intentId
      ? await s.maybe<Found>(sql`
          select account_sid as "accountSid", livemode, id as "intentId" from payment_intents
           where account_sid = ${accountSid} and id = ${intentId} and livemode = ${livemode}`)
      : undefined;
  if (named || paymentId === null) return named;
  return s.maybe<Found>(sql`
    select account_sid as "accountSid", livemode, id as "intentId" from payment_intents
     where livemode = ${livemode} and payment_id = ${paymentId}`);
}
