// What nobody looks after any more: messages that expired while their lane stood still, and hand-offs of processes that
// died. Every worker looks; row locks let one of them act.
import type { Database, SystemTx, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { isAlive } from '../../../platform/queue/lease.ts';
import {
  awaitsAnswer,
  type LiveMessage,
  liveColumns,
  lockMessages,
  storeStates,
} from '../states/live-messages.ts';
import { expiredFrom, unknownFrom } from '../states/moves.ts';
import { type AttemptEnd, endAttempts } from './attempts.ts';
import { end } from './claim-messages.ts';
import { wakeLanes } from './lanes.ts';
import { storeMoved } from './record-answers.ts';

/** Opens a transaction of a tenant; given by whoever sweeps. */
export type Write = <T>(tenant: Tenant, work: (t: TenantTx) => Promise<T>) => Promise<T>;

const slice = 500;

/** When there is something to sweep next: a message expires, or a hand-off is open that this or a dead process began. */
export const nextToSweep = (processId: string) => sql`least(
  (select min(expires_at) from message_states where waiting and expires_at is not null),
  (select '-infinity'::timestamptz from message_attempts a
    where a.ended_at is null and (a.process_id = ${processId} or not ${isAlive(sql`a.process_id`)}) limit 1))`;

export async function sweepExpired(database: Database, now: Date, write: Write): Promise<void> {
  const tenants = await database.system((s) =>
    s.many<Tenant>(sql`
      select distinct account_sid as "accountSid", livemode from (
        select account_sid, livemode from message_states
         where waiting and expires_at is not null and expires_at <= ${now} order by expires_at limit ${slice}) as due`),
  );
  for (const tenant of tenants) await write(tenant, expireDue);
}

async function expireDue(t: TenantTx): Promise<void> {
  const due = await t.many<LiveMessage>(sql`
    with due as (
      select * from message_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waiting
         and expires_at is not null and expires_at <= ${t.now}
       order by sid limit ${slice} for no key update skip locked)
    select ${liveColumns} from due s
     cross join lateral (
       select * from messages where account_sid = s.account_sid and sid = s.sid limit 1) as m`);
  await end(t, due.map(expiredFrom));
}

export type OpenAttempt = Tenant & { messageSid: string; number: number; processId: string };

/** Hand-offs without an answer whose process is no longer alive. */
export const findOrphans = (s: SystemTx) =>
  s.many<OpenAttempt>(sql`
    select a.account_sid as "accountSid", a.livemode, a.message_sid as "messageSid", a.number,
      a.process_id as "processId"
      from message_attempts a
     where a.ended_at is null and not ${isAlive(sql`a.process_id`)}
     order by a.account_sid, a.message_sid limit ${slice}`);

/** The open hand-offs of a process. */
export const findOpen = (s: SystemTx, processId: string) =>
  s.many<OpenAttempt>(sql`
    select account_sid as "accountSid", livemode, message_sid as "messageSid", number, process_id as "processId"
      from message_attempts where process_id = ${processId} and ended_at is null limit ${slice * 10}`);

/** The process may have called before it died: nobody knows, and nothing is sent again. */
export async function giveUpOrphans(orphans: OpenAttempt[], write: Write): Promise<void> {
  for (const [tenant, attempts] of byTenant(orphans)) {
    await write(tenant, async (t) => {
      const current = await endOpen(t, attempts, 'unknown');
      await storeMoved(t, current.map(unknownFrom));
    });
  }
}

/** Claimed by a transaction of which this process never learned that it committed: never called, so back in line. */
export async function takeBackLost(lost: OpenAttempt[], write: Write): Promise<void> {
  for (const [tenant, attempts] of byTenant(lost)) {
    await write(tenant, async (t) => {
      const current = await endOpen(t, attempts, 'retry');
      await storeStates(
        t,
        current.map((message) => ({ ...message, waiting: true })),
      );
      await wakeLanes(t, new Map(current.map(({ senderSid }) => [senderSid, t.now])));
    });
  }
}

/** Ends the attempts, and tells which messages still stand where their attempt left them. */
async function endOpen(
  t: TenantTx,
  attempts: OpenAttempt[],
  outcome: AttemptEnd['outcome'],
): Promise<LiveMessage[]> {
  const messages = await lockMessages(
    t,
    attempts.map(({ messageSid }) => messageSid),
  );
  const nothing = { code: null, providerCode: null, reason: null, providerMessageId: null };
  const ended = await endAttempts(
    t,
    attempts.map(({ messageSid, number }) => ({ messageSid, number, outcome, ...nothing })),
  );
  return [...messages.values()].filter((message) => ended.has(message.sid) && awaitsAnswer(message));
}

function byTenant(attempts: OpenAttempt[]): [Tenant, OpenAttempt[]][] {
  const groups = Map.groupBy(attempts, ({ accountSid, livemode }) => `${accountSid} ${livemode}`);
  return [...groups.values()].map((group) => [
    { accountSid: group[0]!.accountSid, livemode: group[0]!.livemode },
    group,
  ]);
}
