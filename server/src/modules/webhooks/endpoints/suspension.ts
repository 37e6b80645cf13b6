// An endpoint is suspended when nothing succeeded for 24 hours and 20 attempts failed, or when three deliveries in a row
// used up their whole schedule. Whoever looks after webhooks is told once, by event and notification; what it misses can be redelivered.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { audit } from '../../audit/index.ts';
import { loadEndpoint, openOrCloseLane } from './endpoints.ts';
import { endpointEvents } from './events.ts';

const deadAfterMs = 24 * 3_600_000;
const leastFailures = 20;
const mostExhausted = 3;

/** What attempts of late say about an endpoint. */
export type Tally = {
  endpointSid: string;
  succeeded: boolean;
  failures: number;
  exhausted: number;
  firstFailureAt: Date;
};

/** Keeps count of what fails, and suspends what has failed for too long. */
export async function suspendIfDead(t: TenantTx, tallies: Tally[]): Promise<void> {
  if (tallies.length === 0) return;
  // A healthy endpoint that stays healthy is not written to: that is nearly every endpoint, nearly always.
  const failing = await t.many<{ sid: string; dead: boolean }>(sql`
    update webhook_endpoints e
       set failing_since = case
             when item.failures = 0 then null
             when item.succeeded then item.first_failure_at
             else coalesce(e.failing_since, item.first_failure_at) end,
           failures = case when item.succeeded then 0 else e.failures end + item.failures,
           exhausted = case when item.succeeded then 0 else e.exhausted end + item.exhausted
      from unnest(${tallies.map(({ endpointSid }) => endpointSid)}::text[],
          ${tallies.map(({ succeeded }) => succeeded)}::boolean[], ${tallies.map(({ failures }) => failures)}::integer[],
          ${tallies.map(({ exhausted }) => exhausted)}::integer[],
          ${tallies.map(({ firstFailureAt }) => firstFailureAt)}::timestamptz[])
        as item (sid, succeeded, failures, exhausted, first_failure_at)
     where e.account_sid = ${t.accountSid} and e.sid = item.sid
       and (item.failures > 0 or e.failing_since is not null)
    returning e.sid, e.suspended_at is null and e.disabled_at is null and (
      e.exhausted >= ${mostExhausted}
      or (e.failures >= ${leastFailures} and e.failing_since is not null
        and e.failing_since <= ${new Date(t.now.getTime() - deadAfterMs)})) as dead`);
  for (const { sid } of failing.filter(({ dead }) => dead)) await suspend(t, sid);
}

async function suspend(t: TenantTx, sid: string): Promise<void> {
  await t.run(sql`
    update webhook_endpoints set suspended_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  await openOrCloseLane(t, sid);
  const endpoint = await loadEndpoint(t, sid);
  const { failures, failingSince } = endpoint;
  audit(t, { action: 'webhook.suspended', resource: sid, facts: { failures, failingSince } });
  emit(t, endpointEvents.suspended, endpoint);
}
