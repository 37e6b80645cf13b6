// How the simulator behaves unless a recipient or a rule says otherwise. The control API changes it while it runs.

export type Settings = {
  /** From acceptance to each status. */
  sentMs: number;
  deliveredMs: number;
  readMs: number;
  playedMs: number;
  /** How likely each callback, of any kind, is sent twice, held back until after the next one, or never sent. */
  duplicateCallbacks: number;
  reorderCallbacks: number;
  loseCallbacks: number;
  /** Most updates in one callback body; more than one only when they pile up. */
  callbackBatch: number;
  callbackConcurrency: number;
  callbackTimeoutMs: number;
  /** From the submission of a template to its review. */
  reviewMs: number;
  /** How long a newly approved template is unknown to the Marketing Messages API. */
  marketingSyncMs: number;
  /** Whether 80 (or 1,000) messages a second and number, and one per six seconds and recipient, are held to. */
  throughputLimit: boolean;
  pairLimit: boolean;
  /** Whether 5,000 management calls an hour and WABA (200 without a registered number) are held to. */
  managementLimit: boolean;
  /** Most marketing messages a person receives in 24 hours, from all businesses together; 0 for no cap. */
  marketingCap: number;
  /** How many messages of a new or unpaused template go out before the rest is held, and for how long; 0 holds none. */
  pacingSample: number;
  pacingMs: number;
  /** How long it takes until a credit line that was shared or revoked shows as such. */
  creditDelayMs: number;
};

/** For whoever counts callbacks: each comes once and in its order. */
export const exactCallbacks: Partial<Settings> = {
  duplicateCallbacks: 0,
  reorderCallbacks: 0,
  loseCallbacks: 0,
};

export const defaultSettings: Settings = {
  sentMs: 100,
  deliveredMs: 400,
  readMs: 2_000,
  playedMs: 4_000,
  duplicateCallbacks: 0.02,
  reorderCallbacks: 0.02,
  loseCallbacks: 0,
  callbackBatch: 100,
  callbackConcurrency: 8,
  callbackTimeoutMs: 10_000,
  reviewMs: 3_000,
  marketingSyncMs: 0,
  throughputLimit: true,
  pairLimit: true,
  managementLimit: true,
  marketingCap: 5,
  pacingSample: 1_000,
  pacingMs: 60_000,
  creditDelayMs: 0,
};

/** What each setting may be. */
export type Ranges<S> = { [K in keyof S]: [least: number, most: number] | 'boolean' };

const ranges: Ranges<Settings> = {
  sentMs: [0, 86_400_000],
  deliveredMs: [0, 86_400_000],
  readMs: [0, 86_400_000],
  playedMs: [0, 86_400_000],
  duplicateCallbacks: [0, 1],
  reorderCallbacks: [0, 1],
  loseCallbacks: [0, 1],
  callbackBatch: [1, 1000],
  callbackConcurrency: [1, 64],
  callbackTimeoutMs: [100, 60_000],
  reviewMs: [0, 86_400_000],
  marketingSyncMs: [0, 86_400_000],
  throughputLimit: 'boolean',
  pairLimit: 'boolean',
  managementLimit: 'boolean',
  marketingCap: [0, 1000],
  pacingSample: [0, 1_000_000],
  pacingMs: [0, 86_400_000],
  creditDelayMs: [0, 86_400_000],
};

/** What is wrong with a change of settings, in words; null when nothing is. */
export const settingsProblem = (change: object): string | null => problemIn(change, ranges);

export function problemIn<S>(change: object, ranges: Ranges<S>): string | null {
  for (const [name, value] of Object.entries(change)) {
    const range = Object.hasOwn(ranges, name) ? ranges[name as keyof S] : undefined;
    if (!range) return `There is no setting "${name}".`;
    if (range === 'boolean') {
      if (typeof value !== 'boolean') return `"${name}" must be true or false.`;
    } else if (typeof value !== 'number' || !(value >= range[0] && value <= range[1])) {
      return `"${name}" must be a number from ${range[0]} to ${range[1]}.`;
    }
  }
  return null;
}
