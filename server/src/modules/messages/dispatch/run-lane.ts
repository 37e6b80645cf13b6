// One lane while this process holds it: claims what may leave at this moment, calls the provider for all of it at once, and
// goes on until nothing is due. It then lingers, so that a sender with a message now and then is not leased anew for each.
//
// Whatever takes time comes before the claim: a message whose files the provider does not know yet stays in line while they
// are uploaded, and a number's pace is waited for before messages are taken, never after.
import { createWaiter } from '../../../platform/queue/waiter.ts';
import type { HandOff } from './build-hand-offs.ts';
import type { Claim, Prepared } from './claim-messages.ts';
import type { LeasedLane } from './lanes.ts';
import { createPace } from './pace.ts';

export type Wanted = {
  limit: number;
  /** What the provider calls the files of messages that waited for them, by message. */
  prepared: Prepared;
  /** Messages whose files are being uploaded: they are left in line. */
  preparing: ReadonlySet<string>;
};

export type LaneWork = {
  /** How many calls this process may begin now for a lane that has some under way. */
  freeCalls(underWay: number): number;
  /** Null when it had to give way: to people who ask to be left alone, most of the time. */
  claim(lane: LeasedLane, wanted: Wanted): Promise<Claim | null>;
  /** Makes the files of a message known to the provider; null when that failed, which is then written down. */
  prepare(lane: LeasedLane, handOff: HandOff): Promise<ReadonlyMap<string, string> | null>;
  /** Settles when the answer is on its way to the database; tells how long the provider asked the number to rest. */
  handOver(lane: LeasedLane, handOff: HandOff): Promise<{ restMs: number }>;
  nowMs(): number;
};

export type LaneRun = {
  /** Something was added to the lane. */
  poke(): void;
  /** Whether something was added since it last looked. */
  isPoked(): boolean;
  /** No further claims, because the lease is lost or the process stops. */
  cease(): void;
  /** Nothing due was left when it last looked, and everything claimed was handed over and answered. */
  idle(): boolean;
  /** Ends when the lane has nothing to do; tells whether it was blocked. */
  ended: Promise<{ blocked: boolean }>;
};

const mostClaimed = 250;
/** Enough for a provider that takes two seconds to answer; more would only be a longer queue at the provider's door. */
const inFlightSeconds = 2;
const fewestInFlight = 10;
/** As long as it takes to suppress a person, about. */
const giveWayMs = 20;

export function runLane(lane: LeasedLane, work: LaneWork, lingerMs: number): LaneRun {
  const pace = createPace(work.nowMs);
  const state = { poked: true, ceased: false, working: true, inFlight: 0, perSecond: 80 };
  const preparing = new Set<string>();
  const prepared = new Map<string, ReadonlyMap<string, string>>();
  const waiter = createWaiter();
  const poke = () => {
    state.poked = true;
    waiter.wake();
  };

  const call = async (handOff: HandOff): Promise<void> => {
    state.inFlight += 1;
    prepared.delete(handOff.message.sid);
    const { restMs } = await work.handOver(lane, handOff);
    if (restMs > 0) pace.holdFor(restMs);
    state.inFlight -= 1;
    waiter.wake();
  };

  const prepare = async (handOff: HandOff): Promise<void> => {
    const { sid } = handOff.message;
    preparing.add(sid);
    const names = await work.prepare(lane, handOff);
    if (names) prepared.set(sid, names);
    preparing.delete(sid);
    poke();
  };

  const room = (): number => {
    const most =
      Math.max(fewestInFlight, state.perSecond * inFlightSeconds) - state.inFlight - preparing.size;
    return Math.min(mostClaimed, pace.room(), most, work.freeCalls(state.inFlight));
  };

  const drain = async (): Promise<{ blocked: boolean }> => {
    while (!state.ceased) {
      const limit = room();
      if (limit <= 0) {
        await waiter.waitAnew(Math.max(1, Math.min(pace.roomInMs() || 50, 50)));
        continue;
      }
      state.poked = false;
      const claim = await work.claim(lane, { limit, prepared, preparing });
      if (!claim) {
        await waiter.waitAnew(giveWayMs);
        continue;
      }
      state.perSecond = claim.perSecond;
      pace.setRate(claim.perSecond);
      if (claim.blocked) return { blocked: true };
      pace.count(claim.handOffs.length);
      for (const handOff of claim.handOffs) void call(handOff);
      for (const handOff of claim.unprepared) void prepare(handOff);
      if (!claim.more && !state.poked) return { blocked: false };
    }
    return { blocked: false };
  };

  const run = async (): Promise<{ blocked: boolean }> => {
    try {
      for (;;) {
        const { blocked } = await drain();
        if (blocked || state.ceased) return { blocked };
        state.working = false;
        // A message that waited for its files and was canceled meanwhile needs them no more.
        if (preparing.size === 0) prepared.clear();
        pace.rest();
        while (!state.poked && !state.ceased && preparing.size > 0) await waiter.waitAnew(lingerMs + 50);
        if (!state.poked && !state.ceased) await waiter.waitAnew(lingerMs);
        if (!state.poked || state.ceased) return { blocked: false };
        state.working = true;
      }
    } finally {
      state.working = false;
      // The lease is kept until the last claimed message left: whoever comes next begins with a fresh pace.
      while (state.inFlight > 0 || preparing.size > 0) await waiter.waitAnew(50);
    }
  };

  return {
    poke,
    isPoked: () => state.poked,
    cease() {
      state.ceased = true;
      waiter.wake();
    },
    idle: () => !state.working && !state.poked && state.inFlight === 0 && preparing.size === 0,
    ended: run(),
  };
}
