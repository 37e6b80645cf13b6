import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../../platform/jobs/jobs.ts';
import { addresseeOf } from '../../identity/index.ts';
import { layOutMail } from '../../mails/index.ts';
import { ownersOf } from '../../roles/index.ts';
import { suspensionMail } from './suspension-mail.ts';

const slice = 5_000;

/** What still waited for an endpoint that is disabled ends as failed, in slices, for there may be a million. */
export const closeDeliveries = defineJob({
  name: 'webhooks.close-deliveries',
  payload: Closed({ endpointSid: Sid('WH') }),
  attempts: untilDone,
  async run({ write, signal }, { endpointSid }) {
    for (let closed = slice; closed === slice; ) {
      // A worker that stops leaves the rest to its successor, by failing: a job that ends is not run again.
      signal.throwIfAborted();
      closed = await write((t) =>
        t.run(sql`
          update webhook_undelivered set due_at = null, gave_up = 'disabled'
           where account_sid = ${t.accountSid} and delivery_sid in (
             select delivery_sid from webhook_undelivered
              where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid} and due_at is not null
              limit ${slice})`),
      );
    }
  },
});

/** Tells the owners by mail that an endpoint was suspended. Whoever was told before a failure is told again. */
export const tellOwners = defineJob({
  name: 'webhooks.tell-owners',
  payload: Closed({ endpointSid: Sid('WH') }),
  attempts: 8,
  async run({ write, ports }, { endpointSid }) {
    const { endpoint, addressees } = await write(async (t) => ({
      endpoint: await t.maybe<{ url: string; livemode: boolean }>(sql`
        select url, livemode from webhook_endpoints
         where account_sid = ${t.accountSid} and sid = ${endpointSid} and suspended_at is not null`),
      addressees: await Promise.all((await ownersOf(t)).map((userSid) => addresseeOf(t, userSid))),
    }));
    if (!endpoint) return; // resumed meanwhile
    const { origin } = new URL(endpoint.url);
    for (const addressee of addressees.filter((one) => one !== null)) {
      const { to, locale, name } = addressee;
      const text = suspensionMail(locale, { endpointSid, origin, livemode: endpoint.livemode });
      await ports.mailer.send({ to, ...layOutMail(locale, name, text) });
    }
  },
});
