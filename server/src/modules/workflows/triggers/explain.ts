// Judges a kept event again, as it would be now: why it starts a workflow, or does not. Nothing is started.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { eventBySid, type HeardEvent } from '../../../platform/event-consumers/cursors.ts';
import { eventNamesOf } from '../analysis/needs.ts';
import { knownCatalogue } from '../grammar/known-events.ts';
import { shownDetail } from '../runs/look-at-runs.ts';
import type { WorkflowDecision } from '../runs/told.ts';
import { versionsOf } from '../runs/versions.ts';
import { namesIt } from './consume.ts';
import { decide } from './decide.ts';
import { happeningsOf } from './happenings.ts';

/** By the version that is published, or was last; of a draft, by its newest. */
export async function explainEvent(
  t: TenantTx,
  workflowSid: string,
  eventSid: string,
): Promise<WorkflowDecision> {
  const version = await t.maybe<{ workflowSid: string; version: number; after: string | null }>(sql`
    select sid as "workflowSid", coalesce(published_version, newest_version) as version, subscribed_after as after
      from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${workflowSid}
       and deleted_at is null`);
  if (!version) throw new ApiError('NOT_FOUND');
  const event = await eventBySid(t, eventSid);
  if (!event) throw invalid({ path: 'eventSid', issue: 'is no event that is still kept' });
  const workflow = { ...version, program: (await versionsOf(t, [version]))(version) };
  const [happening] = await happeningsOf(t, [event]);
  const names = eventNamesOf(workflow.program.definition, knownCatalogue());
  if (!names.includes(event.type) || !namesIt(workflow, happening!))
    throw invalid({ path: 'eventSid', issue: `is a ${event.type}, which does not start this workflow` });
  const { decision, detail } = isBefore(event, version.after)
    ? { decision: 'before_publishing' as const, detail: null }
    : (await decide(t, [{ happening: happening!, workflow }]))[0]!;
  return {
    object: 'workflow_decision',
    workflowSid,
    eventSid,
    eventType: happening!.written,
    contactSid: happening!.contactSid,
    decision,
    detail: shownDetail(t, detail as Record<string, unknown> | null),
    runSid: null,
    at: t.now.toISOString(),
  };
}

/** A workflow hears of what happens after its publishing; one that never was is judged as if it were. */
const isBefore = ({ sequence }: HeardEvent, after: string | null) =>
  after !== null && BigInt(sequence) <= BigInt(after);
