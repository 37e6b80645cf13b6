// A number's throughput. Hand-offs of a lane leave in small groups, each as large as the time since the last allows, and no
// second holds more than the provider allows. Kept by whoever holds the lane's lease, on a clock that only runs forward.

/** How long slots gather for one group: what is claimed is called at once, and a claim costs a transaction. */
const groupMs = 50;
/** How much of the time a busy lane lost, to a slow claim or a full machine, it may catch up with. */
const catchUpMs = 250;
const secondMs = 1_000;

export type Pace = {
  /** The rate may change while the lane is held. */
  setRate(perSecond: number): void;
  /** How many may be called now. */
  room(): number;
  /** When there is room again, in milliseconds from now. */
  roomInMs(): number;
  /** Counts calls that leave now. */
  count(calls: number): void;
  /** The lane had nothing to do: time that passes like this is not caught up with. */
  rest(): void;
  /** The provider said that it was too much: nothing leaves for a while. */
  holdFor(ms: number): void;
};

export function createPace(nowMs: () => number, perSecond = 80): Pace {
  let rate = perSecond;
  /** When the next slot begins. */
  let freeAtMs = nowMs();
  let rested = true;
  /** When the calls of the last second left, oldest first; groups of the same moment stand together. */
  const left: { atMs: number; calls: number }[] = [];

  const everyMs = () => secondMs / rate;
  /** Where slots are close together the next few are waited for, so that they share a claim. */
  const gatherMs = () => Math.max(0, groupMs - everyMs());
  const inLastSecond = () => {
    while (left.length > 0 && left[0]!.atMs <= nowMs() - secondMs) left.shift();
    return left.reduce((sum, { calls }) => sum + calls, 0);
  };
  return {
    setRate(given) {
      rate = given;
    },
    room() {
      const lateMs = nowMs() - freeAtMs;
      if (lateMs < (rested ? 0 : gatherMs())) return 0;
      const slots = rested ? 1 : 1 + Math.floor(Math.min(lateMs, catchUpMs) / everyMs());
      return Math.min(slots, Math.max(1, Math.floor(rate)) - inLastSecond());
    },
    roomInMs() {
      const nextMs = freeAtMs + gatherMs() - nowMs();
      const full = inLastSecond() >= Math.max(1, Math.floor(rate));
      return Math.max(0, nextMs, full ? left[0]!.atMs + secondMs - nowMs() : 0);
    },
    count(calls) {
      if (calls === 0) return;
      const atMs = nowMs();
      freeAtMs =
        (rested ? Math.max(freeAtMs, atMs) : Math.max(freeAtMs, atMs - catchUpMs)) + calls * everyMs();
      rested = false;
      left.push({ atMs, calls });
    },
    rest() {
      rested = true;
    },
    holdFor(ms) {
      freeAtMs = Math.max(freeAtMs, nowMs() + ms);
    },
  };
}
