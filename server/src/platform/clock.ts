// Time is handed in, never looked up: this is the only file that reads the system's clock, so that a rule
// about days or deadlines can be tested without waiting for them.

export type Clock = {
  now(): Date;
  /** Tells whoever sleeps until an instant that time has jumped. A clock that only runs has nothing to tell. */
  onMoved?(listener: () => void): () => void;
};

export type ManualClock = Clock & {
  set(at: Date | string): void;
  advance(ms: number): void;
};

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is told to move. It may be set back, as real clocks sometimes are. */
export function manualClock(start: Date | string): ManualClock {
  let currentMs = instantMs(start);
  const listeners = new Set<() => void>();
  const move = (toMs: number) => {
    currentMs = toMs;
    for (const listener of listeners) listener();
  };
  return {
    now: () => new Date(currentMs),
    onMoved(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set: (at) => move(instantMs(at)),
    advance: (ms) => move(instantMs(new Date(currentMs + ms))),
  };
}

function instantMs(at: Date | string): number {
  const ms = new Date(at).getTime();
  if (Number.isNaN(ms)) throw new RangeError('A clock can only be set to a valid date.');
  return ms;
}

// Days of the calendar are those of UTC, and written so: 2026-08-21.

export const dayMs = 24 * 3_600_000;

export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10);

/** The 30th of February is none, although it can be read as the 2nd of March. */
export function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}
