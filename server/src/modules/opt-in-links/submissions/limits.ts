// How often forms may be submitted: by one address, for one person, on one link. An address is counted before anything else is
// done, and the count is committed, so that many at once are no more than one after the other.
import type { Database, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { hmacSha256 } from '../../../platform/hashing.ts';
import { networkOf } from '../../../platform/http/input/client-network.ts';
import { demandSolution, solutionHeader } from '../../../platform/http/limits/proof-of-work.ts';
import { type Quota, quotaReached } from '../../../platform/http/limits/rate-limit.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { identitiesOf } from '../../contacts/index.ts';
import type { HourCount } from '../links.ts';

type Limit = Required<Quota>;
const freely: Limit = { name: 'opt-in-address', quota: 5, windowSeconds: 600 };
const perAddress: Limit = { name: 'opt-in-address', quota: 60, windowSeconds: 3_600 };
const perPerson: Limit = { name: 'opt-in-phone', quota: 3, windowSeconds: 86_400 };
const perLink: Limit = { name: 'opt-in-link', quota: 1_000, windowSeconds: 3_600 };

const solutionWanted = `Too many forms came from this address: the next must bring a solved challenge in ${solutionHeader}.`;

const later = (at: Date, { windowSeconds }: Limit) => new Date(at.getTime() + windowSeconds * 1_000);

const earlier = (at: Date, { windowSeconds }: Limit) => new Date(at.getTime() - windowSeconds * 1_000);

const reached = (limit: Limit, endsAt: Date, now: Date) =>
  quotaReached(limit, Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000)));

type Means = { database: Database; sealer: Sealer; now: Date };

/** Lets an address pass: freely at first, then for a proof of work each time, and then not at all for a while. */
export async function passAddress(
  means: Means,
  address: string,
  solution: string | undefined,
): Promise<void> {
  const [few, many] = await countAddress(means, networkOf(address));
  if (many.submissions > perAddress.quota) throw reached(perAddress, many.endsAt, means.now);
  if (few.submissions <= freely.quota) return;
  if (solution === undefined) throw new ApiError('CAPTCHA_REQUIRED', { message: solutionWanted });
  await demandSolution(means, solution);
}

type Counter = { submissions: number; endsAt: Date };

async function countAddress({ database, sealer, now }: Means, network: string): Promise<[Counter, Counter]> {
  const key = sealer.derive('opt-in-address');
  const [few, many] = [freely, perAddress].map((limit) => ({
    subject: hmacSha256(key, `${limit.windowSeconds} ${network}`),
    endsAt: later(now, limit),
  })) as [{ subject: Buffer; endsAt: Date }, { subject: Buffer; endsAt: Date }];
  // In the order of their subjects, so that two submissions never wait for each other.
  const items = [few, many].sort((a, b) => Buffer.compare(a.subject, b.subject));
  const isOver = sql`c.ends_at <= ${now}`;
  const rows = await database.ask<{ subject: Buffer; submissions: number; endsAt: string }>(sql`
    insert into opt_in_counters as c (subject, submissions, ends_at)
    select subject, 1, ends_at
      from unnest(${items.map(({ subject }) => subject)}::bytea[], ${items.map(({ endsAt }) => endsAt)}::timestamptz[])
        as item (subject, ends_at)
    on conflict (subject) do update set
      submissions = case when ${isOver} then 1 else c.submissions + 1 end,
      ends_at = case when ${isOver} then excluded.ends_at else c.ends_at end
    returning subject, submissions, ends_at as "endsAt"`);
  const counterOf = ({ subject }: { subject: Buffer }): Counter => {
    const row = rows.find((one) => one.subject.equals(subject))!;
    return { submissions: row.submissions, endsAt: new Date(row.endsAt) };
  };
  return [counterOf(few), counterOf(many)];
}

/** The count of a link with one more in it. */
export function countHour(now: Date, { hourStartedAt, hourSubmissions }: HourCount): HourCount {
  if (hourStartedAt === null || later(hourStartedAt, perLink) <= now)
    return { hourStartedAt: now, hourSubmissions: 1 };
  if (hourSubmissions >= perLink.quota) throw reached(perLink, later(hourStartedAt, perLink), now);
  return { hourStartedAt, hourSubmissions: hourSubmissions + 1 };
}

/** Refuses the fourth submission for a person within a day, on whichever links. The person is held by the caller. */
export async function passPerson(t: TenantTx, contactSid: string): Promise<void> {
  const rows = await t.many<{ at: string }>(sql`
    select created_at as at from opt_in_submissions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and contact_sid = any (${await identitiesOf(t, contactSid)}) and created_at > ${earlier(t.now, perPerson)}
     order by created_at limit ${perPerson.quota}`);
  if (rows.length >= perPerson.quota)
    throw reached(perPerson, later(new Date(rows[0]!.at), perPerson), t.now);
}
