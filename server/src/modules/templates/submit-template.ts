// Tells the provider of a change to a template, outside any transaction, and writes down what it said. A change is known by
// its revision: a job that comes late for an older one finds nothing to do.
//
// An answer that was lost is settled by looking: the provider's list says whether a template of that name and language is
// there. Only when it is not is it created again.

import { Type } from 'typebox';
import { sql } from '../../platform/db/query.ts';
import { defineJob, type TenantJobContext } from '../../platform/jobs.ts';
import { Closed, Sid } from '../../platform/schema.ts';
import type { Answered, Connection, Page, ProviderFailure, ProviderTemplate } from '../provider/index.ts';
import { connectionOf, requireWaba } from '../wabas/index.ts';
import { unlockName } from './name-locks.ts';
import { readCategory, readStatus } from './provider-words.ts';
import { changeTemplate, type RowChange, type TemplateRow, templateColumns } from './templates.ts';

type Task = { row: TemplateRow; connection: Connection; providerWabaId: string; startedAt: Date };

export const submitTemplate = defineJob({
  name: 'templates.submit',
  payload: Closed({ templateSid: Sid('TM'), revision: Type.Integer() }),
  attempts: 20,
  async run(context, { templateSid, revision }) {
    const found = await findTask(context, templateSid, revision);
    if (found === 'nothing to do') return;
    if (found === 'not connected') {
      const failure = {
        code: 'WABA_NOT_CONNECTED',
        message: 'The business account is not connected.',
        providerCode: null,
      };
      await settle(context, { templateSid, revision }, () => ({ failure }), 'not connected');
      throw new Error('the business account of the template is not connected');
    }
    await tell[found.row.pendingChange!](context, found);
  },
});

async function findTask(
  { read, now }: TenantJobContext,
  templateSid: string,
  revision: number,
): Promise<Task | 'nothing to do' | 'not connected'> {
  return read(async (t) => {
    const row = await t.maybe<TemplateRow>(sql`
      select ${templateColumns} from templates
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${templateSid}
         and revision = ${revision} and pending_change is not null and deleted_at is null`);
    if (!row) return 'nothing to do';
    const connection = await connectionOf(t, row.wabaSid);
    if (!connection) return 'not connected';
    const { providerWabaId } = await requireWaba(t, row.wabaSid);
    return { row, connection, providerWabaId, startedAt: now() };
  });
}

const tell = { CREATE: create, EDIT: edit, DELETE: remove };

async function create(context: TenantJobContext, task: Task): Promise<void> {
  const { row, connection, providerWabaId } = task;
  // The last attempt may have reached the provider after all.
  if (row.failure?.code === 'PROVIDER_RESULT_UNKNOWN' && (await adoptListed(context, task))) return;
  const { name, language, category, components, parameterFormat, messageSendTtlSeconds: ttl } = row;
  const answered = await context.ports.provider.createTemplate(connection, providerWabaId, {
    name,
    language,
    category,
    components,
    parameterFormat,
    ...(ttl !== null && { messageSendTtlSeconds: ttl }),
  });
  if (answered.ok) return adopt(context, task, answered.value);
  // Something of that name is there: most likely what an earlier attempt made.
  if (answered.failure.code === 'CONFLICT' && (await adoptListed(context, task))) return;
  await refused(context, task, answered.failure, {});
}

/** Takes over what the provider lists under the name; false when there is none. */
async function adoptListed(context: TenantJobContext, task: Task): Promise<boolean> {
  const listed = await lookUp(context, task);
  if (!listed) return false;
  await adopt(context, task, listed);
  return true;
}

async function lookUp({ ports }: TenantJobContext, task: Task): Promise<ProviderTemplate | null> {
  const { connection, providerWabaId, row } = task;
  let after: string | null = null;
  do {
    const answered: Answered<Page<ProviderTemplate>> = await ports.provider.listTemplates(
      connection,
      providerWabaId,
      after,
    );
    // Without the list nobody knows; the job is tried again and looks again.
    if (!answered.ok)
      throw new Error(`the provider's templates cannot be listed: ${answered.failure.reason}`);
    const { items, after: next } = answered.value;
    const found = items.find(({ name, language }) => name === row.name && language === row.language);
    if (found) return found;
    after = next;
  } while (after !== null);
  return null;
}

