// What becomes of a message of which the provider stays silent.
import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../platform/jobs/jobs.ts';
import { release } from '../billing/index.ts';
import { doubtSilence } from './doubts.ts';
import { awaitsPrice, settleEstimates } from './states/final-prices.ts';
import { announcePrices, lockMessages, storeStates } from './states/live-messages.ts';

/** How long a delivered message waits for the provider to say how it charged. */
export const unpricedForMs = 24 * 60 * 60 * 1000;

export const settleUnpriced = defineJob({
  name: 'messages.settle-unpriced',
  payload: Closed({ messageSid: Sid('SM') }),
  attempts: untilDone,
  async run({ write }, { messageSid }) {
    await write(async (t) => {
      const messages = [...(await lockMessages(t, [messageSid])).values()].filter(awaitsPrice);
      await settleEstimates(t, messages);
      await storeStates(t, messages);
      announcePrices(t, messages);
    });
  },
});

/** How long after its validity the provider may still tell what became of a message nobody knows about. */
export const silenceMs = 24 * 60 * 60 * 1000;

/** The message stays unknown, since only the provider knows; its money is no longer held for it. */
export const releaseUnknown = defineJob({
  name: 'messages.release-unknown',
  payload: Closed({ messageSid: Sid('SM') }),
  attempts: untilDone,
  async run({ write }, { messageSid }) {
    await write(async (t) => {
      const unknown = await t.maybe(sql`
        select from message_states
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${messageSid} and status = 'unknown'
           for no key update`);
      if (unknown) doubtSilence(t, await release(t, [messageSid]));
    });
  },
});
