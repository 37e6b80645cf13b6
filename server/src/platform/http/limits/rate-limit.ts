// Token buckets. A bucket lives in this process while it is the only API process, and in PostgreSQL once there are
// several, so that a key's limit is the same however many serve it.
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/query.ts';
import { ApiError } from '../../errors/errors.ts';

export type Policy = { name: string; perSecond: number; burst: number };
export type Verdict = { allowed: boolean; remaining: number; resetSeconds: number };
export type Buckets = { take(bucket: string, policy: Policy, nowMs: number): Verdict | Promise<Verdict> };
export type LocalBuckets = {
  /** Takes `cost` tokens; a cost of 0 only asks whether one is there. */
  take(bucket: string, policy: Policy, nowMs: number, cost?: number): Verdict;
};

// Far more than the keys active at once; an evicted bucket is simply full again.
const maxBuckets = 100_000;

// The clocks of several processes differ a little, and no two may refill the same moment. A bucket further ahead than
// this was filled by a clock that has since been set right: nothing is known of it, so it counts as full.
const skewMs = 10_000;

// Tokens are kept in thousandths: at whole tokens a second, a millisecond then adds a whole number and sums stay exact.
const one = 1000;

/** What a bucket holds, in thousandths of a token, as of a moment. */
export type Filling = { tokens: number; atMs: number };

/** What a bucket holds now; one that nobody has taken from is full. */
export function refilled(policy: Policy, known: Filling | undefined, nowMs: number): Filling {
  const full = policy.burst * one;
  const found = known && known.atMs <= nowMs + skewMs ? known : { tokens: full, atMs: nowMs };
  const elapsedMs = Math.max(0, nowMs - found.atMs);
  const tokens = Math.min(full, found.tokens + elapsedMs * policy.perSecond);
  return { tokens, atMs: Math.max(nowMs, found.atMs) };
}

export const wholeTokens = ({ tokens }: Filling): number => Math.max(0, Math.floor(tokens / one));

export const without = ({ tokens, atMs }: Filling, cost: number): Filling => ({
  tokens: tokens - cost * one,
  atMs,
});

export function localBuckets(): LocalBuckets {
  const buckets = new Map<string, Filling>();
  return {
    take(bucket, policy, nowMs, cost = 1) {
      const known = buckets.get(bucket);
      const found = refilled(policy, known, nowMs);
      if (found.tokens < one) return verdict(false, found.tokens, policy);
      const left = without(found, cost);
      if (!known && buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value!);
      buckets.set(bucket, left);
      return verdict(true, left.tokens, policy);
    },
  };
}

export function sharedBuckets(database: Database): Buckets {
  return {
    async take(bucket, policy, nowMs) {
      const now = new Date(nowMs);
      const full = policy.burst * one;
      const isAhead = sql`b.refilled_at > excluded.refilled_at + ${skewMs} * interval '1 ms'`;
      const elapsedMs = sql`greatest(0, extract(epoch from excluded.refilled_at - b.refilled_at) * 1000)`;
      const refilled = sql`case when ${isAhead} then ${full}::float8
        else least(${full}, b.tokens + ${elapsedMs} * ${policy.perSecond}::float8) end`;
      // One statement reads, refills and takes, so that two processes cannot take the same token.
      const row = await database.system((s) =>
        s.maybe<{ tokens: number }>(sql`
          insert into rate_buckets as b (name, tokens, refilled_at) values (${bucket}, ${full - one}, ${now})
          on conflict (name) do update set
            tokens = ${refilled} - ${one},
            refilled_at = case when ${isAhead} then excluded.refilled_at
              else greatest(b.refilled_at, excluded.refilled_at) end
          where ${refilled} >= ${one}
          returning tokens`),
      );
      return verdict(row !== undefined, row?.tokens ?? 0, policy);
    },
  };
}

export function verdict(allowed: boolean, tokens: number, policy: Policy): Verdict {
  const missing = Math.max(0, one - tokens);
  return {
    allowed,
    remaining: Math.floor(tokens / one),
    resetSeconds: Math.ceil(missing / one / policy.perSecond),
  };
}

/** The headers of the IETF draft "RateLimit header fields for HTTP". */
export function rateLimitHeaders(
  policy: Policy,
  { remaining, resetSeconds }: Verdict,
): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy.name}";q=${policy.burst};w=${Math.ceil(policy.burst / policy.perSecond)}`,
    ratelimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** A limit that is no bucket: so many in a window or, without one, so many at once. */
export type Quota = { name: string; quota: number; windowSeconds?: number };

export function quotaReached({ name, quota, windowSeconds }: Quota, retryAfterSeconds: number): ApiError {
  const measure = windowSeconds === undefined ? 'qu="concurrent-requests"' : `w=${windowSeconds}`;
  return new ApiError('RATE_LIMITED', {
    retryAfterSeconds,
    headers: {
      'ratelimit-policy': `"${name}";q=${quota};${measure}`,
      ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`,
    },
  });
}

export function rateLimited(policy: Policy, verdict: Verdict): ApiError {
  return new ApiError('RATE_LIMITED', {
    retryAfterSeconds: Math.max(1, verdict.resetSeconds),
    headers: rateLimitHeaders(policy, verdict),
  });
}
