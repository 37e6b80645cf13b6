// An operation that waits for somebody: it says for what, until when and what is to be done, and has neither job nor timer
// meanwhile. Whoever brings what it waits for resumes it; so does a cron once its time is over, and its run then judges the time.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { operationEvents } from './events.ts';
import { enqueueRun } from './operation-jobs.ts';
import { here, type Row, sealPart, tellChange, withoutSecrets } from './resource.ts';
import type { Awaiting } from './work.ts';

/** The columns that say what is waited for, as they are stored; nobody is waited for without `awaiting`. */
export function awaitingColumns(t: TenantTx, sid: string, awaiting: Awaiting | undefined) {
  const { awaits = null, nextAction, secrets, until = null } = awaiting ?? {};
  return {
    awaits,
    until,
    nextAction: nextAction || secrets ? JSON.stringify(nextAction ?? {}) : null,
    sealedNextAction: sealPart(t, sid, 'next action', secrets),
  };
}

/** To be set wherever nobody is waited for any longer. */
export const awaitsNobody = sql`awaits = null, awaits_until = null, next_action = null, sealed_next_action = null`;

const awaitsAs = (action: ReturnType<typeof awaitingColumns>) =>
  sql`awaits = ${action.awaits}, awaits_until = ${action.until}, next_action = ${action.nextAction}::json,
      sealed_next_action = ${action.sealedNextAction}`;

/** To be set where a row begins to wait for somebody, or waits for something else from now on. */
export function waitsFor(t: TenantTx, sid: string, awaiting: Awaiting) {
  const { result } = awaiting;
  return sql`${awaitsAs(awaitingColumns(t, sid, awaiting))}, overdue = false,
      result = coalesce(${result ? JSON.stringify(result) : null}::json, result)`;
}

/**
 * Asks for something else, such as by a new link, while the operation goes on waiting. Nobody is told: who is waited for is
 * just here. False when it does not wait for anybody.
 */
export async function askAnew(t: TenantTx, sid: string, awaiting: Awaiting): Promise<boolean> {
  const touched = await t.run(sql`
    update operations set ${waitsFor(t, sid, awaiting)}, updated_at = ${t.now}
     where ${here(t, sid)} and awaits is not null`);
  if (touched > 0) tellChange(t, sid);
  return touched > 0;
}

/** Somebody must act now. */
export function askForAction(t: TenantTx, row: Row): void {
  tellChange(t, row.sid);
  emit(t, operationEvents.action_required, withoutSecrets(row));
}

/**
 * What the operation waits for has come: it goes on. False when it does not wait for anybody, because it runs, has ended, or
 * somebody else was first.
 */
export const resumeOperation = (t: TenantTx, sid: string): Promise<boolean> => resume(t, sid, null);

/** Nobody came in time. */
export const resumeOverdue = (t: TenantTx, sid: string): Promise<boolean> => resume(t, sid, t.now);

async function resume(t: TenantTx, sid: string, dueBy: Date | null): Promise<boolean> {
  const row = await t.maybe<{ type: string }>(sql`
    update operations set state = 'PENDING', ${awaitsNobody}, overdue = ${dueBy !== null}, tries = 0, updated_at = ${t.now}
     where ${here(t, sid)} and awaits is not null and (${dueBy}::timestamptz is null or awaits_until <= ${dueBy})
    returning type`);
  if (!row) return false;
  tellChange(t, sid);
  enqueueRun(t, { sid, type: row.type });
  return true;
}

/**
 * Says whether the operation can still be canceled, with the commit that decides it: of that commit and a cancel one wins. An
 * operation that has ended is refused, so that nothing is decided after a cancel.
 */
export async function setCancelable(t: TenantTx, sid: string, cancelable: boolean): Promise<void> {
  const touched = await t.run(sql`
    update operations set cancelable = ${cancelable}, updated_at = ${t.now}
     where ${here(t, sid)} and finished_at is null`);
  if (touched === 0) throw new ApiError('CONFLICT', { message: 'The operation has ended already.' });
  tellChange(t, sid);
}
