// How attempts ended, written down: every one of them, many in one transaction. An endpoint that keeps failing is
// suspended here, since here is where it shows.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, plainArray, sql } from '../../../platform/db/query.ts';
import { suspendIfDead, type Tally } from '../endpoints/suspension.ts';
import { handAnswers, type RequestAnswer } from '../requests/requests.ts';
import type { Outcome } from './attempt.ts';
import { countAttempts } from './count-attempts.ts';
import { nextAttemptAt } from './schedule.ts';

export type Attempted = {
  endpointSid: string;
  deliverySid: string;
  /** What the delivery's due instant was when it was taken up. */
  dueAt: string;
  tries: number;
  firstAttemptAt: string | null;
  outcome: Outcome;
  /** Whose answer somebody waits for. */
  request?: { key: string; whole: Buffer };
};

/** Writes down attempts of one account. */
export async function recordAttempts(t: TenantTx, attempted: Attempted[]): Promise<void> {
  const failed = attempted.filter(({ outcome }) => outcome.failure !== null);
  const retries = failed.map(retryOf);
  await Promise.all([
    storeAttempts(t, attempted),
    forget(
      t,
      attempted.filter(({ outcome }) => outcome.failure === null),
    ),
    ...(retries.length > 0 ? [putOff(t, retries)] : []),
  ]);
  await suspendIfDead(t, summarize(attempted, retries));
  await handAnswers(t, answersIn(attempted, retries));
}

/** Those that are over: acknowledged, or given up. */
function answersIn(attempted: Attempted[], retries: Retry[]): RequestAnswer[] {
  const goesOn = new Set(
    retries.filter(({ nextAt }) => nextAt !== null).map(({ deliverySid }) => deliverySid),
  );
  return attempted.flatMap(({ request, endpointSid, deliverySid, outcome: { status, failure } }) => {
    if (!request || goesOn.has(deliverySid)) return [];
    const body = failure === null ? request.whole.toString('utf8') : null;
    return [{ key: request.key, endpointSid, deliverySid, status, failure, body }];
  });
}

/** A number is taken when the row is written: attempts of one delivery may be recorded by several, such as a test. */
export async function storeAttempts(
  t: TenantTx,
  attempted: { endpointSid: string; deliverySid: string; outcome: Outcome }[],
): Promise<void> {
  const column = <T>(read: (outcome: Outcome) => T) => attempted.map(({ outcome }) => read(outcome));
  // In the same statement, so that counting costs no way to the database.
  const counted = JSON.stringify(countAttempts(attempted));
  await t.run(
    passingQuery(sql`
    with counted as (
      insert into webhook_statistics as s (account_sid, livemode, endpoint_sid, day, outcome, attempts, durations)
      select ${t.accountSid}, ${t.livemode}, item."endpointSid", item.day, item.outcome, item.attempts, item.durations
        from json_to_recordset(${counted}::json)
          as item ("endpointSid" text, day date, outcome text, attempts bigint, durations bigint[])
      on conflict (account_sid, endpoint_sid, day, outcome) do update
        set attempts = s.attempts + excluded.attempts, durations = array(
          select coalesce(was, 0) + coalesce(more, 0)
            from unnest(s.durations, excluded.durations) with ordinality as both_of (was, more, step) order by step))
    insert into webhook_attempts (account_sid, livemode, delivery_sid, number, attempted_at, duration_ms, url, signature,
      status, failure, reason, answer)
    select ${t.accountSid}, ${t.livemode}, item.delivery_sid, coalesce((
        select max(number) from webhook_attempts a
         where a.account_sid = ${t.accountSid} and a.delivery_sid = item.delivery_sid), 0) + 1,
      item.attempted_at, item.duration_ms, item.url, item.signature, item.status, item.failure, item.reason, item.answer
      from unnest(${plainArray(attempted.map(({ deliverySid }) => deliverySid))}::text[],
          ${plainArray(column(({ attemptedAt }) => attemptedAt.toISOString()))}::timestamptz[],
          ${plainArray(column(({ durationMs }) => durationMs))}::integer[], ${column(({ url }) => url)}::text[],
          ${plainArray(column(({ signature }) => signature))}::text[], ${plainArray(column(({ status }) => status))}::integer[],
          ${plainArray(column(({ failure }) => failure))}::text[], ${column(({ reason }) => reason)}::text[],
          ${column(({ answer }) => answer)}::text[])
        as item (delivery_sid, attempted_at, duration_ms, url, signature, status, failure, reason, answer)`),
  );
}

/** An acknowledged delivery is over, whatever was planned for it meanwhile. */
async function forget(t: TenantTx, delivered: Attempted[]): Promise<void> {
  if (delivered.length === 0) return;
  await t.run(
    passingQuery(sql`
      delete from webhook_undelivered
       where account_sid = ${t.accountSid}
         and delivery_sid = any (${plainArray(delivered.map(({ deliverySid }) => deliverySid))}::text[])`),
  );
}

type Retry = Attempted & { firstAt: Date; nextAt: Date | null };

function retryOf(failed: Attempted): Retry {
  const { attemptedAt, durationMs, retryAfterMs } = failed.outcome;
  const firstAt = failed.firstAttemptAt === null ? attemptedAt : new Date(failed.firstAttemptAt);
  const failedAt = new Date(attemptedAt.getTime() + durationMs);
  const nextAt = nextAttemptAt(firstAt, failedAt, failed.tries + 1, Math.random(), retryAfterMs);
  return { ...failed, firstAt, nextAt };
}

/** Only what stands as it was taken up: somebody may have asked for a retry meanwhile, and theirs counts. */
async function putOff(t: TenantTx, retries: Retry[]): Promise<void> {
  await t.run(
    passingQuery(sql`
    update webhook_undelivered u
       set due_at = item.next_at, gave_up = case when item.next_at is null then 'exhausted' end,
           tries = u.tries + 1, first_attempt_at = item.first_at
      from unnest(${retries.map(({ deliverySid }) => deliverySid)}::text[], ${retries.map(({ dueAt }) => dueAt)}::timestamptz[],
          ${retries.map(({ firstAt }) => firstAt)}::timestamptz[], ${retries.map(({ nextAt }) => nextAt)}::timestamptz[])
        as item (delivery_sid, was_due_at, first_at, next_at)
     where u.account_sid = ${t.accountSid} and u.delivery_sid = item.delivery_sid and u.due_at = item.was_due_at`),
  );
}

/** What these attempts say about each endpoint, where they say that it fails. */
function summarize(attempted: Attempted[], retries: Retry[]): Tally[] {
  const succeeded = new Set(
    attempted.filter(({ outcome }) => outcome.failure === null).map(({ endpointSid }) => endpointSid),
  );
  const tallies = new Map<string, Tally>();
  for (const { endpointSid, nextAt, outcome } of retries) {
    const tally = tallies.get(endpointSid) ?? {
      endpointSid,
      succeeded: succeeded.has(endpointSid),
      failures: 0,
      exhausted: 0,
      firstFailureAt: outcome.attemptedAt,
    };
    tally.failures += 1;
    tally.exhausted += nextAt === null ? 1 : 0;
    tallies.set(endpointSid, tally);
  }
  for (const endpointSid of succeeded) {
    if (tallies.has(endpointSid)) continue;
    const nothing = { failures: 0, exhausted: 0, firstFailureAt: attempted[0]!.outcome.attemptedAt };
    tallies.set(endpointSid, { endpointSid, succeeded: true, ...nothing });
  }
  return [...tallies.values()];
}
