// Looks at every event of accounts that have workflows: gives it to the runs that wait for it, and starts runs. One transaction a batch,
// which moves the cursor: an event is handled once, whatever dies.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { EventConsumer } from '../../../platform/event-consumers/consume.ts';
import { type EventRange, eventsIn, hearNoEvents } from '../../../platform/event-consumers/cursors.ts';
import { customEvent } from '../grammar/catalogue.ts';
import { consumerName } from '../resources/consumer.ts';
import { noteDecisions } from '../runs/decisions.ts';
import { announceRuns } from '../runs/lanes.ts';
import { type NewMail, storeMail, wakeRuns } from '../runs/mail.ts';
import { insertRuns } from '../runs/start-runs.ts';
import { versionsOf } from '../runs/versions.ts';
import { type Decided, decide, type Startable } from './decide.ts';
import { type Happening, happeningsOf, requireSameContacts } from './happenings.ts';
import { nextStartAt } from './pace.ts';

export const startRuns: EventConsumer = { name: consumerName, handle };

type Published = { workflowSid: string; version: number; triggerNames: string[]; after: string };

async function handle(t: TenantTx, range: EventRange): Promise<Date | undefined> {
  const [published, waited] = await Promise.all([publishedWorkflows(t), waitedNames(t)]);
  if (published.length === 0 && !(await hasActiveRuns(t))) {
    await hearNoEvents(t, consumerName);
    return undefined;
  }
  const types = new Set([...published.flatMap(({ triggerNames }) => triggerNames), ...waited]);
  const happenings = await happeningsOf(t, await eventsIn(t, range, [...types]));
  if (happenings.length === 0) return undefined;
  // In the order in which whoever stops a workflow takes them: the workflows, then runs.
  const held = await holdPublished(
    t,
    published.filter((one) => happenings.some((event) => isFor(one, event))),
  );
  const isMailed = await deliverMail(
    t,
    happenings.filter(({ type, contactSid }) => contactSid !== null && waited.includes(type)),
  );
  const isStarted = await startMatching(t, held, happenings);
  if (isMailed || isStarted) await announceRuns(t, t.now);
  return isStarted ? nextStartAt(t) : undefined;
}

const publishedWorkflows = (t: TenantTx) =>
  t.many<Published>(sql`
    select sid as "workflowSid", published_version as version, trigger_names as "triggerNames", subscribed_after as after
      from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and state = 'PUBLISHED'
       and published_version is not null and subscribed_after is not null
     order by sid`);

/** What runs may wait for: those of older versions go on, and those of workflows that are stopped may. */
async function waitedNames(t: TenantTx): Promise<string[]> {
  const rows = await t.many<{ name: string }>(sql`
    select distinct waited.name from workflow_versions v
      join workflows f on f.account_sid = v.account_sid and f.sid = v.workflow_sid
      cross join unnest(v.wait_names) as waited (name)
     where v.account_sid = ${t.accountSid} and v.livemode = ${t.livemode} and f.state <> 'DRAFT'
       and waited.name is not null`);
  return rows.map(({ name }) => name);
}

async function hasActiveRuns(t: TenantTx): Promise<boolean> {
  const found = await t.maybe(sql`
    select from workflow_wakes where account_sid = ${t.accountSid} and livemode = ${t.livemode} limit 1`);
  return found !== undefined;
}

type Listener = {
  runSid: string;
  contactSid: string;
  names: string[];
  listening: boolean;
  heardAfter: string;
};

const isAfter = ({ sequence }: Happening, number: string) => BigInt(sequence) > BigInt(number);

const mailOf = ({ sequence, sid, type, data }: Happening, runSid: string): NewMail => ({
  runSid,
  number: sequence,
  kind: 'event',
  eventSid: sid,
  type,
  data,
});

