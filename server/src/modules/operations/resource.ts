// An operation as its row keeps it, and as it is told.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type EventType, emit } from '../../platform/events.ts';
import { operationEvents } from './events.ts';
import type { Operation, OperationState } from './schema.ts';

export type Row = Omit<Operation, 'progress'> & {
  done: number;
  failed: number;
  total: number | null;
  measuredAt: string | null;
  measuredDone: number;
  progressedAt: string | null;
  /** What belongs into the result, and into the next action, and no table may hold. */
  sealedResult: Buffer | null;
  sealedNextAction: Buffer | null;
};

export const columns = sql`'operation' as object, sid, account_sid as "accountSid", livemode, type, state, cancelable,
  retry_eligible as "retryEligible", awaits, next_action as "nextAction", result, error, created_by as "createdBy",
  started_at as "startedAt", finished_at as "finishedAt", created_at as "createdAt", updated_at as "updatedAt",
  done::double precision as done, failed::double precision as failed, total::double precision as total,
  measured_at as "measuredAt", measured_done::double precision as "measuredDone", progressed_at as "progressedAt",
  sealed_result as "sealedResult", sealed_next_action as "sealedNextAction"`;

export const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`;

type Sealed = 'result' | 'next action';
const sealContext = (t: TenantTx, sid: string, part: Sealed) => `operation ${part} ${t.accountSid} ${sid}`;

export const sealPart = (t: TenantTx, sid: string, part: Sealed, secrets: object | undefined) =>
  secrets ? t.sealer.seal(JSON.stringify(secrets), sealContext(t, sid, part)) : null;

type FreeForm = Operation['result'];

function opened(t: TenantTx, sid: string, part: Sealed, plain: FreeForm, sealed: Buffer | null): FreeForm {
  if (!sealed) return plain;
  return { ...plain, ...JSON.parse(t.sealer.open(sealed, sealContext(t, sid, part)).toString('utf8')) };
}

export function toOperation(t: TenantTx, row: Row): Operation {
  return {
    ...withoutSecrets(row),
    result: opened(t, row.sid, 'result', row.result, row.sealedResult),
    nextAction: opened(t, row.sid, 'next action', row.nextAction, row.sealedNextAction),
  };
}

/** For events, which are kept and sent to whoever subscribed. */
export function withoutSecrets({ sealedResult: _, sealedNextAction: __, ...row }: Row): Operation {
  const { done, failed, total, measuredAt, measuredDone, progressedAt, ...rest } = row;
  const seconds = measuredAt && progressedAt ? (Date.parse(progressedAt) - Date.parse(measuredAt)) / 1000 : 0;
  const rate = seconds > 0 && done > measuredDone ? (done - measuredDone) / seconds : null;
  const runs = rest.state === 'RUNNING' && rate !== null && total !== null;
  const estimatedEndAt = runs
    ? new Date(Date.parse(progressedAt!) + (Math.max(0, total - done) / rate) * 1000).toISOString()
    : null;
  const ratePerSecond = rate === null ? null : Math.round(rate * 100) / 100;
  return { ...rest, progress: { done, failed, total, ratePerSecond, estimatedEndAt } };
}

const announcements: Partial<Record<OperationState, EventType<Operation>>> = {
  SUCCEEDED: operationEvents.completed,
  FAILED: operationEvents.failed,
  CANCELED: operationEvents.canceled,
};

/** Where changes of operations are told, with their SID: for those who follow one. */
export const changeChannel = 'operations';

export const tellChange = (t: TenantTx, sid: string): void => t.tell(`${changeChannel} ${sid}`);

export function announce(t: TenantTx, row: Row): void {
  tellChange(t, row.sid);
  const type = announcements[row.state];
  if (type) emit(t, type, withoutSecrets(row));
}
