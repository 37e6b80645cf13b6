import type { Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { eachItem } from '../../../platform/jobs/each-item.ts';
import { defineCron, defineJob, type Job } from '../../../platform/jobs/jobs.ts';
import { attemptJob, closeJob, enqueueLook, lookJob } from '../attempts/jobs.ts';
import type { PaymentHooks } from '../hooks.ts';
import { closePage, look } from './look.ts';
import { notNow } from './means.ts';
import { runAttempt } from './run-attempt.ts';

export const paymentJobs = (hooks: PaymentHooks): Job[] =>
  [
    defineJob({
      ...attemptJob,
      run: (context, { attemptId }) => runAttempt(context, hooks, attemptId).catch(notNow),
    }),
    defineJob({
      ...lookJob,
      run: async (context, { intentId }) => {
        await look(context, hooks, intentId).catch(notNow);
      },
    }),
    defineJob({
      ...closeJob,
      run: (context, { intentId }) => closePage(context, hooks, intentId).catch(notNow),
    }),
  ] as Job[];

const batch = 200;

/** Payments of which the service has said nothing for long: whoever waits for its word alone may wait for ever. */
export const lookAtSilent = defineCron({
  name: 'payments.look-at-silent',
  schedule: '* * * * *',
  run: (context) =>
    eachItem(
      context,
      'payments.look-at-silent',
      batch,
      () =>
        context.database.system((s) =>
          s.many<Tenant & { sid: string }>(sql`
            select account_sid as "accountSid", livemode, id as sid from payment_intents
             where look_at <= ${context.now()} order by look_at limit ${batch}`),
        ),
      async (t, id) => {
        // The look itself says when the next is due; should it fail for long, it is asked for again an hour later.
        const next = new Date(t.now.getTime() + 3_600_000);
        await t.run(sql`
          update payment_intents set look_at = ${next}
           where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
        enqueueLook(t, id);
      },
    ),
});
