// What operators look at: the workflows of an account with what goes on in them, and what became of an event when it happened.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Definition } from '../definition/actions.ts';
import type { WorkflowStatus } from '../resources/states.ts';
import type { Decision } from '../runs/told.ts';

export type WorkflowOverview = {
  sid: string;
  name: string;
  status: WorkflowStatus;
  latestVersion: number;
  publishedVersion: number | null;
  activeRuns: number;
  /** Those of them that rest, because the workflow is stopped. */
  heldRuns: number;
  /** Of the last 1,000 events that could start it. */
  decisions: Partial<Record<Decision, number>>;
};

/** Newest first. */
export const overviewOfWorkflows = (t: TenantTx, limit: number): Promise<WorkflowOverview[]> =>
  t.many<WorkflowOverview>(sql`
    select w.sid, w.name, w.state as status, w.newest_version as "latestVersion", w.published_version as "publishedVersion",
      runs.active as "activeRuns", case when w.state = 'STOPPED' then runs.active else 0 end as "heldRuns",
      decided.counts as decisions
      from workflows w
      cross join lateral (
        select count(*)::integer as active from workflow_runs r
         where r.account_sid = w.account_sid and r.workflow_sid = w.sid and r.ended_at is null) as runs
      cross join lateral (
        select coalesce(json_object_agg(one.decision, one.many), '{}') as counts from (
          select d.decision, count(*) as many from workflow_decisions d
           where d.account_sid = w.account_sid and d.workflow_sid = w.sid
           group by d.decision order by count(*) desc, d.decision) as one) as decided
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.deleted_at is null
     order by w.sid desc limit ${limit}`);

export type PublishedWorkflow = { sid: string; name: string; definition: Definition };

/** What is published now, newest first. */
export const publishedWorkflows = (t: TenantTx, limit: number): Promise<PublishedWorkflow[]> =>
  t.many<PublishedWorkflow>(sql`
    select w.sid, w.name, v.definition from workflows w
      join workflow_versions v on v.account_sid = w.account_sid and v.workflow_sid = w.sid and v.version = w.published_version
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.state = 'PUBLISHED'
     order by w.sid desc limit ${limit}`);

export type FormerDecision = { decision: Decision; runSid: string | null; at: string };

/** What was decided about an event when it happened, as far as that is kept. A run that was started may meet a limit later. */
export const formerDecisions = (
  t: TenantTx,
  workflowSid: string,
  eventSid: string,
): Promise<FormerDecision[]> =>
  t.many<FormerDecision>(sql`
    select decision, run_sid as "runSid", created_at as at from workflow_decisions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
       and event_sid = ${eventSid}
     order by created_at, decision desc`);
