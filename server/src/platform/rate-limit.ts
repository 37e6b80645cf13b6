// Token buckets. A bucket lives in this process while it is the only API process, and in PostgreSQL once there are
// several, so that a key's limit is the same however many serve it.
import type { Database } from './db/database.ts';
import { sql } from './db/query.ts';
import { ApiError } from './errors.ts';

export type Policy = { name: string; perSecond: number; burst: number };
export type Verdict = { allowed: boolean; remaining: number; resetSeconds: number };
export type Buckets = { take(bucket: string, policy: Policy, nowMs: number): Verdict | Promise<Verdict> };
export type LocalBuckets = {
  /** Takes `cost` tokens; a cost of 0 only asks whether one is there. */
  take(bucket: string, policy: Policy, nowMs: number, cost?: number): Verdict;
};

// Far more than the keys active at once; an evicted bucket is simply full again.
const maxBuckets = 100_000;

export function localBuckets(): LocalBuckets {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return {
    take(bucket, policy, nowMs, cost = 1) {
      const found = buckets.get(bucket);
      const elapsedMs = found ? Math.max(0, nowMs - found.atMs) : 0;
      const tokens = found
        ? Math.min(policy.burst, found.tokens + (elapsedMs * policy.perSecond) / 1000)
        : policy.burst;
      const allowed = tokens >= 1;
      const left = allowed ? tokens - cost : tokens;
      if (!found && buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value!);
      buckets.set(bucket, { tokens: left, atMs: nowMs });
      return verdict(allowed, left, policy);
    },
  };
}

export function sharedBuckets(database: Database): Buckets {
  return {
    async take(bucket, policy, nowMs) {
      const now = new Date(nowMs);
      const full = policy.burst;
      const refilled = sql`least(${full}::float8, b.tokens + ${policy.perSecond}::float8
        * greatest(0, extract(epoch from excluded.refilled_at - b.refilled_at)))`;
      // One statement reads, refills and takes, so that two processes cannot take the same token.
      const row = await database.system((s) =>
        s.maybe<{ tokens: number }>(sql`
          insert into rate_buckets as b (name, tokens, refilled_at) values (${bucket}, ${full - 1}, ${now})
          on conflict (name) do update set
            tokens = ${refilled} - 1,
            refilled_at = greatest(b.refilled_at, excluded.refilled_at)
          where ${refilled} >= 1
          returning tokens`),
      );
      return verdict(row !== undefined, row?.tokens ?? 0, policy);
    },
  };
}

function verdict(allowed: boolean, tokens: number, policy: Policy): Verdict {
  const missing = Math.max(0, 1 - tokens);
  return { allowed, remaining: Math.floor(tokens), resetSeconds: Math.ceil(missing / policy.perSecond) };
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

export function rateLimited(policy: Policy, verdict: Verdict): ApiError {
  return new ApiError('RATE_LIMITED', {
    retryAfterSeconds: Math.max(1, verdict.resetSeconds),
    headers: rateLimitHeaders(policy, verdict),
  });
}
