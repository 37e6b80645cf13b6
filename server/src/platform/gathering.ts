// Work that is cheaper together: while one batch is being done, the next gathers. A batch of one takes the same way, so
// nothing waits for company.
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Outcome<Result> = { result: Result } | { error: unknown };

type Waiting<Member, Result> = { member: Member; settle(outcome: Outcome<Result>): void };

/**
 * Lanes proceed side by side; within a lane batches follow one another. `run` answers for every member in order, and
 * when it throws every member of that batch hears why.
 */
export function gatherer<Member, Result>(
  most: number,
  run: (lane: string, members: Member[]) => Promise<Outcome<Result>[]>,
): (lane: string, member: Member) => Promise<Result> {
  const lanes = new Map<string, Waiting<Member, Result>[]>();

  async function drain(lane: string, waiting: Waiting<Member, Result>[]): Promise<void> {
    await nextTurn(); // what arrived in the same turn of the loop joins the first batch
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      const members = batch.map(({ member }) => member);
      const outcomes = await run(lane, members).catch((error: unknown) => members.map(() => ({ error })));
      batch.forEach(({ settle }, at) => {
        settle(outcomes[at] ?? { error: new Error('a batch left one of its members without an answer') });
      });
    }
    lanes.delete(lane);
  }

  return (lane, member) =>
    new Promise<Result>((resolve, reject) => {
      const settle = (outcome: Outcome<Result>) =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.result);
      const waiting = lanes.get(lane);
      if (waiting) {
        waiting.push({ member, settle });
        return;
      }
      const first = [{ member, settle }];
      lanes.set(lane, first);
      void drain(lane, first);
    });
}
