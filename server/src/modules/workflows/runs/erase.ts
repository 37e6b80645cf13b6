// What runs do and know of somebody who may no longer be dealt with, or is to be forgotten.
import type { Erased, Person, StorePage } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { eventsNaming } from '../../../platform/events.ts';
import type { State, TraceEntry } from '../interpreter/state.ts';
import { endRuns } from './ending.ts';

/**
 * Ends every run of a contact, whichever workflow it is of; tells how many. No run starts anywhere until the transaction ends: whoever
 * starts one then sees why it ended them.
 */
export async function endRunsOfContact(
  t: TenantTx,
  contactSid: string,
  outcome: 'restricted' | 'erased',
): Promise<number> {
  await t.run(sql`
    select 1 from workflows where account_sid = ${t.accountSid} and livemode = ${t.livemode} and state = 'PUBLISHED'
     order by sid for update`);
  const rows = await t.many<{ workflowSid: string }>(sql`
    select distinct workflow_sid as "workflowSid" from workflow_wakes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
     order by 1`);
  let ended = 0;
  for (const { workflowSid } of rows) ended += await endRuns(t, { workflowSid, contactSid, outcome });
  return ended;
}

const nothing = JSON.stringify({ vars: {}, steps: {}, replies: {} });

export const theirs = (
  t: TenantTx,
  { family }: Person,
) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
  and contact_sid = any (${family}::text[])`;

/** Runs have up to a thousand steps. */
const runsAtOnce = 20;

type ErasedRun = { sid: string; cursor: State };

/**
 * Ends what is under way, and takes variables, outputs, what conditions saw and the event itself out of all runs, also those that ended
 * long ago. Where a run stood stays known, without why a step failed and what was answered.
 */
export async function eraseRuns(t: TenantTx, person: Person, { after, limit }: StorePage): Promise<Erased> {
  const size = Math.min(limit, runsAtOnce);
  if (after === null) for (const contactSid of person.family) await endRunsOfContact(t, contactSid, 'erased');
  const runs = await t.many<ErasedRun & { told: boolean }>(sql`
    select sid, cursor, memory::text <> ${nothing} or event_data::text <> '{}' or error is not null or effect is not null as told
      from workflow_runs where ${theirs(t, person)} and ended_at is not null and sid > ${after ?? ''} order by sid limit ${size}`);
  await blankRuns(
    t,
    runs.filter(({ told }) => told),
  );
  return {
    rows: runs.filter(({ told }) => told).length,
    next: runs.length < size ? null : runs.at(-1)!.sid,
    resources: runs.flatMap(({ sid, cursor }) => [sid, ...requestsOf(sid, cursor)]),
  };
}

/** What a run asked endpoints is told under its SID and the step. */
const requestsOf = (sid: string, { position }: State) =>
  Array.from({ length: position }, (_, at) => `${sid} ${at + 1}`);

async function blankRuns(t: TenantTx, runs: readonly ErasedRun[]): Promise<void> {
  // Not by PostgreSQL, whose functions refuse what people can write (\u0000).
  const cursors = runs.map(({ cursor }) =>
    JSON.stringify({ ...cursor, error: null, failure: null, messageSid: null }),
  );
  await t.run(sql`
    update workflow_runs r set memory = ${nothing}::json, event_data = '{}', error = null, effect = null, cursor = item.cursor::json
      from unnest(${runs.map(({ sid }) => sid)}::text[], ${cursors}::text[]) as item (sid, cursor)
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.sid = item.sid`);
}

/** What was done stays known, without what was seen and said. */
export async function eraseSteps(t: TenantTx, runSids: readonly string[]): Promise<number> {
  const rows = await t.many<{ runSid: string; entry: number; trace: TraceEntry }>(sql`
    select run_sid as "runSid", entry, trace from workflow_steps
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${[...runSids]}::text[])
       and trace::text ~ '"(saw|output|error)"'`);
  const bare = rows.map(({ trace: { saw: _saw, output: _output, error: _error, ...trace } }) =>
    JSON.stringify(trace),
  );
  return t.run(sql`
    update workflow_steps s set trace = item.trace::json
      from unnest(${rows.map(({ runSid }) => runSid)}::text[], ${rows.map(({ entry }) => entry)}::integer[], ${bare}::text[])
        as item (run_sid, entry, trace)
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.run_sid = item.run_sid
       and s.entry = item.entry`);
}

export const eraseMail = (t: TenantTx, runSids: readonly string[]): Promise<number> =>
  t.run(sql`
    delete from workflow_mail
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${[...runSids]}::text[])`);

export async function eraseDecisions(t: TenantTx, person: Person): Promise<Erased> {
  const rows = await t.run(
    sql`update workflow_decisions set detail = null where ${theirs(t, person)} and detail is not null`,
  );
  return { rows, next: null };
}

/** Workflows are few, and whoever one is stopped for is found by both. What was told of it is told of the workflow. */
export async function eraseStops(t: TenantTx, { family }: Person): Promise<Erased> {
  const workflows = await t.many<{ sid: string }>(sql`
    select sid from workflows where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  const sids = workflows.map(({ sid }) => sid);
  const told = await eventsNaming(t, sids, family);
  const rows = await t.run(sql`
    delete from workflow_contact_stops
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = any (${sids}::text[])
       and contact_sid = any (${family}::text[])`);
  return { rows, next: null, resources: told.map(({ sid }) => sid) };
}
