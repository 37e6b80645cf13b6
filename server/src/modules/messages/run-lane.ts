// One lane while this process holds it: claims what is due, hands it over at the number's pace, and goes on until nothing is
// due. It then lingers, so that a sender with a message now and then is not leased anew for each.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HandOff } from './build-hand-offs.ts';
import type { Claim } from './claim-messages.ts';
import type { Lane } from './lanes.ts';
import { createPace, type Pace } from './pace.ts';

export type LaneWork = {
  claim(lane: Lane, limit: number): Promise<Claim>;
  /** Settles when the answer is on its way to the database; tells how long the provider asked the number to rest. */
  handOver(lane: Lane, handOff: HandOff): Promise<{ restMs: number }>;
  nowMs(): number;
};

export type LaneRun = {
  /** Something was added to the lane. */
  poke(): void;
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

export function runLane(lane: Lane, work: LaneWork, lingerMs: number): LaneRun {
  const pace = createPace(work.nowMs);
  const state = { poked: true, ceased: false, working: true, inFlight: 0, perSecond: 80 };
  let wake = () => {};
  const resting = (ms: number) =>
    new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });

  const start = async (handOff: HandOff): Promise<void> => {
    state.inFlight += 1;
    const waitMs = pace.takeSlot();
    if (waitMs >= 1) await sleep(waitMs);
    const { restMs } = await work.handOver(lane, handOff);
    if (restMs > 0) pace.holdFor(restMs);
    state.inFlight -= 1;
    wake();
  };

  const room = (): number => {
    const most = Math.max(fewestInFlight, state.perSecond * inFlightSeconds) - state.inFlight;
    return Math.min(mostClaimed, pace.room(), most);
  };

  const drain = async (): Promise<{ blocked: boolean }> => {
    while (!state.ceased) {
      const limit = room();
      if (limit <= 0) {
        await resting(Math.max(1, Math.min(pace.roomInMs() || 50, 50)));
        continue;
      }
      state.poked = false;
      const claim = await work.claim(lane, limit);
      state.perSecond = claim.perSecond;
      pace.setRate(claim.perSecond);
      if (claim.blocked) return { blocked: true };
      for (const handOff of claim.handOffs) void start(handOff);
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
        if (!state.poked) await resting(lingerMs);
        if (!state.poked || state.ceased) return { blocked: false };
        state.working = true;
      }
    } finally {
      state.working = false;
      // The lease is kept until the last claimed message left: whoever comes next begins with a fresh pace.
      while (state.inFlight > 0) await resting(50);
    }
  };

  return {
    poke() {
      state.poked = true;
      wake();
    },
    cease() {
      state.ceased = true;
      wake();
    },
    idle: () => !state.working && !state.poked && state.inFlight === 0,
    ended: run(),
  };
}

export type { Pace };
