import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { eachItem } from '../../../platform/jobs/each-item.ts';
import { defineCron, defineJob, untilDone } from '../../../platform/jobs/jobs.ts';
import { linkJob } from '../settling/jobs.ts';
import { collect, fallDue, keepLink } from './collect.ts';

/** The first try, when an invoice was issued. */
export const collectInvoice = defineJob({
  name: 'invoices.collect',
  payload: Closed({ invoiceSid: Sid('IN') }),
  attempts: untilDone,
  run: ({ write }, { invoiceSid }) => write((t) => collect(t, invoiceSid)),
});

/** After a payment, in a transaction of its own. */
export const renewInvoiceLink = defineJob({
  ...linkJob,
  run: ({ write }, { invoiceSid }) => write((t) => keepLink(t, invoiceSid)),
});

const batch = 500;

/** Tries that are due again, and invoices that nobody paid in time. */
export const collectDue = defineCron({
  name: 'invoices.collect-due',
  schedule: '*/5 * * * *',
  async run(context) {
    const { database, now } = context;
    const due = (condition: ReturnType<typeof sql>) => () =>
      database.system((s) =>
        s.many<{ accountSid: string; livemode: boolean; sid: string }>(sql`
          select account_sid as "accountSid", livemode, sid from invoices where ${condition} limit ${batch}`),
      );
    await eachItem(context, 'invoices.collect-due', batch, due(sql`next_attempt_at <= ${now()}`), collect);
    const late = sql`state = 'open' and due_at <= ${now()} and next_attempt_at is null and attempt_intent_id is null`;
    await eachItem(context, 'invoices.collect-due', batch, due(late), fallDue);
  },
});
