// Runs that start runs of other workflows, about the same contact and the same event.
import { sql } from '../../../platform/db/query.ts';
import { eventHead } from '../../../platform/event-consumers/cursors.ts';
import { newSid } from '../../../platform/ids.ts';
import { eventOfRun, noteDecisions } from '../runs/decisions.ts';
import { standingOf } from '../runs/standing.ts';
import { insertRuns, type NewRun } from '../runs/start-runs.ts';
import type { Decision } from '../runs/told.ts';
import { versionsOf } from '../runs/versions.ts';
import type { Done, Door, StepFault, Task } from './effect-doors.ts';

type Starting = Task<'start_workflow'>;

export const startWorkflows: Door<'start_workflow'> = async (t, tasks) => {
  const sids = [...new Set(tasks.map(({ effect }) => effect.workflowSid))].sort();
  // Held, so that one that is being stopped starts nothing once that is answered.
  const published = await t.many<{ workflowSid: string; version: number }>(sql`
    select sid as "workflowSid", published_version as version from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}::text[])
       and state = 'PUBLISHED' and published_version is not null
     order by sid for share`);
  const [versionOf, heardAfter] = await Promise.all([versionsOf(t, published), eventHead(t)]);
  const bySid = new Map(published.map((one) => [one.workflowSid, { ...one, program: versionOf(one) }]));
  const entrantOf = ({ walk, effect: { workflowSid } }: Starting) => ({
    workflowSid,
    subjectSid: walk.run.subjectSid,
    contactSid: walk.run.contactSid,
    allowReentry: bySid.get(workflowSid)?.program.definition.trigger.allowReentry ?? false,
    depth: walk.run.depth + 1,
  });
  const standing = await standingOf(t, tasks.map(entrantOf));
  const ends = new Map<Starting, Done>();
  const begun = new Map<Starting, NewRun>();
  const refused: { task: Starting; decision: Exclude<Decision, 'started'>; detail: object | null }[] = [];
  for (const task of tasks) {
    const workflow = bySid.get(task.effect.workflowSid);
    const refusal = workflow ? standing.refusalOf(entrantOf(task)) : null;
    if (!workflow) ends.set(task, { error: notPublished });
    else if (refusal) {
      refused.push({ task, ...refusal });
      ends.set(task, { error: faults[refusal.decision] ?? cannotStart });
    } else {
      const { run } = task.walk;
      const made = {
        ...workflow,
        ...entrantOf(task),
        sid: newSid('WR', t.now),
        event: {
          sequence: run.eventSequence,
          sid: run.eventSid,
          type: run.eventType,
          data: run.eventData,
        },
        startedByRun: run.sid,
        heardAfter,
      };
      standing.began(entrantOf(task), made.sid);
      begun.set(task, made);
    }
  }
  const inserted = await insertRuns(t, [...begun.values()]);
  for (const [task, { sid }] of begun) {
    ends.set(
      task,
      inserted.has(sid) ? { output: { runSid: sid }, eventSid: null } : { error: faults.reentry! },
    );
  }
  await noteDecisions(
    t,
    [
      ...refused,
      ...[...begun].map(([task, { sid }]) => ({
        task,
        decision: 'started' as const,
        detail: null,
        runSid: sid,
      })),
    ].map(({ task, ...decision }) => decisionOf(task, decision)),
  );
  return tasks.map((task) => ends.get(task)!);
};

const decisionOf = (
  { walk: { run }, effect }: Starting,
  { decision, detail, runSid = null }: { decision: Decision; detail: object | null; runSid?: string | null },
) => ({
  ...eventOfRun(run),
  workflowSid: effect.workflowSid,
  decision,
  detail: { ...detail, startedByRunSid: run.sid },
  runSid,
});

const notPublished: StepFault = { code: 'CONFLICT', message: 'The workflow is not published.' };
const cannotStart: StepFault = { code: 'CONFLICT', message: 'The workflow could not be started.' };
const faults: Partial<Record<Decision, StepFault>> = {
  stopped_contact: { code: 'CONFLICT', message: 'The workflow is stopped for this contact.' },
  restricted_contact: { code: 'CONFLICT', message: 'The contact is restricted by a privacy request.' },
  reentry: { code: 'CONFLICT', message: 'The contact is in the workflow, or has been and may not again.' },
  limit: {
    code: 'WORKFLOW_LIMIT',
    message: 'Too many runs were started for this contact, or one by the other.',
  },
};