/** Gives the events to runs that wait for them, or are on their way to. Tells whether one of them is due for it. */
async function deliverMail(t: TenantTx, happenings: Happening[]): Promise<boolean> {
  if (happenings.length === 0) return false;
  const byContact = Map.groupBy(happenings, ({ contactSid }) => contactSid!);
  // Held before anything is said of them: a round that has one of them at work may be about to wait for just this.
  const listeners = await t.many<Listener>(sql`
    select run_sid as "runSid", contact_sid as "contactSid", names, listening, heard_after as "heardAfter"
      from workflow_wakes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...byContact.keys()]}::text[])
       and names && ${[...new Set(happenings.map(({ type }) => type))]}::text[]
     order by run_sid for no key update`);
  await requireSameContacts(t, happenings);
  const met = listeners.flatMap(({ runSid, contactSid, names, listening, heardAfter }) =>
    byContact
      .get(contactSid)!
      .filter((one) => names.includes(one.type) && isAfter(one, heardAfter))
      .map((one) => ({ mail: mailOf(one, runSid), listening })),
  );
  await storeMail(
    t,
    met.map(({ mail }) => mail),
  );
  const due = met.filter(({ listening }) => listening).map(({ mail }) => mail.runSid);
  await wakeRuns(t, [...new Set(due)]);
  return due.length > 0;
}

const isFor = ({ triggerNames, after }: Published, happening: Happening) =>
  triggerNames.includes(happening.type) && isAfter(happening, after);

async function startMatching(t: TenantTx, held: Published[], happenings: Happening[]): Promise<boolean> {
  const versionOf = await versionsOf(t, held);
  const pairs = happenings.flatMap((happening) =>
    held
      .filter((workflow) => isFor(workflow, happening))
      .map((workflow) => ({ happening, workflow: { ...workflow, program: versionOf(workflow) } }))
      .filter(({ workflow }) => namesIt(workflow, happening)),
  );
  if (pairs.length === 0) return false;
  const decided = await settleRaces(t, await decide(t, pairs), happenings);
  await noteDecisions(t, decided.map(decisionOf));
  return decided.some(({ runSid }) => runSid !== null);
}

/** Locked, so that nothing starts once whoever stops one of them is answered. */
async function holdPublished(t: TenantTx, workflows: Published[]): Promise<Published[]> {
  if (workflows.length === 0) return [];
  const rows = await t.many<{ sid: string }>(sql`
    select sid from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and state = 'PUBLISHED'
       and sid = any (${workflows.map(({ workflowSid }) => workflowSid)}::text[])
     order by sid for share`);
  const held = new Set(rows.map(({ sid }) => sid));
  return workflows.filter(({ workflowSid }) => held.has(workflowSid));
}

/** All custom events have one name in the log. */
export const namesIt = ({ program }: Startable, { type, written }: Happening) =>
  type !== customEvent || program.definition.trigger.eventTypes.includes(written);

/** Begins the runs decided on. Whoever came into the workflow another way at the same moment is in it already. */
async function settleRaces(t: TenantTx, decided: Decided[], happenings: Happening[]): Promise<Decided[]> {
  const starting = decided.flatMap((one) => (one.runSid === null ? [] : [{ ...one, runSid: one.runSid }]));
  const begun = await insertRuns(
    t,
    starting.map(({ runSid, workflow, happening }) => ({
      ...workflow,
      sid: runSid,
      contactSid: happening.contactSid,
      subjectSid: happening.subjectSid!,
      event: { ...happening, type: happening.written },
      depth: happening.cause ? happening.cause.depth + 1 : 0,
      startedByRun: null,
      heardAfter: happening.sequence,
    })),
  );
  // What follows in this very batch is after their start, and nobody else tells them of it.
  const mail = starting
    .filter(({ runSid }) => begun.has(runSid))
    .flatMap(({ runSid, workflow, happening }) =>
      happenings
        .filter(
          (one) =>
            one.contactSid !== null &&
            one.contactSid === happening.contactSid &&
            workflow.program.waitNames.includes(one.type) &&
            isAfter(one, happening.sequence),
        )
        .map((one) => mailOf(one, runSid)),
    );
  await storeMail(t, mail);
  return decided.map((one) =>
    one.runSid === null || begun.has(one.runSid)
      ? one
      : { ...one, decision: 'reentry', detail: { active: true }, runSid: null },
  );
}

const decisionOf = ({ happening, workflow, decision, detail, runSid }: Decided) => ({
  workflowSid: workflow.workflowSid,
  eventSequence: happening.sequence,
  eventSid: happening.sid,
  eventType: happening.written,
  contactSid: happening.contactSid,
  decision,
  detail,
  runSid,
});
