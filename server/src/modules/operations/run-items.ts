// Work on items known beforehand, a few at a time. Each commits its result with its effects; one that fails does not
// keep the others from being done.
import type { TenantTx } from '../../platform/db/database.ts';
import { databaseFailure } from '../../platform/db/failures.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { failureOf, unexpected } from './failures.ts';
import { advance, endRun, type Run, type Running, Superseded } from './runs.ts';
import type { Failure, Item, ItemOutcome, ItemsWork, Tally } from './work.ts';

const batch = 100;

export async function runItems(running: Running, work: ItemsWork): Promise<boolean> {
  const { context, run } = running;
  for (;;) {
    const pending = await context.read((t) => pendingItems(t, run.sid));
    if (pending.length === 0) break;
    await inParallel(pending, work.concurrency ?? 1, async (item) => {
      if (context.signal.aborted || running.mustYield()) return;
      const outcome = await workOn(running, work, item);
      await context.write((t) => storeOutcome(t, run, item, outcome));
    });
    if (running.mustYield()) return false;
    context.signal.throwIfAborted();
  }
  await context.write((t) => endItems(t, running, work));
  return true;
}

async function workOn(running: Running, work: ItemsWork, item: Item): Promise<ItemOutcome> {
  const { context, operation, run } = running;
  try {
    return await work.runItem(context, operation, item);
  } catch (error) {
    const failure = failureOf(error);
    if (failure) return { failure };
    // What may pass is left for the next try of the operation; anything else is this item's own trouble.
    if (context.signal.aborted || error instanceof ApiError || databaseFailure(error)) throw error;
    context.log.warn({ err: error, operation: run.sid, position: item.position }, 'an item failed');
    return { failure: unexpected };
  }
}

/** All are begun whatever happens to one; the first error is thrown once every one has ended. */
async function inParallel<T>(items: T[], slots: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const errors: unknown[] = [];
  const slot = async () => {
    for (const item of waiting) await work(item).catch((error) => errors.push(error));
  };
  await Promise.all(Array.from({ length: slots }, slot));
  if (errors.length > 0) throw errors.find((error) => error instanceof Superseded) ?? errors[0];
}

async function pendingItems(t: TenantTx, sid: string): Promise<Item[]> {
  return t.many<Item>(sql`
    select position::double precision as position, ref, input from operation_children
     where account_sid = ${t.accountSid} and operation_sid = ${sid} and state = 'PENDING'
     order by position limit ${batch}`);
}

async function storeOutcome(t: TenantTx, run: Run, item: Item, outcome: ItemOutcome): Promise<void> {
  const failed = 'failure' in outcome;
  if (!failed) await outcome.apply?.(t);
  const result = failed ? null : (outcome.result ?? null);
  const error = failed ? { code: outcome.failure.code, message: outcome.failure.message } : null;
  await t.run(sql`
    update operation_children set state = ${failed ? 'FAILED' : 'SUCCEEDED'},
      result = ${result && JSON.stringify(result)}::json, error = ${error && JSON.stringify(error)}::json,
      updated_at = ${t.now}
     where account_sid = ${t.accountSid} and operation_sid = ${run.sid} and position = ${item.position}
       and state = 'PENDING'`);
  await advance(t, run, { done: 1, failed: failed ? 1 : 0 });
}

type FirstFailure = { error: { code: Failure['code'] } };

async function endItems(t: TenantTx, { run, operation }: Running, work: ItemsWork): Promise<void> {
  const tally = await t.one<Tally>(sql`
    select count(*)::integer as done, count(*) filter (where state = 'FAILED')::integer as failed
      from operation_children where account_sid = ${t.accountSid} and operation_sid = ${run.sid}`);
  const result = (await work.finish?.(t, operation, tally)) ?? null;
  if (tally.failed === 0) return endRun(t, run, { result });
  const { error } = await t.one<FirstFailure>(sql`
    select error from operation_children
     where account_sid = ${t.accountSid} and operation_sid = ${run.sid} and state = 'FAILED'
     order by position limit 1`);
  const message = `${tally.failed} of ${tally.done} items failed; the children tell why.`;
  await endRun(t, run, { failure: { code: error.code, message, retryable: true }, result });
}
