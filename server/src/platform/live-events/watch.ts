// One look at the log for everybody in this process who watches: whether anything happened is asked for all accounts together,
// and what happened is read once for an account, however many watch it. Nothing is kept for a single watcher, so that a slow one
// costs no memory: each knows how far it has come, and reads for itself what is not at hand any more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Tenant } from '../db/database.ts';
import { eventChannel } from '../events.ts';
import { newRequestId } from '../ids.ts';
import type { Log } from '../observability/logging.ts';
import { systemPrincipal } from '../principal.ts';
import { createWaiter } from '../queue/waiter.ts';
import { type Head, type Hint, headsOf, hintsAfter } from './hints.ts';

// An event is told at once; this is how long one takes whose telling was lost, and how often watchers look at the clock.
const restMs = 1_000;
/** How long looks are apart at the least: an account in which much happens is looked at ten times a second. */
const apartMs = 100;
/** Of an account: what its watchers find without asking. */
const atHand = 1_000;

type Watched = { tenant: Tenant; head: number; recent: Hint[]; watchers: Set<() => void> };

export type Watching = {
  /** What came after a number; null where that is no longer at hand, and has to be read. */
  after(sequence: number): Hint[] | null;
  /** Until something may have happened, or a second has passed. */
  wait(): Promise<void>;
  leave(): void;
};

export type Watch = {
  /** From a number on that was the last; the signal ends it, and any wait. */
  join(tenant: Tenant, head: number, signal: AbortSignal): Watching;
  /** How many accounts are watched. */
  accounts(): number;
};

type Source = Pick<Database, 'ask' | 'read' | 'listen'>;

const keyOf = ({ accountSid, livemode }: Tenant) => `${accountSid} ${livemode}`;

export function createWatch(database: Source, now: () => Date, log: Log): Watch {
  const watched = new Map<string, Watched>();
  const waiter = createWaiter();
  let looking = false;

  /** What is read at once is bounded: whoever was further back reads the rest. */
  async function catchUp(one: Watched, head: number): Promise<void> {
    const from = Math.max(one.head, head - atHand);
    const { livemode } = one.tenant;
    const context = {
      principal: systemPrincipal('live', livemode),
      now: now(),
      requestId: newRequestId(),
      log,
    };
    const hints = await database.read(one.tenant, context, (t) => hintsAfter(t, from, head - from));
    one.recent = [...(from === one.head ? one.recent : []), ...hints].slice(-atHand);
    one.head = head;
  }

  async function look(): Promise<void> {
    const heads = await database.ask<Head>(headsOf([...watched.values()].map(({ tenant }) => tenant)));
    for (const head of heads) {
      const one = watched.get(keyOf(head));
      if (one && Number(head.sequence) > one.head) await catchUp(one, Number(head.sequence));
    }
  }

  /** Goes on while somebody watches. */
  async function keepLooking(): Promise<void> {
    looking = true;
    const stopListening = await database
      .listen(eventChannel, waiter.wake, waiter.wake)
      .catch(() => async () => {});
    while (watched.size > 0) {
      await look().catch((err) => log.warn({ err }, 'could not look for what happened'));
      for (const { watchers } of watched.values()) for (const wake of watchers) wake();
      await sleep(apartMs);
      await waiter.wait(restMs - apartMs);
    }
    await stopListening();
    looking = false;
    if (watched.size > 0) void keepLooking();
  }

  return {
    join(tenant, head, signal) {
      const key = keyOf(tenant);
      const one = watched.get(key) ?? { tenant, head, recent: [], watchers: new Set() };
      watched.set(key, one);
      const own = createWaiter();
      one.watchers.add(own.wake);
      const leave = () => {
        one.watchers.delete(own.wake);
        if (one.watchers.size === 0 && watched.get(key) === one) watched.delete(key);
        own.wake();
        if (watched.size === 0) waiter.wake();
      };
      signal.addEventListener('abort', leave, { once: true });
      if (looking) waiter.wake();
      else void keepLooking();
      return {
        after(sequence) {
          if (sequence >= one.head) return [];
          const first = one.recent[0]?.sequence ?? Number.POSITIVE_INFINITY;
          return sequence + 1 >= first ? one.recent.slice(sequence + 1 - first) : null;
        },
        wait: () => own.wait(restMs),
        leave,
      };
    },
    accounts: () => watched.size,
  };
}
