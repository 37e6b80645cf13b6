// What somebody of the operator does by hand: where no vendor can be called, and where the provider has no call for it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { principalName } from '../../../platform/principal.ts';
import type { TaskName } from '../task-names.ts';

export type Task = {
  n: number;
  task: TaskName;
  state: 'OPEN' | 'DONE' | 'FAILED' | 'DROPPED';
  reason: string | null;
  createdAt: string;
};

const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and application_sid = ${sid}`;

/** An application, at one attempt to set it up. */
export type Attempt = { sid: string; attempt: number };

/** Asks for it, once. */
export const openTask = (t: TenantTx, { sid, attempt }: Attempt, task: TaskName): Promise<number> =>
  t.run(sql`
    insert into managed_tasks (account_sid, livemode, application_sid, n, attempt, task, state, created_at)
    select ${t.accountSid}, ${t.livemode}, ${sid}, coalesce(max(n), 0) + 1, ${attempt}, ${task}, 'OPEN', ${t.now}
      from managed_tasks
     where account_sid = ${t.accountSid} and application_sid = ${sid}
    on conflict (account_sid, application_sid, task) where state = 'OPEN' do nothing`);

/** The newest of its kind. */
export async function newestTask(
  t: TenantTx,
  { sid, attempt }: Attempt,
  task: TaskName,
): Promise<Task | null> {
  const row = await t.maybe<Task>(sql`
    select n, task, state, reason, created_at as "createdAt" from managed_tasks where ${here(t, sid)} and attempt = ${attempt} and task = ${task}
     order by n desc limit 1`);
  return row ?? null;
}

/** False when nobody waits for it. */
export async function endTask(
  t: TenantTx,
  sid: string,
  task: TaskName,
  state: 'DONE' | 'FAILED',
  reason: string | null,
): Promise<boolean> {
  const ended = await t.run(sql`
    update managed_tasks set state = ${state}, reason = ${reason}, ended_at = ${t.now}, ended_by = ${principalName(t.principal)}
     where ${here(t, sid)} and task = ${task} and state = 'OPEN'`);
  return ended > 0;
}

/** What nobody needs any more. */
export const dropTasks = (t: TenantTx, sid: string): Promise<number> =>
  t.run(sql`
    update managed_tasks set state = 'DROPPED', ended_at = ${t.now}, ended_by = ${principalName(t.principal)}
     where ${here(t, sid)} and state = 'OPEN'`);
