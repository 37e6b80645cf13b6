// The life of an operation, as those who started it see it.
//   PENDING → RUNNING → SUCCEEDED | FAILED      WAITING between two tries, or for somebody (awaiting.ts)
//   PENDING | RUNNING | WAITING → CANCELED       at once: nothing a run does afterwards can commit
//   FAILED | CANCELED → PENDING                  by a retry, which goes on with what is not done
import type { Static, TSchema } from 'typebox';
import type { SystemTx, Tenant, TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { Answer } from '../../platform/http/operations/operation.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { givenBack } from '../../platform/queue/lease.ts';
import { audit } from '../audit/index.ts';
import { askForAction, awaitingColumns, awaitsNobody } from './awaiting.ts';
import { enqueueRun } from './operation-jobs.ts';
import { announce, columns, here, type Row, sealPart, toOperation } from './resource.ts';
import type { Operation, OperationQuery, OperationResult, OperationState } from './schema.ts';
import type { Awaiting, OperationType } from './work.ts';

export type Started = { ref?: string | null; input: object };
type Options = {
  /** The items of a type that runs items, in their order. */
  items?: Started[];
  /** How many there are, for a type that runs chunks and knows it beforehand. */
  total?: number;
  /**
   * For what is decided elsewhere: it begins WAITING, shows this meanwhile, and first runs then or when it is woken. What is in
   * `secrets` is shown with the result and stored sealed, until it ends.
   */
  waiting?: { result: object; secrets?: object; until: Date };
  /** For what somebody must do first: it begins WAITING without a job, and first runs when it is resumed. */
  awaiting?: Awaiting;
};

/** Starts an operation with this transaction: its row, its items and its job commit together or not at all. */
export async function startOperation<I extends TSchema>(
  t: TenantTx,
  type: OperationType<I>,
  input: Static<I>,
  { items = [], total, waiting, awaiting }: Options = {},
): Promise<Operation> {
  const sid = newSid('OP', t.now);
  const { result } = waiting ?? awaiting ?? {};
  const action = awaitingColumns(t, sid, awaiting);
  const row = await t.one<Row>(sql`
    insert into operations (account_sid, livemode, sid, type, kind, state, awaits, awaits_until, next_action, sealed_next_action, input,
      result, sealed_result, total, cancelable, created_by, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${type.type}, ${type.kind}, ${waiting || awaiting ? 'WAITING' : 'PENDING'},
      ${action.awaits}, ${action.until}, ${action.nextAction}::json, ${action.sealedNextAction}, ${JSON.stringify(input)}::json,
      ${result ? JSON.stringify(result) : null}::json, ${sealPart(t, sid, 'result', waiting?.secrets)},
      ${type.kind === 'ITEMS' ? items.length : (total ?? null)},
      ${type.cancelable}, ${principalName(t.principal)}, ${t.now}, ${t.now})
    returning ${columns}`);
  if (items.length > 0) await storeItems(t, sid, items);
  audit(t, { action: 'operation.started', resource: sid, facts: { type: type.type } });
  if (awaiting) askForAction(t, row);
  else enqueueRun(t, { sid, type: type.type }, waiting?.until);
  return toOperation(t, row);
}

async function storeItems(t: TenantTx, sid: string, items: Started[]): Promise<void> {
  await t.run(sql`
    insert into operation_children (account_sid, livemode, operation_sid, position, ref, state, input, created_at,
      updated_at)
    select ${t.accountSid}, ${t.livemode}, ${sid}, item.position, item.ref, 'PENDING', item.input::json, ${t.now}, ${t.now}
      from unnest(${items.map(({ ref }) => ref ?? null)}::text[],
        ${items.map(({ input }) => JSON.stringify(input))}::text[]) with ordinality as item (ref, input, position)`);
}

/** 202 with the operation and its address. */
export const accepted = (operation: Operation) =>
  new Answer(202, operation, {
    location: `/v1/accounts/${operation.accountSid}/operations/${operation.sid}`,
  });

export async function getOperation(t: TenantTx, sid: string): Promise<Operation> {
  const row = await t.maybe<Row>(sql`select ${columns} from operations where ${here(t, sid)}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toOperation(t, row);
}

/** Those of these operations that are still remembered. */
export async function operationsOf(t: TenantTx, sids: readonly string[]): Promise<Map<string, Operation>> {
  const rows = await t.many<Row>(sql`
    select ${columns} from operations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...sids]}::text[])`);
  return new Map(rows.map((row) => [row.sid, toOperation(t, row)]));
}

/** Newest first unless asked otherwise. SIDs begin with their time, so their order is that of creation. */
export async function listOperations(t: TenantTx, query: OperationQuery, pager: Pager) {
  const { sort = '-createdAt', type, state } = query;
  const after = pager.after?.[0];
  const oldestFirst = sort === 'createdAt';
  const conditions: Sql[] = [
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(after === undefined ? [] : [oldestFirst ? sql`sid > ${after}` : sql`sid < ${after}`]),
  ];
  const rows = await t.many<Row>(sql`
    select ${columns} from operations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       ${sql.join(
         conditions.map((condition) => sql`and ${condition}`),
         sql` `,
       )}
     order by sid ${oldestFirst ? sql`asc` : sql`desc`} limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => toOperation(t, row),
  );
}