type Made = { id: string; status: string; category: string };

/** The answer speaks of the moment the request left: a callback that overtook it stands. */
async function adopt(context: TenantJobContext, task: Task, made: Made): Promise<void> {
  const { row, startedAt } = task;
  const identity = { providerTemplateId: made.id, pendingChange: null, failure: null } as const;
  const whole = {
    ...identity,
    status: readStatus(made.status),
    category: readCategory(made.category) ?? row.category,
  };
  await settle(context, keyOf(row), () => whole, 'submitted', startedAt, identity);
}

async function edit(context: TenantJobContext, task: Task): Promise<void> {
  const { row, connection, startedAt } = task;
  const { statusBefore: _, messageSendTtlSeconds: ttl, ...change } = row.proposed ?? {};
  const answered = await context.ports.provider.editTemplate(connection, row.providerTemplateId!, {
    ...change,
    ...(ttl !== undefined && ttl !== null && { messageSendTtlSeconds: ttl }),
  });
  // Repeating an edit changes nothing, so an answer that was lost is simply asked for again.
  if (!answered.ok) return refused(context, task, answered.failure, { proposed: null });
  const taken = {
    pendingChange: null,
    proposed: null,
    failure: null,
    ...change,
    ...(ttl !== undefined && { messageSendTtlSeconds: ttl }),
  } as const;
  await settle(
    context,
    keyOf(row),
    () => ({ ...taken, status: 'PENDING', rejectedReason: null }),
    'edited',
    startedAt,
    taken,
  );
}

async function remove(context: TenantJobContext, task: Task): Promise<void> {
  const { row, connection, providerWabaId } = task;
  const { name, providerTemplateId } = row;
  const answered = await context.ports.provider.deleteTemplate(
    connection,
    providerWabaId,
    name,
    providerTemplateId!,
  );
  // What is not there any more is deleted.
  const gone = answered.ok || answered.failure.code === 'NOT_FOUND';
  if (!gone) {
    const statusBefore = row.proposed?.statusBefore ?? row.status;
    return refused(context, task, answered.failure, { status: statusBefore, proposed: null });
  }
  const deletedAt = context.now().toISOString();
  await settle(
    context,
    keyOf(row),
    () => ({ status: 'DELETED', pendingChange: null, proposed: null, deletedAt }),
    'deleted',
  );
}

/** For good: what waited is given up. For the moment: it is written down and tried again. */
async function refused(
  context: TenantJobContext,
  { row }: Task,
  { code, reason, providerCode, retryable }: ProviderFailure,
  giveUp: RowChange,
): Promise<void> {
  const failure = { code, message: reason, providerCode };
  const again = retryable || code === 'PROVIDER_RESULT_UNKNOWN';
  await settle(
    context,
    keyOf(row),
    () => (again ? { failure } : { failure, pendingChange: null, ...giveUp }),
    code,
  );
  if (again) throw new Error(`the provider did not take the template: ${code}`);
}

const keyOf = ({ sid: templateSid, revision }: TemplateRow) => ({ templateSid, revision });

/**
 * Writes the outcome, unless the template has moved on to another revision. With `saidAt` the change is the provider's word
 * about status and category; where something newer was heard only `otherwise` is written.
 */
async function settle(
  { write, now }: TenantJobContext,
  { templateSid, revision }: { templateSid: string; revision: number },
  changeOf: (row: TemplateRow) => RowChange,
  reason: string,
  saidAt?: Date,
  otherwise: RowChange = {},
): Promise<void> {
  await write(async (t) => {
    const row = await t.maybe<TemplateRow>(sql`
      select ${templateColumns} from templates
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${templateSid}
         and revision = ${revision} and pending_change is not null for update`);
    if (!row) return;
    const change = changeOf(row);
    const about = saidAt ? (['status'] as const) : [];
    const changed = await changeTemplate(t, row, change, { about, saidAt: saidAt ?? now(), reason });
    if (!changed) await changeTemplate(t, row, otherwise, { saidAt: now(), reason });
    if (row.pendingChange === 'DELETE' && change.pendingChange === null && !change.deletedAt)
      await unlockName(t, row);
  });
}
