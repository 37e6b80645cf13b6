// A workflow begins to do something, rests, and goes. The rows are locked in one order wherever several are: the consumer's cursor,
// the workflow, its runs.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import { hearEvents, hearNoEvents } from '../../../platform/event-consumers/cursors.ts';
import { emit } from '../../../platform/events.ts';
import { maxDetails } from '../../../platform/http/input/validation.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { holdsOnAccount } from '../../inboxes/index.ts';
import { refuseWithoutFeature } from '../../plans/index.ts';
import { claimSegments } from '../../segments/index.ts';
import { eventNamesOf, neededScopes, scopesOf } from '../analysis/needs.ts';
import { type Reference, referencesOf } from '../analysis/references.ts';
import { issuesOf } from '../analysis/window.ts';
import type { Definition } from '../definition/actions.ts';
import { knownCatalogue } from '../grammar/known-events.ts';
import { consumerName } from '../resources/consumer.ts';
import { workflowEvents } from '../resources/events.ts';
import type { Workflow } from '../resources/schema.ts';
import { mayMove, workflowMoves } from '../resources/states.ts';
import { countActiveRuns, holdRuns, letRunsGo } from '../runs/ending.ts';
import { removeDeleted } from './jobs.ts';
import { judgeReferences } from './references.ts';
import { loadDefinition, loadWorkflow, lockWorkflow } from './workflows.ts';

/** Puts the newest version in force. What is published already in its newest version stays as it is. */
export async function publishWorkflow(t: TenantTx, sid: string): Promise<Workflow> {
  await refuseWithoutFeature(t, 'workflows');
  // Until the commit no event is handed on, so that the first one after it finds the workflow published.
  const heard = await hearEvents(t, consumerName);
  const current = await lockWorkflow(t, sid);
  if (current.status === 'PUBLISHED' && current.publishedVersion === current.latestVersion) return current;
  const definition = await loadDefinition(t, sid, current.latestVersion);
  demandScopes(t, definition);
  const references = referencesOf(definition);
  // Claimed before they are looked up: what is found then cannot go any more.
  await claimSegments(t, userOf(sid), segmentsIn(references));
  await refuseUnusable(t, definition, references);
  const names = eventNamesOf(definition, knownCatalogue());
  // A workflow that gets a newer version has listened all the while: what happened and was not looked at yet is not lost.
  const listens = current.status === 'PUBLISHED';
  await t.run(sql`
    update workflows
       set state = ${workflowMoves.publish.to}, published_version = newest_version, granted_scopes = ${neededScopes(definition)}::text[],
           published_by = ${principalName(t.principal)}, published_at = ${t.now}, stopped_at = null,
           trigger_names = ${names}::text[],
           subscribed_after = case when ${listens} then subscribed_after else ${heard}::bigint end, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  if (current.status === 'STOPPED') await letRunsGo(t, sid, t.now);
  const { latestVersion: version } = current;
  audit(t, { action: workflowEvents.published.name, resource: sid, facts: { version } });
  return told(t, sid, workflowEvents.published);
}

async function told(
  t: TenantTx,
  sid: string,
  event: (typeof workflowEvents)[keyof typeof workflowEvents],
): Promise<Workflow> {
  const workflow = await loadWorkflow(t, sid);
  emit(t, event, workflow);
  return workflow;
}

/** Runs act with what their workflow needs, so whoever publishes it must be allowed all of that. */
function demandScopes(t: TenantTx, definition: Definition): void {
  const lacking = scopesOf(definition).filter(({ scope }) => !holdsOnAccount(t, scope));
  if (lacking.length === 0) return;
  const scopes = [...new Set(lacking.map(({ scope }) => scope))].sort();
  throw new ApiError('AUTHORIZATION_ERROR', {
    message: `Publishing this workflow needs ${scopes.join(', ')}, which you do not hold.`,
    details: lacking.slice(0, maxDetails).map(({ path, scope }) => ({
      path: below(path),
      issue: `needs ${scope}, which the caller does not hold`,
    })),
  });
}

const below = (path: string) => `definition.${path}`;

/** By which segments know what relies on them. */
const userOf = (sid: string) => `workflow ${sid}`;

const segmentsIn = (references: Reference[]) =>
  references.flatMap((one) => (one.kind === 'segment' ? [one.sid] : []));

async function refuseUnusable(t: TenantTx, definition: Definition, references: Reference[]): Promise<void> {
  const details: ErrorDetail[] = await judgeReferences(t, references);
  for (const { severity, path, message } of issuesOf(definition))
    if (severity === 'error') details.push({ path, issue: message });
  if (details.length === 0) return;
  throw invalid(...details.slice(0, maxDetails).map(({ path, issue }) => ({ path: below(path), issue })));
}

/** Once this is committed nothing of the workflow happens: whatever takes its runs further holds its row, and finds it stopped. */
export async function stopWorkflow(t: TenantTx, sid: string): Promise<Workflow> {
  await hearEvents(t, consumerName);
  const current = await lockWorkflow(t, sid);
  if (!mayMove(current.status, 'stop'))
    throw new ApiError('CONFLICT', { message: 'The workflow is a draft: nothing of it runs.' });
  if (current.status === 'STOPPED') return current;
  await t.run(sql`
    update workflows set state = ${workflowMoves.stop.to}, stopped_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  await holdRuns(t, sid);
  // Publishing looks them up again.
  await claimSegments(t, userOf(sid), []);
  await restIfNothingRuns(t);
  audit(t, { action: workflowEvents.stopped.name, resource: sid });
  return told(t, sid, workflowEvents.stopped);
}

/** Where nothing is published and no run is under way, events need not be looked at. The caller holds the cursor. */
async function restIfNothingRuns(t: TenantTx): Promise<void> {
  const busy = await t.maybe(sql`
    select 1 where exists (select from workflows
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and state = 'PUBLISHED')
      or exists (select from workflow_wakes where account_sid = ${t.accountSid} and livemode = ${t.livemode})`);
  if (!busy) await hearNoEvents(t, consumerName);
}

/** It is gone at once; its rows go one after the other, for it may have had millions of runs. */
export async function deleteWorkflow(t: TenantTx, sid: string): Promise<void> {
  await hearEvents(t, consumerName);
  const workflow = await lockWorkflow(t, sid);
  if (!mayMove(workflow.status, 'delete'))
    throw new ApiError('CONFLICT', { message: 'The workflow is published; stop it first.' });
  const active = await countActiveRuns(t, sid);
  if (active > 0) throw new ApiError('CONFLICT', { message: activeRuns(active) });
  await t.run(sql`
    update workflows set deleted_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  await restIfNothingRuns(t);
  enqueue(t, removeDeleted, { workflowSid: sid });
  audit(t, { action: workflowEvents.deleted.name, resource: sid });
  emit(t, workflowEvents.deleted, { ...workflow, updatedAt: t.now.toISOString() });
}

const activeRuns = (count: number) =>
  count === 1
    ? '1 run of the workflow is under way; stop it first.'
    : `${count} runs of the workflow are under way; stop them first.`;
