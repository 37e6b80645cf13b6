// Where a message can stand, and which way it can move: only towards a higher rank. A provider that reports late, twice
// or out of order therefore changes nothing it should not.

export const ranks = {
  queued: 0,
  scheduled: 0,
  deferred: 0,
  sending: 10,
  /** Handed over, and the answer was lost: only the provider's own word moves it on. */
  unknown: 15,
  sent: 20,
  // A failure may follow `sent`, and a delivery is proof whatever was said before it.
  failed: 25,
  delivered: 30,
  read: 40,
  // The end of what never was handed over, and the only state of what came in.
  canceled: 100,
  expired: 100,
  received: 100,
} as const;

export type Status = keyof typeof ranks;
export const statuses = Object.keys(ranks) as Status[];

/** What the provider reports. `played` says no more than `read`. */
export type ReportedStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** How long each priority lets others that fell due later go first, at most. */
export const patienceMs = [0, 5_000, 30_000, 120_000] as const;

export const priorities = ['P0', 'P1', 'P2', 'P3'] as const;

export const turnAt = (dueAt: Date, priority: number) =>
  new Date(dueAt.getTime() + (patienceMs[priority] ?? 0));
