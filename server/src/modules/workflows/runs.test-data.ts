// Workflows and runs laid down for tests that need them and not how they came to be.
import assert from 'node:assert/strict';
import type { TestApp } from '../../../test/harness/app.ts';
import { phone } from '../../../test/harness/contacts.ts';
import { newSid } from '../../platform/ids.ts';

export const onMessage = { eventTypes: ['MESSAGE_RECEIVED'], allowReentry: true };

/** A definition with these actions. */
export const doing = (actions: object[] = [{ type: 'stop' }], more: object = {}) => ({
  trigger: onMessage,
  conditions: [],
  actions,
  ...more,
});

export async function newWorkflow(app: TestApp, definition: object = doing()): Promise<string> {
  const reply = await app.post(`${app.at}/workflows`, { name: 'Test', definition });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.sid;
}

export async function publishedWorkflow(app: TestApp, definition: object = doing()): Promise<string> {
  const sid = await newWorkflow(app, definition);
  const reply = await app.post(`${app.at}/workflows/${sid}/publish`);
  assert.equal(reply.status, 200, reply.text);
  return sid;
}

export const newContact = async (app: TestApp): Promise<string> =>
  (await app.post(`${app.at}/contacts`, { identifiers: [phone()] })).body.sid;

type Waiting = { contactSid?: string; dueAt?: Date };
let made = 0;

/** A run that waits, for a contact of its own unless it is named. */
export async function waitingRun(app: TestApp, workflowSid: string, waiting: Waiting = {}): Promise<string> {
  const now = app.clock.now();
  made += 1;
  const runSid = newSid('WR', new Date(now.getTime() + made));
  const contactSid = waiting.contactSid ?? newSid('CT', now);
  const dueAt = waiting.dueAt ?? new Date(now.getTime() + 3_600_000);
  await app.sql(
    `insert into workflow_runs (account_sid, livemode, sid, workflow_sid, version, state, contact_sid, subject_sid,
       event_sequence, event_sid, event_type, event_data, depth, cursor, memory, started_at, timeout_at, updated_at)
     values ($1, false, $2, $3, 1, 'WAITING', $4, $4, $5, $6, 'MESSAGE_RECEIVED', '{}', 0, '{}', '{}', $7, $8, $7)`,
    [
      app.accountSid,
      runSid,
      workflowSid,
      contactSid,
      made,
      newSid('EV', now),
      now,
      new Date(now.getTime() + 1e9),
    ],
  );
  await app.sql(
    `insert into workflow_wakes (account_sid, livemode, run_sid, workflow_sid, contact_sid, names, listening, due_at)
     values ($1, false, $2, $3, $4, '{message.received}', true, $5)`,
    [app.accountSid, runSid, workflowSid, contactSid, dueAt],
  );
  return runSid;
}

/** As many at once, each for a contact that is nobody. */
export async function waitingRuns(app: TestApp, workflowSid: string, many: number): Promise<void> {
  await app.sql(
    `with run as (
       insert into workflow_runs (account_sid, livemode, sid, workflow_sid, version, state, contact_sid, subject_sid,
         event_sequence, event_sid, event_type, event_data, depth, cursor, memory, started_at, timeout_at, updated_at)
       select $1, false, 'WR01K3SAMP1E' || lpad(n::text, 16, '0'), $2, 1, 'WAITING', 'CT01K3SAMP1E' || lpad(n::text, 16, '0'),
         'CT01K3SAMP1E' || lpad(n::text, 16, '0'), 1000000 + n, $3, 'MESSAGE_RECEIVED', '{}', 0, '{}', '{}', $4, $5, $4
         from generate_series(1, $6::integer) as n
       returning account_sid, sid, workflow_sid, contact_sid)
     insert into workflow_wakes (account_sid, livemode, run_sid, workflow_sid, contact_sid, names, listening, due_at)
     select account_sid, false, sid, workflow_sid, contact_sid, '{message.received}', true, $5 from run`,
    [
      app.accountSid,
      workflowSid,
      newSid('EV', app.clock.now()),
      app.clock.now(),
      new Date(app.clock.now().getTime() + 1e9),
      many,
    ],
  );
}

/** Every run of a workflow: its state and why. */
export const runsOf = (app: TestApp, workflowSid: string) =>
  app.sql<{ sid: string; state: string; outcome: string | null }>(
    'select sid, state, outcome from workflow_runs where account_sid = $1 and workflow_sid = $2 order by sid',
    [app.accountSid, workflowSid],
  );
