// What runs do and know of somebody who may no longer be dealt with, or is to be forgotten.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { TraceEntry } from '../interpreter/state.ts';
import { endRuns } from './ending.ts';

/** Ends every run of a contact, whichever workflow it is of; tells how many. */
export async function endRunsOfContact(
  t: TenantTx,
  contactSid: string,
  outcome: 'restricted' | 'erased',
): Promise<number> {
  const rows = await t.many<{ workflowSid: string }>(sql`
    select distinct workflow_sid as "workflowSid" from workflow_wakes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
     order by 1`);
  let ended = 0;
  for (const { workflowSid } of rows) ended += await endRuns(t, { workflowSid, contactSid, outcome });
  return ended;
}

const nothing = JSON.stringify({ vars: {}, steps: {}, replies: {} });
/** Where a run stood stays known, without why a step failed and what was answered. */
const nothingSaid = JSON.stringify({ error: null, failure: null, messageSid: null });

/**
 * Takes variables, outputs, what conditions saw and the event itself out of all runs of a contact, also those that ended long ago, and
 * the words with which workflows were stopped for it.
 */
export async function eraseRuns(t: TenantTx, contactSid: string): Promise<void> {
  await endRunsOfContact(t, contactSid, 'erased');
  const theirs = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}`;
  await Promise.all([
    eraseSteps(t, contactSid),
    t.run(sql`
      update workflow_runs set memory = ${nothing}::json, event_data = '{}', error = null, effect = null,
        cursor = (cursor::jsonb || ${nothingSaid}::jsonb)::json
       where ${theirs}`),
    t.run(sql`update workflow_decisions set detail = null where ${theirs}`),
    t.run(sql`update workflow_contact_stops set reason = null where ${theirs}`),
  ]);
}

/** What was done stays known, without what was seen and said. */
async function eraseSteps(t: TenantTx, contactSid: string): Promise<void> {
  const rows = await t.many<{ runSid: string; entry: number; trace: TraceEntry }>(sql`
    select s.run_sid as "runSid", s.entry, s.trace from workflow_steps s
      join workflow_runs r on r.account_sid = s.account_sid and r.sid = s.run_sid
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.contact_sid = ${contactSid}`);
  const bare = rows.map(({ trace: { saw: _saw, output: _output, error: _error, ...trace } }) =>
    JSON.stringify(trace),
  );
  await t.run(sql`
    update workflow_steps s set trace = item.trace::json
      from unnest(${rows.map(({ runSid }) => runSid)}::text[], ${rows.map(({ entry }) => entry)}::integer[], ${bare}::text[])
        as item (run_sid, entry, trace)
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.run_sid = item.run_sid
       and s.entry = item.entry`);
}
