// Work that is cheaper together: while one batch is being done, the next gathers. A batch of one takes the same way, so
// nothing waits for company.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSemaphore } from '../limits/semaphore.ts';

export type Outcome<Result> = { result: Result } | { error: unknown };

type Waiting<Member, Result> = { member: Member; settle(outcome: Outcome<Result>): void };

export type Measure = {
  /** As many as one batch may have. */
  most: number;
  /** As many batches as may be under way over all lanes. Who waits for a turn gathers, and finds a connection then. */
  atOnce?: number;
};

/**
 * Lanes proceed side by side; within a lane batches follow one another. `run` answers for every member in order, and when it
 * throws every member of that batch hears why.
 */
export function gatherer<Member, Result>(
  { most, atOnce = Number.POSITIVE_INFINITY }: Measure,
  run: (lane: string, members: Member[]) => Promise<Outcome<Result>[]>,
): (lane: string, member: Member) => Promise<Result> {
  type Lane = { waiting: Waiting<Member, Result>[] };
  const lanes = new Map<string, Lane>();
  const inTurn = createSemaphore(atOnce);

  async function runNext(name: string, lane: Lane): Promise<void> {
    const batch = lane.waiting.splice(0, most);
    const members = batch.map(({ member }) => member);
    const outcomes = await run(name, members).catch((error: unknown) => members.map(() => ({ error })));
    batch.forEach(({ settle }, at) => {
      settle(outcomes[at] ?? { error: new Error('a batch left one of its members without an answer') });
    });
  }

  async function drain(name: string, lane: Lane): Promise<void> {
    await nextTurn(); // what arrived in the same turn of the loop joins the first batch
    while (lane.waiting.length > 0) await inTurn(() => runNext(name, lane));
    lanes.delete(name);
  }

  return (name, member) =>
    new Promise<Result>((resolve, reject) => {
      const settle = (outcome: Outcome<Result>) =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.result);
      const known = lanes.get(name);
      const lane = known ?? { waiting: [] };
      lane.waiting.push({ member, settle });
      if (known) return;
      lanes.set(name, lane);
      void drain(name, lane);
    });
}