/** Stops the work: whatever a run has under way cannot commit once this has. Canceling twice is no error. */
export async function cancelOperation(t: TenantTx, sid: string): Promise<Operation> {
  const { kind: _, ...found } = await lockOperation(t, sid);
  if (found.state === 'CANCELED') return toOperation(t, found);
  if (found.finishedAt !== null)
    throw new ApiError('CONFLICT', { message: 'The operation has ended already.' });
  if (!found.cancelable)
    throw new ApiError('CONFLICT', { message: 'This operation cannot be stopped half-way.' });
  const row = await t.one<Row>(sql`
    update operations set state = 'CANCELED', ${awaitsNobody}, sealed_result = null, retry_eligible = true, ${givenBack}, finished_at = ${t.now},
      updated_at = ${t.now}
     where ${here(t, sid)}
    returning ${columns}`);
  await t.run(sql`
    update operation_children set state = 'CANCELED', updated_at = ${t.now}
     where account_sid = ${t.accountSid} and operation_sid = ${sid} and state = 'PENDING'`);
  audit(t, { action: 'operation.canceled', resource: sid, facts: { type: row.type } });
  announce(t, row);
  return toOperation(t, row);
}

/** Goes on with what is not done: items that failed or were canceled, or the chunks after the last that committed. */
export async function retryOperation(t: TenantTx, sid: string): Promise<Operation> {
  const { retryEligible, kind } = await lockOperation(t, sid);
  if (!retryEligible) throw new ApiError('OPERATION_NOT_RETRYABLE');
  if (kind === 'ITEMS') {
    await t.run(sql`
      update operation_children set state = 'PENDING', error = null, result = null, updated_at = ${t.now}
       where account_sid = ${t.accountSid} and operation_sid = ${sid} and state in ('FAILED', 'CANCELED')`);
  }
  // Rows of a chunk that failed stay failed: they were judged, and would be judged the same.
  const forgets = kind === 'ITEMS' ? sql`done = done - failed, failed = 0,` : sql``;
  const row = await t.one<Row>(sql`
    update operations set ${forgets} state = 'PENDING', overdue = false, error = null, result = null, sealed_result = null, retry_eligible = false,
      ${givenBack}, tries = 0, measured_at = null, progressed_at = null, finished_at = null, updated_at = ${t.now}
     where ${here(t, sid)}
    returning ${columns}`);
  audit(t, { action: 'operation.retried', resource: sid, facts: { type: row.type } });
  enqueueRun(t, row);
  return toOperation(t, row);
}

/**
 * Has a waiting operation look again now: what it waits for has happened. One that has ended, or waits for somebody, is left
 * alone.
 */
export async function wakeOperation(t: TenantTx, sid: string): Promise<void> {
  const row = await t.maybe<{ type: string }>(sql`
    select type from operations where ${here(t, sid)} and finished_at is null and awaits is null`);
  if (row) enqueueRun(t, { sid, type: row.type });
}

/** Which of these have not ended. */
export async function unfinishedAmong(t: TenantTx, sids: readonly string[]): Promise<ReadonlySet<string>> {
  if (sids.length === 0) return new Set();
  const rows = await t.many<{ sid: string }>(sql`
    select sid from operations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...sids]}::text[])
       and finished_at is null`);
  return new Set(rows.map(({ sid }) => sid));
}

/** What those of a type that have ended were given goes. */
export async function blankInputs(t: TenantTx, type: string): Promise<void> {
  await t.run(sql`
    update operations set input = '{}', updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and type = ${type} and finished_at is not null
       and input::text <> '{}'`);
}

/** What operations of these types that have ended were given. */
export async function endedInputs(t: TenantTx, types: readonly string[]): Promise<object[]> {
  const rows = await t.many<{ input: object }>(sql`
    select input from operations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and type = any (${[...types]}::text[])
       and finished_at is not null`);
  return rows.map(({ input }) => input);
}

export type UnderWay = Tenant & { sid: string; state: OperationState; awaits: string | null };

/** All of a type that have not ended, of every account, the oldest first. */
export const operationsUnderWay = (s: SystemTx, type: string): Promise<UnderWay[]> =>
  s.many<UnderWay>(sql`
    select account_sid as "accountSid", livemode, sid, state, awaits from operations
     where finished_at is null and type = ${type} order by created_at, sid`);

async function lockOperation(t: TenantTx, sid: string) {
  const row = await t.maybe<Row & { kind: string }>(sql`
    select ${columns}, kind from operations where ${here(t, sid)} for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

export async function getResult(t: TenantTx, sid: string): Promise<OperationResult> {
  const { type, state, result, error, finishedAt, accountSid, livemode } = await getOperation(t, sid);
  if (finishedAt === null) throw new ApiError('CONFLICT', { message: 'The operation has not ended yet.' });
  return {
    object: 'operation_result',
    operationSid: sid,
    accountSid,
    livemode,
    type,
    state: state as OperationResult['state'],
    result,
    error,
    finishedAt,
  };
}
