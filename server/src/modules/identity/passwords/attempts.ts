// Guessing at passwords is counted twice: by the person guessed at and by the address guessing. An attempt is counted,
// and committed, before it is judged: many at once are no more guesses than one after the other.

import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ApiError } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { networkOf } from '../../../platform/http/input/client-network.ts';
import { quotaReached } from '../../../platform/http/limits/rate-limit.ts';

export const windowMs = 15 * 60_000;

export type Subjects = { person: string; address: string };

/** The person is named by a hash of the address typed, so that unknown people are counted like known ones. */
export function subjectsOf(kind: 'password' | 'recovery', email: string, address: string): Subjects {
  const person = sha256(email.trim().toLowerCase()).toString('base64url');
  return { person: `${kind}:${person}`, address: `${kind}-address:${networkOf(address)}` };
}

export type Counts = {
  person: number;
  address: number;
  /** When the count of the person begins anew. */
  personUntil: Date;
};
type Row = { subject: string; failures: number; startedAt: string };

const countsIn = (rows: Row[], { person, address }: Subjects, now: Date): Counts => {
  const bySubject = new Map(rows.map((row) => [row.subject, row]));
  const startedAt = bySubject.get(person)?.startedAt ?? now;
  return {
    person: bySubject.get(person)?.failures ?? 0,
    address: bySubject.get(address)?.failures ?? 0,
    personUntil: new Date(new Date(startedAt).getTime() + windowMs),
  };
};

/** The refusal of whoever tried one person too often, until the count begins anew. */
export function tooManyAttempts(name: string, quota: number, { personUntil }: Counts, now: Date): ApiError {
  const waitSeconds = Math.max(1, Math.ceil((personUntil.getTime() - now.getTime()) / 1000));
  return quotaReached({ name, quota, windowSeconds: windowMs / 1000 }, waitSeconds);
}

const windowStart = (now: Date) => new Date(now.getTime() - windowMs);

/** What has been counted within the last quarter of an hour. */
export async function countsOf(s: SystemTx, subjects: Subjects, now: Date): Promise<Counts> {
  const rows = await s.many<Row>(sql`
    select subject, failures, window_started_at as "startedAt" from attempt_counters
     where subject = any (${Object.values(subjects)}) and window_started_at > ${windowStart(now)}`);
  return countsIn(rows, subjects, now);
}

/** Counts one attempt and tells the counts with it. */
export async function countAttempt(s: SystemTx, subjects: Subjects, now: Date): Promise<Counts> {
  const isOver = sql`c.window_started_at <= ${windowStart(now)}`;
  // In the order of their names, so that two attempts never wait for each other.
  const rows = await s.many<Row>(sql`
    insert into attempt_counters as c (subject, failures, window_started_at)
    select subject, 1, ${now} from unnest(${Object.values(subjects).sort()}::text[]) as subject
    on conflict (subject) do update set
      failures = case when ${isOver} then 1 else c.failures + 1 end,
      window_started_at = case when ${isOver} then ${now} else c.window_started_at end
    returning subject, failures, window_started_at as "startedAt"`);
  return countsIn(rows, subjects, now);
}

/**
 * The attempt was right after all: the person starts afresh, and the address gets back what it spent on this person.
 * What it spent on others stays, so that signing in as oneself buys no guesses at them.
 */
export async function forgiveAttempt(s: SystemTx, { person, address }: Subjects): Promise<void> {
  await s.run(sql`
    update attempt_counters c set failures = greatest(0, c.failures - p.failures)
      from attempt_counters p where c.subject = ${address} and p.subject = ${person}`);
  await s.run(sql`delete from attempt_counters where subject = ${person}`);
}
