// A number's throughput: hand-offs leave it evenly spaced, so that no second holds more than the provider allows. Kept by
// whoever holds the lane's lease, on a clock that only runs forward.

/** How far ahead hand-offs are claimed; what is claimed can no longer be canceled, so it is short. */
const aheadMs = 250;

export type Pace = {
  /** The rate may change while the lane is held. */
  setRate(perSecond: number): void;
  /** How many more may be claimed now. */
  room(): number;
  /** When the next may be claimed, in milliseconds from now. */
  roomInMs(): number;
  /** Takes the next slot: how long to wait before the call. */
  takeSlot(): number;
  /** The provider said that it was too much: nothing leaves for a while. */
  holdFor(ms: number): void;
};

export function createPace(nowMs: () => number, perSecond = 80): Pace {
  let everyMs = 1000 / perSecond;
  let freeAtMs = nowMs();
  return {
    setRate(rate) {
      everyMs = 1000 / rate;
    },
    room() {
      const slots = (nowMs() + aheadMs - Math.max(freeAtMs, nowMs())) / everyMs;
      return Math.max(slots < 1 && freeAtMs <= nowMs() ? 1 : 0, Math.floor(slots));
    },
    roomInMs: () => Math.max(0, Math.max(freeAtMs, nowMs()) + Math.min(everyMs, aheadMs) - aheadMs - nowMs()),
    takeSlot() {
      const startMs = Math.max(freeAtMs, nowMs());
      freeAtMs = startMs + everyMs;
      return startMs - nowMs();
    },
    holdFor(ms) {
      freeAtMs = Math.max(freeAtMs, nowMs() + ms);
    },
  };
}
