// Workflows and their versions as they are written, read and listed. A version never changes; a workflow is what its newest version
// says once that is published.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { waitedNamesOf } from '../analysis/needs.ts';
import { issuesOf } from '../analysis/window.ts';
import type { Definition } from '../definition/actions.ts';
import { knownCatalogue } from '../grammar/known-events.ts';
import { readDefinition } from '../grammar/read-definition.ts';
import { principalOf } from '../resources/principals.ts';
import type { DefinedWorkflow, NewWorkflow, Workflow, WorkflowVersion } from '../resources/schema.ts';
import { type WorkflowStatus, workflowMoves } from '../resources/states.ts';

export const workflowColumns = sql`'workflow' as object, sid, account_sid as "accountSid", livemode, name, state as status,
  newest_version as "latestVersion", published_version as "publishedVersion", granted_scopes as "grantedScopes",
  published_by as "publishedBy", published_at as "publishedAt", stopped_at as "stoppedAt", created_at as "createdAt",
  updated_at as "updatedAt"`;

export type WorkflowRow = Omit<Workflow, 'publishedBy' | 'status'> & {
  status: WorkflowStatus;
  publishedBy: string | null;
};

export const toWorkflow = ({ publishedBy, ...row }: WorkflowRow): Workflow => ({
  ...row,
  publishedBy: publishedBy === null ? null : principalOf(publishedBy),
});

/** A definition that says something, or everything that is wrong with it; `at` is where it stands in the body. */
export function requireDefinition(json: unknown, at: string): Definition {
  const read = readDefinition(json, knownCatalogue(), at);
  if ('details' in read) throw invalid(...read.details);
  return read.definition;
}

export async function createWorkflow(
  t: TenantTx,
  { name, definition }: NewWorkflow,
): Promise<DefinedWorkflow> {
  if (name.trim() === '') throw invalid({ path: 'name', issue: 'must not be blank' });
  const read = requireDefinition(definition, 'definition');
  const sid = newSid('WF', t.now);
  await t.run(sql`
    insert into workflows (account_sid, livemode, sid, name, state, newest_version, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${name}, ${workflowMoves.create.to}, 1, ${t.now}, ${t.now})`);
  await storeVersion(t, sid, 1, read);
  audit(t, { action: 'workflow.created', resource: sid, facts: { version: 1 } });
  return getWorkflow(t, sid);
}

/** What runs begun from now on follow once it is published; those under way keep theirs. */
export async function createVersion(t: TenantTx, sid: string, body: unknown): Promise<WorkflowVersion> {
  const definition = requireDefinition(body, '');
  const { latestVersion } = await lockWorkflow(t, sid);
  const version = latestVersion + 1;
  await storeVersion(t, sid, version, definition);
  await t.run(sql`
    update workflows set newest_version = ${version}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  audit(t, { action: 'workflow.version_created', resource: sid, facts: { version } });
  return {
    object: 'workflow_version',
    workflowSid: sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    version,
    definition,
    issues: issuesOf(definition),
    createdBy: principalOf(principalName(t.principal)),
    createdAt: t.now.toISOString(),
  };
}

async function storeVersion(
  t: TenantTx,
  sid: string,
  version: number,
  definition: Definition,
): Promise<void> {
  const waited = waitedNamesOf(definition, knownCatalogue());
  await t.run(sql`
    insert into workflow_versions (account_sid, livemode, workflow_sid, version, definition, wait_names, created_by,
      created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${version}, ${JSON.stringify(definition)}::json, ${waited}::text[],
      ${principalName(t.principal)}, ${t.now})`);
}

const find = (t: TenantTx, sid: string, lock: Sql) =>
  t.maybe<WorkflowRow>(sql`
    select ${workflowColumns} from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null ${lock}`);

export async function loadWorkflow(t: TenantTx, sid: string): Promise<Workflow> {
  const row = await find(t, sid, sql``);
  if (!row) throw new ApiError('NOT_FOUND');
  return toWorkflow(row);
}

/**
 * Locks the workflow, so that changes of it follow one another. Whatever starts a run or takes one further holds the row too, in
 * shares: nothing of the workflow is under way while this is held.
 */
export async function lockWorkflow(t: TenantTx, sid: string): Promise<Workflow> {
  const row = await find(t, sid, sql`for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toWorkflow(row);
}

/** The newest version of a workflow, as it was read when it was written. */
export async function loadDefinition(t: TenantTx, workflowSid: string, version: number): Promise<Definition> {
  const { definition } = await t.one<{ definition: Definition }>(sql`
    select definition from workflow_versions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
       and version = ${version}`);
  return definition;
}

export async function getWorkflow(t: TenantTx, sid: string): Promise<DefinedWorkflow> {
  const workflow = await loadWorkflow(t, sid);
  const definition = await loadDefinition(t, sid, workflow.latestVersion);
  return { ...workflow, definition, issues: issuesOf(definition) };
}

export async function listWorkflows(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<WorkflowRow>(sql`
    select ${workflowColumns} from workflows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and deleted_at is null
       and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toWorkflow);
}
