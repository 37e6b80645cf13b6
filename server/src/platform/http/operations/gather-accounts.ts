// Requests of many accounts that are cheaper together: while one batch is being done, the next gathers. A batch of one takes
// the same way, so nothing waits for company.
import { createWaiter } from '../../queue/waiter.ts';
import { createSemaphore } from '../limits/semaphore.ts';
import type { Outcome as Settled } from './gathering.ts';

export type Outcome<Result> =
  | Settled<Result>
  /** Nothing was done for it: its account needs a batch of its own, and gets one. */
  | { needsOwnBatch: true };

export type Measure = {
  /** As many as one batch may have. */
  most: number;
  /**
   * As many as must wait for a further batch to begin beside those under way; likewise for a second batch of an account that
   * is in one already. Never, unless told.
   */
  ample?: number;
  /** As many shared batches as may be under way, and as many of single accounts. */
  atOnce?: number;
  /** Whoever has waited so long for the batches under way begins a further one. */
  lateMs?: number;
  /** After a shared batch of so many, the next waits while those who were answered come back. Never, unless told. */
  many?: number;
};

// Those who have more to send come back within a few milliseconds. Without waiting, the first of them would make a batch of
// their own, at nearly the price of one with everybody.
const returnStepMs = 2;
const mostReturnSteps = 5;

/** Members of one room share batches, in which every account has its fair share. */
export type Place = { room: string; account: string; needsOwnBatch?: boolean };

type Waiting<Member, Result> = {
  member: Member;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 * Within a room one shared batch follows the other, unless a further one is due. An account is in one of them at a time:
 * its batches would wait for each other's locks. `run` answers for every member in order, and when it throws every member of
 * that batch hears why.
 */
export function accountGatherer<Member, Result>(
  measure: Measure,
  run: (members: Member[], batch: { own: boolean }) => Promise<Outcome<Result>[]>,
): (place: Place, member: Member) => Promise<Result> {
  type Account = { waiting: Waiting<Member, Result>[]; running: number; needsOwnBatch: boolean };
  type Taken = { account: Account; taken: Waiting<Member, Result>[] };
  type Room = {
    /** Those that wait or are under way. Whoever had a turn stands at the end. */
    accounts: Map<string, Account>;
    running: number;
    looking: boolean;
    late: NodeJS.Timeout | null;
  };
  const never = Number.POSITIVE_INFINITY;
  const { most, ample = never, atOnce = never, lateMs = 50, many = never } = measure;
  const rooms = new Map<string, Room>();
  const inTurn = createSemaphore(atOnce);

  /** Begins what can begin. */
  function look(room: Room, late = false): void {
    const open: [string, Account][] = [];
    for (const [sid, account] of room.accounts) {
      const { waiting, running } = account;
      if (waiting.length === 0 && running === 0) room.accounts.delete(sid);
      else if (wantsOwnBatch(account)) void runOwn(room, account);
      else if (waiting.length > 0 && running === 0) open.push([sid, account]);
    }
    const count = open.reduce((sum, [, { waiting }]) => sum + waiting.length, 0);
    if (count === 0) return;
    if (room.running === 0 || (room.running < atOnce && (late || count >= ample))) {
      void runShared(room, open);
      look(room);
    } else lookLater(room);
  }

  function lookLater(room: Room): void {
    room.late ??= setTimeout(() => {
      room.late = null;
      look(room, true);
    }, lateMs).unref();
  }

  const wantsOwnBatch = ({ waiting, running, needsOwnBatch }: Account) =>
    waiting.length > 0 && ((running === 0 && needsOwnBatch) || (running === 1 && waiting.length >= ample));

  async function runShared(room: Room, open: [string, Account][]): Promise<void> {
    const shares = fairShares(
      open.map(([, { waiting }]) => waiting.length),
      most,
    );
    const parts = open.flatMap(([sid, account], at) => {
      if (shares[at] === 0) return [];
      room.accounts.delete(sid);
      room.accounts.set(sid, account);
      account.running += 1;
      return { account, taken: account.waiting.splice(0, shares[at]) };
    });
    room.running += 1;
    await runAll(parts, false);
    if (parts.reduce((sum, { taken }) => sum + taken.length, 0) >= many) await returnTo(room);
    room.running -= 1;
    look(room);
  }

  const waitingIn = ({ accounts }: Room) =>
    accounts.values().reduce((sum, { waiting }) => sum + waiting.length, 0);

  /** As long as every step brings somebody, and not for ever. Whoever is late, or ample, begins a batch meanwhile. */
  async function returnTo(room: Room): Promise<void> {
    let known = -1;
    for (let steps = 0; steps < mostReturnSteps && waitingIn(room) > known; steps += 1) {
      known = waitingIn(room);
      await createWaiter().wait(returnStepMs);
    }
  }

  async function runOwn(room: Room, account: Account): Promise<void> {
    account.running += 1;
    account.needsOwnBatch = false;
    // Who waits for a turn gathers, and finds a connection then.
    await inTurn(() => runAll([{ account, taken: account.waiting.splice(0, most) }], true));
    look(room);
  }

  async function runAll(parts: Taken[], own: boolean): Promise<void> {
    const members = parts.flatMap(({ taken }) => taken.map(({ member }) => member));
    const running = members.length > 0 ? run(members, { own }) : Promise.resolve([]);
    const outcomes = await running.catch((error: unknown) => members.map(() => ({ error })));
    let at = 0;
    for (const { account, taken } of parts) {
      const back = taken.filter((one) => isLeft(one, outcomes[at++]));
      account.waiting.unshift(...back);
      account.needsOwnBatch ||= back.length > 0;
      account.running -= 1;
    }
  }

  /** Tells a member its end; true for one that must be done again. */
  function isLeft({ resolve, reject }: Waiting<Member, Result>, outcome?: Outcome<Result>): boolean {
    if (!outcome) reject(new Error('a batch left one of its members without an answer'));
    else if ('needsOwnBatch' in outcome) return true;
    else if ('error' in outcome) reject(outcome.error);
    else resolve(outcome.result);
    return false;
  }

  function enter({ room: name, account: sid, needsOwnBatch = false }: Place): {
    room: Room;
    account: Account;
  } {
    const room = rooms.get(name) ?? { accounts: new Map(), running: 0, looking: false, late: null };
    rooms.set(name, room);
    const account = room.accounts.get(sid) ?? { waiting: [], running: 0, needsOwnBatch };
    room.accounts.set(sid, account);
    account.needsOwnBatch ||= needsOwnBatch;
    return { room, account };
  }

  return (place, member) =>
    new Promise<Result>((resolve, reject) => {
      const { room, account } = enter(place);
      account.waiting.push({ member, resolve, reject });
      if (room.looking) return;
      room.looking = true;
      // What arrives in the same turn of the loop joins the first batch.
      setImmediate(() => {
        room.looking = false;
        look(room);
      });
    });
}

/** How many of each may come: one of everybody in turn, until there are no more places or nobody is left. */
export function fairShares(waiting: number[], places: number): number[] {
  const shares = waiting.map(() => 0);
  let left = Math.min(
    places,
    waiting.reduce((sum, count) => sum + count, 0),
  );
  while (left > 0) {
    for (const [at, count] of waiting.entries()) {
      if (left === 0 || shares[at]! >= count) continue;
      shares[at]! += 1;
      left -= 1;
    }
  }
  return shares;
}
