// Whoever suppresses a person, records their no or takes a sender away gets an answer that is a promise: after it nothing
// leaves. What looked before that commit may still be on its way, so it is waited for: first claims that have not committed,
// by a lock they share, then hand-offs without an answer. A call that did not begin in time does not begin at all, so the
// wait has an end even where the provider is silent.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Outwait, SystemTx, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { lockName, lockNumber } from '../../../platform/db/tenant-lock.ts';
import { gatherer } from '../../../platform/http/operations/gathering.ts';
import { beginWithinMs } from './hand-over.ts';

const claimsOf = (tenant: Tenant) => lockNumber(lockName(tenant, 'claims'));

/**
 * Makes the transaction one that `outwait` waits for. Claims share the lock, so none of them gives way to another; false when
 * somebody holds it alone or is about to, and the claim is to be tried again instead of keeping a connection waiting.
 */
export async function whileClaiming(t: TenantTx): Promise<boolean> {
  const { shared } = await t.one<{ shared: boolean }>(sql`
    select pg_try_advisory_xact_lock_shared(${claimsOf(t)}) as shared`);
  return shared;
}

/**
 * Keeps an account's messages from being claimed until the transaction ends, and begins once no claim is under way: whatever
 * leaves afterwards has looked at what it decides. To be taken before any row.
 */
export const lockClaims = (t: TenantTx) => t.run(sql`select pg_advisory_xact_lock(${claimsOf(t)})`);

// Longer than a call may take to begin: whatever looked before the wait began has called by then, or will not.
const longestMs = beginWithinMs + 500;
const firstRestMs = 10;
const longestRestMs = 100;

type Attempt = { accountSid: string; messageSid: string; number: number };

export function createOutwait(): Outwait {
  // Those who wait at the same moment ask together: a hundred suppressions cost a few looks.
  const afterClaims = gatherer<{ database: Database; tenant: Tenant }, Attempt[]>(
    { most: 1_000, atOnce: 2 },
    async (_lane, members) => {
      const { database, tenant } = members[0]!;
      const open = await database.system(async (s) => {
        await s.run(sql`select pg_advisory_xact_lock(${claimsOf(tenant)})`);
        return openAttempts(s);
      });
      return members.map(() => ({ result: open }));
    },
  );
  const now = gatherer<Database, Attempt[]>({ most: 1_000, atOnce: 1 }, async (_lane, databases) => {
    const open = await databases[0]!.system(openAttempts);
    return databases.map(() => ({ result: open }));
  });

  return async (database, tenant, requestContext, sids) => {
    const beganMs = performance.now();
    const open = await afterClaims(`${tenant.accountSid} ${tenant.livemode}`, { database, tenant });
    const own = open.filter(({ accountSid }) => accountSid === tenant.accountSid);
    if (own.length === 0) return;
    const concerned = await database.read(tenant, requestContext, (t) => concerning(t, own, sids));
    let waiting = new Set(own.filter(({ messageSid }) => concerned.has(messageSid)).map(keyOf));
    for (let restMs = firstRestMs; waiting.size > 0; restMs = Math.min(2 * restMs, longestRestMs)) {
      if (performance.now() - beganMs > longestMs) return;
      await sleep(restMs);
      waiting = new Set((await now('open', database)).map(keyOf)).intersection(waiting);
    }
  };
}

type Asking = {
  database: Database;
  read<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
};

/** Whether a hand-off of the sender has no answer yet. Those of processes that died are passed over: they call nobody any more. */
export async function isHandingOff(
  { database, read }: Asking,
  { accountSid }: Tenant,
  senderSid: string,
): Promise<boolean> {
  const open = (await database.system(openAttempts)).filter((attempt) => attempt.accountSid === accountSid);
  return open.length > 0 && (await read((t) => concerning(t, open, [senderSid]))).size > 0;
}

const keyOf = ({ messageSid, number }: Attempt) => `${messageSid} ${number}`;

/** The hand-offs under way, of all accounts: no more than living processes call at once. */
const openAttempts = (s: SystemTx) =>
  s.many<Attempt>(sql`
    select account_sid as "accountSid", message_sid as "messageSid", number from message_attempts
     where process_id in (select id from processes) and ended_at is null`);

/** Those of these messages that go to one of these people or from one of these senders; all of them where the account is meant. */
async function concerning(t: TenantTx, attempts: Attempt[], sids: readonly string[]): Promise<Set<string>> {
  const rows = await t.many<{ sid: string }>(sql`
    select m.sid from unnest(${attempts.map(({ messageSid }) => messageSid)}::text[]) as open (sid)
     cross join lateral (
       select * from messages where account_sid = ${t.accountSid} and sid = open.sid limit 1) as m
     where m.livemode = ${t.livemode} and (m.contact_sid = any (${[...sids]}::text[])
        or m.sender_sid = any (${[...sids]}::text[]) or m.account_sid = any (${[...sids]}::text[]))`);
  return new Set(rows.map(({ sid }) => sid));
}
