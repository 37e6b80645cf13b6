// Tells the provider of a change to a template, outside any transaction, and writes down what it said. A change is known by
// its revision: a job that comes late for an older one finds nothing to do.
//
// An answer that was lost is settled by looking: the provider's list says whether a template of that name and language is
// there. Only when it is not is it created again.
//
// What cannot be told is tried again for three days and then given up, with the reason: it is never left waiting.
import { Type } from 'typebox';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, enqueue, type TenantJobContext, untilDone } from '../../platform/jobs/jobs.ts';
import type { Answered, Connection, Page, ProviderTemplate } from '../provider/index.ts';
import { connectionOf, requireWaba } from '../wabas/index.ts';
import { readCategory, readStatus } from './provider-words.ts';
import { giveUp, isOverdue, NotTaken, refused, settle } from './settle-submission.ts';
import { type TemplateRow, templateColumns } from './templates.ts';

type Found = { row: TemplateRow; connection: Connection | null; providerWabaId: string; startedAt: Date };
type Task = Found & { connection: Connection };

export const submitTemplate = defineJob({
  name: 'templates.submit',
  payload: Closed({ templateSid: Sid('TM'), revision: Type.Integer() }),
  attempts: untilDone,
  async run(context, { templateSid, revision }) {
    const found = await find(context, templateSid, revision);
    if (!found) return;
    try {
      await submit(context, found);
    } catch (error) {
      if (!isOverdue(found.row, context.now())) throw error;
      await giveUp(context, found.row, error);
    }
  },
});

/** Queues what waits of a template; what is queued of it already comes at once instead. */
export function queueSubmission(t: TenantTx, { sid, revision }: Pick<TemplateRow, 'sid' | 'revision'>): void {
  enqueue(t, submitTemplate, { templateSid: sid, revision }, { key: `template:${sid}` });
}

function find(
  { read, now }: TenantJobContext,
  templateSid: string,
  revision: number,
): Promise<Found | undefined> {
  return read(async (t) => {
    const row = await t.maybe<TemplateRow>(sql`
      select ${templateColumns} from templates
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${templateSid}
         and revision = ${revision} and pending_change is not null and deleted_at is null`);
    if (!row) return;
    const { providerWabaId } = await requireWaba(t, row.wabaSid);
    return { row, connection: await connectionOf(t, row.wabaSid), providerWabaId, startedAt: now() };
  });
}

async function submit(context: TenantJobContext, { connection, ...found }: Found): Promise<void> {
  if (connection) return tell[found.row.pendingChange!](context, { ...found, connection });
  await refused(context, found.row, {
    code: 'WABA_NOT_CONNECTED',
    reason: 'The business account is not connected.',
    providerCode: null,
    retryable: true,
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
  await refused(context, row, answered.failure);
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
      throw new NotTaken(`the provider's templates cannot be listed: ${answered.failure.reason}`);
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
  await settle(context, row, {
    changeOf: () => whole,
    reason: 'submitted',
    saidAt: startedAt,
    otherwise: identity,
  });
}

async function edit(context: TenantJobContext, task: Task): Promise<void> {
  const { row, connection, startedAt } = task;
  const { statusBefore: _, messageSendTtlSeconds: ttl, ...change } = row.proposed ?? {};
  const answered = await context.ports.provider.editTemplate(connection, row.providerTemplateId!, {
    ...change,
    ...(ttl !== undefined && ttl !== null && { messageSendTtlSeconds: ttl }),
  });
  // Repeating an edit changes nothing, so an answer that was lost is simply asked for again.
  if (!answered.ok) return refused(context, row, answered.failure);
  const taken = {
    pendingChange: null,
    proposed: null,
    failure: null,
    ...change,
    ...(ttl !== undefined && { messageSendTtlSeconds: ttl }),
  } as const;
  await settle(context, row, {
    changeOf: () => ({ ...taken, status: 'PENDING', rejectedReason: null }),
    reason: 'edited',
    saidAt: startedAt,
    otherwise: taken,
  });
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
  if (!gone) return refused(context, row, answered.failure);
  const deletedAt = context.now().toISOString();
  await settle(context, row, {
    changeOf: () => ({ status: 'DELETED', pendingChange: null, proposed: null, deletedAt }),
    reason: 'deleted',
  });
}
