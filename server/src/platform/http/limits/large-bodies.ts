// Bodies beyond the usual size are read a few at a time, so that memory stays bounded however many callers send them. Others
// wait unread, in the order in which they came; no caller has more than a share of the places.
import { quotaReached } from './rate-limit.ts';

export type LargeBodies = {
  /** Waits for a place; gives it back when called. Throws when none became free in time. */
  enter(caller: string): Promise<() => void>;
};

const retryAfterSeconds = 5;

type Waiting = { caller: string; admit(): void };

export function createLargeBodies({ places = 4, perCaller = 2, patienceMs = 10_000 } = {}): LargeBodies {
  const inside = new Map<string, number>();
  const waiting: Waiting[] = [];
  let free = places;

  const fits = (caller: string) => free > 0 && (inside.get(caller) ?? 0) < perCaller;
  const take = (caller: string) => {
    free -= 1;
    inside.set(caller, (inside.get(caller) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      giveBack(caller);
    };
  };
  const giveBack = (caller: string) => {
    free += 1;
    const left = inside.get(caller)! - 1;
    if (left === 0) inside.delete(caller);
    else inside.set(caller, left);
    const next = waiting.findIndex((one) => fits(one.caller));
    if (next !== -1) waiting.splice(next, 1)[0]!.admit();
  };

  return {
    enter(caller) {
      if (fits(caller)) return Promise.resolve(take(caller));
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          caller,
          admit() {
            clearTimeout(timer);
            resolve(take(caller));
          },
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(quotaReached({ name: 'large-bodies', quota: perCaller }, retryAfterSeconds));
        }, patienceMs);
        waiting.push(one);
      });
    },
  };
}
