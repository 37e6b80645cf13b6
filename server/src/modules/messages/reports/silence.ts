// Messages of which the provider never speaks again. It tries to deliver for 30 days at most and says nothing when it gives up, so
// that after those and a day for what is late nobody waits any longer:
//
//   sent      ─▶ failed    with RECIPIENT_UNREACHABLE: what was not delivered in time was dropped
//   sending   ─▶ unknown   it was taken, and never said to be sent
//   unknown                stays so
//
// What was held is given back. A word that comes later still counts, since it moves the message on by rank; it is charged no more.
// Templates may have the provider give up sooner. What it was told stands with it, and may have been changed since; the longest time
// is right for all.
import type { Database, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { firstSid } from '../../../platform/ids.ts';
import { defineJob, enqueue, untilDone } from '../../../platform/jobs/jobs.ts';
import { release, stretchOfHolds } from '../../billing/index.ts';
import type { Write } from '../dispatch/sweep-messages.ts';
import { doubtSilence } from '../doubts.ts';
import { messageError } from '../message-error.ts';
import { messagesGivenUp } from '../metrics.ts';
import { awaitsPrice, settleEstimates } from '../states/final-prices.ts';
import {
  announce,
  announcePrices,
  type LiveMessage,
  lockMessages,
  storeStates,
} from '../states/live-messages.ts';
import { failedFrom, unknownFrom } from '../states/moves.ts';
import { ranks } from '../statuses.ts';

const day = 24 * 60 * 60 * 1000;
export const givenUpAfterMs = 31 * day;

// Few enough that reading them, and ending as many as can be open among them, is short work.
const stretchLength = 2_000;
const mostAtOnce = 500;

/** Accounts that ever sent anything. */
export const tenantsThatSend = (database: Database) =>
  database.system((s) =>
    s.many<Tenant>(sql`
      select distinct account_sid as "accountSid", livemode from dispatch_lanes order by account_sid, livemode`),
  );

type Look = { database: Database; now: Date; write: Write };

/**
 * Looks through the next stretch of a tenant's holds that are old enough, and remembers where it ended: each is looked at
 * once. Tells whether there may be more. Of two who look at the same time one does it, and the other begins after it.
 */
export async function lookThroughHolds({ database, now, write }: Look, tenant: Tenant): Promise<boolean> {
  const after = await write(tenant, (t) => lookedUntil(t));
  const before = firstSid('SM', new Date(now.getTime() - givenUpAfterMs));
  const { open, until } = await database.system((s) =>
    stretchOfHolds(s, tenant, { after, before, length: stretchLength }),
  );
  if (until === null) return false;
  const ending = open.slice(0, mostAtOnce);
  const reached = ending.length < open.length ? ending.at(-1)! : until;
  await write(tenant, async (t) => {
    if ((await lookedUntil(t)) !== after) return;
    await giveUpSilent(t, ending);
    await t.run(sql`
      update silence_looks set looked_until = ${reached}, looked_at = ${t.now}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  });
  return true;
}

/** Where the last look ended, held until the transaction ends. */
async function lookedUntil(t: TenantTx): Promise<string> {
  const { until } = await t.one<{ until: string }>(sql`
    insert into silence_looks (account_sid, livemode, looked_until, looked_at)
    values (${t.accountSid}, ${t.livemode}, '', ${t.now})
    on conflict (account_sid, livemode) do update set looked_at = silence_looks.looked_at
    returning looked_until as until`);
  return until;
}

/** One that was not old enough when its turn came, since it left later than it was accepted. */
export const lookAtSilent = defineJob({
  name: 'messages.look-at-silent',
  payload: Closed({ messageSid: Sid('SM') }),
  attempts: untilDone,
  async run({ write }, { messageSid }) {
    await write((t) => giveUpSilent(t, [messageSid]));
  },
});

/** Ends those of which nothing was heard for long enough; the others are looked at again when it may be so. */
export async function giveUpSilent(t: TenantTx, sids: readonly string[]): Promise<void> {
  if (sids.length === 0) return;
  const messages = [...(await lockMessages(t, sids)).values()];
  const unpriced = messages.filter(awaitsPrice);
  const unheard = messages.filter((message) => isOnItsWay(message) && !awaitsPrice(message));
  const silent = unheard.filter((message) => nextLookAt(t, message) <= t.now);
  const moved = silent.flatMap((message) => afterSilence(t, message));
  await settleEstimates(t, unpriced);
  await storeStates(t, [...unpriced, ...moved]);
  const released = await release(
    t,
    silent.map(({ sid }) => sid),
  );
  doubtSilence(t, released);
  for (const message of moved) announce(t, message);
  announcePrices(t, unpriced);
  for (const { status } of silent) messagesGivenUp.inc({ status });
  lookLater(
    t,
    unheard.filter((message) => !silent.includes(message)),
  );
}

const isOnItsWay = ({ waiting, rank }: LiveMessage) =>
  waiting || (rank >= ranks.sending && rank <= ranks.sent);

function lookLater(t: TenantTx, messages: LiveMessage[]): void {
  for (const message of messages) {
    const { sid: messageSid } = message;
    const runAt = nextLookAt(t, message);
    enqueue(t, lookAtSilent, { messageSid }, { runAt, key: `silent:${messageSid}` });
  }
}

/** Counted from the last that was heard of it; for one that has yet to leave, from when it may. */
function nextLookAt(t: TenantTx, { waiting, dueAt, updatedAt }: LiveMessage): Date {
  const since = waiting ? Math.max(t.now.getTime(), Date.parse(dueAt!)) : Date.parse(updatedAt);
  return new Date(since + givenUpAfterMs);
}

function afterSilence(t: TenantTx, message: LiveMessage): LiveMessage[] {
  if (message.rank === ranks.sending) return [unknownFrom(message)];
  if (message.rank !== ranks.sent) return [];
  return [failedFrom(message, messageError('RECIPIENT_UNREACHABLE'), t.now)];
}
