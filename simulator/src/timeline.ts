// What is to happen later, and when. On the system's clock a timer fires it; on a clock handed in, only `runDue` does;
// and `instant` lets what would happen soon happen now, so that no test waits.

export type Clock = { now(): Date };

export type Timeline = {
  nowMs(): number;
  /** `lasting` marks what stays in the future even when everything else is instant: a pause of three hours, a lock. */
  after(delayMs: number, run: () => void, options?: { lasting?: boolean }): void;
  /** Moves this clock on, over whatever the clock underneath says, and does what falls due on the way. */
  advance(ms: number): void;
  runDue(): void;
  /** How many things are still to come. */
  waiting(): number;
  /** How many of them are about to happen by themselves, because everything is instant. */
  soon(): number;
  clear(): void;
};

type Entry = { atMs: number; sequence: number; run: () => void };

export function createTimeline(clock: Clock | undefined, instant: boolean): Timeline {
  const heap = createHeap();
  let offsetMs = 0;
  let sequence = 0;
  // While entries run, time stands at the moment each was meant for, so that what it records is dated right.
  let heldMs: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let soon: Entry[] = [];

  const baseMs = () => (clock ? clock.now().getTime() : Date.now()) + offsetMs;
  const nowMs = () => heldMs ?? baseMs();

  const runDue = () => {
    const untilMs = baseMs();
    for (let entry = heap.peek(); entry && entry.atMs <= untilMs; entry = heap.peek()) {
      heap.pop();
      heldMs = entry.atMs;
      try {
        entry.run();
      } finally {
        heldMs = null;
      }
    }
    arm();
  };

  const arm = () => {
    if (clock) return;
    if (timer) clearTimeout(timer);
    timer = null;
    const first = heap.peek();
    if (!first) return;
    timer = setTimeout(runDue, Math.min(Math.max(first.atMs - baseMs(), 0), 0x7fffffff));
  };

  const runSoon = () => {
    const entries = soon;
    soon = [];
    for (const entry of entries) entry.run();
  };

  return {
    nowMs,
    after(delayMs, run, { lasting = false } = {}) {
      sequence += 1;
      const entry = { atMs: nowMs() + delayMs, sequence, run };
      if (instant && !lasting) {
        if (soon.push(entry) === 1) setImmediate(runSoon);
        return;
      }
      heap.push(entry);
      if (heldMs === null && heap.peek() === entry) arm();
    },
    advance(ms) {
      offsetMs += ms;
      runDue();
    },
    runDue,
    waiting: () => heap.size() + soon.length,
    soon: () => soon.length,
    clear() {
      heap.clear();
      soon = [];
      if (timer) clearTimeout(timer);
      timer = null;
    },
  };
}

const isBefore = (a: Entry, b: Entry) => a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);

/** The earliest first; among equals, the one that was added first. */
function createHeap() {
  let entries: Entry[] = [];
  const swap = (i: number, j: number) => {
    const held = entries[i]!;
    entries[i] = entries[j]!;
    entries[j] = held;
  };
  const sink = () => {
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < entries.length && isBefore(entries[left]!, entries[least]!)) least = left;
      if (right < entries.length && isBefore(entries[right]!, entries[least]!)) least = right;
      if (least === i) return;
      swap(i, least);
      i = least;
    }
  };
  return {
    peek: () => entries[0],
    size: () => entries.length,
    clear() {
      entries = [];
    },
    push(entry: Entry) {
      entries.push(entry);
      for (let i = entries.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1;
        if (!isBefore(entries[i]!, entries[parent]!)) return;
        swap(i, parent);
        i = parent;
      }
    },
    pop() {
      const last = entries.pop();
      if (last && entries.length > 0) {
        entries[0] = last;
        sink();
      }
    },
  };
}
