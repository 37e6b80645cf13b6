// What somebody of the operator has done by hand, and what came of it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import { audit } from '../../audit/index.ts';
import { resumeOperation } from '../../operations/index.ts';
import type { ApplicationRow } from '../applications/applications.ts';
import { lockApplication, requireApplication, tell } from '../applications/applications.ts';
import { issuesOfNumberIn } from '../applications/judge.ts';
import { applicationEvents } from '../events.ts';
import { advance, type ProgressChange, readProgress, sealFor } from '../provisioning/progress.ts';
import { endTask } from '../provisioning/tasks.ts';
import type { Application, EndTask } from '../schema.ts';
import type { TaskName } from '../task-names.ts';

type Fact = 'number' | 'providerWabaId' | 'code';
/** What a task that was done must tell. */
const told: Record<TaskName, Fact | null> = {
  ORDER_NUMBER: 'number',
  PORT_NUMBER: null,
  CREATE_ACCOUNT: 'providerWabaId',
  READ_CODE: 'code',
  RELEASE_NUMBER: null,
};
const facts: Fact[] = ['number', 'providerWabaId', 'code'];

/** Which facts belong to which task. */
export function issuesOfTask(body: Partial<EndTask>): ErrorDetail[] {
  const { task, outcome } = body;
  if (task === undefined || outcome === undefined) return [];
  const needed = outcome === 'DONE' ? told[task] : null;
  const issues = facts
    .filter((fact) => fact !== needed && body[fact] !== undefined)
    .map((path): ErrorDetail => ({ path, issue: `does not belong to ${task} that is ${outcome}` }));
  if (needed !== null && body[needed] === undefined)
    issues.push({ path: needed, issue: `is required for ${task} that is DONE` });
  if (outcome === 'FAILED' && body.reason === undefined)
    issues.push({ path: 'reason', issue: 'is required when it failed' });
  return issues;
}

/** Writes down what was done, and has the work go on. */
export async function finishTask(t: TenantTx, sid: string, body: EndTask): Promise<Application> {
  const row = await lockApplication(t, sid);
  refuseForeignNumber(row, body);
  const { task, outcome, reason = null } = body;
  if (!(await endTask(t, sid, task, outcome, reason)))
    throw new ApiError('CONFLICT', { message: `Nobody waits for ${task}.` });
  if (task !== 'RELEASE_NUMBER') {
    const progress = await readProgress(t, sid);
    if (outcome === 'DONE') await advance(t, progress, factsOf(t, row, body));
    await resumeOperation(t, row.operationSid!);
  }
  audit(t, { action: 'managed_application.task_ended', resource: sid, facts: { task, outcome, reason } });
  return tell(t, applicationEvents.updated, await requireApplication(t, sid));
}

function refuseForeignNumber({ country }: ApplicationRow, { number }: EndTask): void {
  const issues = number === undefined ? [] : issuesOfNumberIn('number', number, country);
  if (issues.length > 0) throw invalid(...issues);
}

function factsOf(
  t: TenantTx,
  row: ApplicationRow,
  { task, number, providerWabaId, code }: EndTask,
): ProgressChange {
  switch (task) {
    case 'ORDER_NUMBER':
      return { number: number! };
    case 'PORT_NUMBER':
      return { number: row.requestedNumber };
    case 'CREATE_ACCOUNT':
      return { providerWabaId: providerWabaId! };
    case 'READ_CODE':
      return { code: sealFor(t, row.sid, 'code', code!) };
    case 'RELEASE_NUMBER':
      return {};
  }
}
