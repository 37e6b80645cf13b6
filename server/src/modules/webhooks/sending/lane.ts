// A lane as the process that holds it knows it.
import type { LeasedLane } from './lanes.ts';
import type { Due, LaneState } from './load-due.ts';

export type Lane = {
  lease: LeasedLane;
  state: LaneState | null;
  loadedAtMs: number;
  loading: boolean;
  /** It is being given back: nothing more is taken up. */
  leaving: boolean;
  /** Nothing more was due when it was last loaded, and nothing was announced since. */
  drained: boolean;
  ready: Due[];
  /** Ready, under way or not yet recorded: what must not be taken up again. */
  atHand: Set<string>;
  underWay: number;
  /**
   * How many may be under way now. It begins with a few, grows by one with every success, which is to double with every
   * round of them, and halves with every failure: an endpoint that never answers holds few slots while that shows.
   */
  allowed: number;
};

// A change of the endpoint, such as a pause or an ended overlap, is obeyed within this time.
const stateLivesMs = 1_000;
const firstAllowed = 8;

export const newLane = (lease: LeasedLane): Lane => ({
  lease,
  state: null,
  loadedAtMs: Number.NEGATIVE_INFINITY,
  loading: false,
  leaving: false,
  drained: false,
  ready: [],
  atHand: new Set(),
  underWay: 0,
  allowed: firstAllowed,
});

const isFresh = (lane: Lane) => staleInMs(lane) > 0;

/** How long what is known of it still counts. */
export const staleInMs = ({ loadedAtMs }: Lane): number =>
  Math.max(0, loadedAtMs + stateLivesMs - performance.now());

export const hasWork = (lane: Lane): boolean =>
  lane.ready.length > 0 &&
  lane.underWay < lane.allowed &&
  unrecorded(lane) < 4 * lane.allowed &&
  lane.state?.open === true &&
  isFresh(lane);

/** Answered and not yet written down: what comes twice if the process dies now, and so must not grow. */
const unrecorded = ({ atHand, ready, underWay }: Lane) => atHand.size - ready.length - underWay;

/**
 * How many deliveries are kept ready: enough to stay busy while more are loaded. Bodies take memory, so all lanes
 * together have a limit too.
 */
const roomOf = ({ allowed }: Lane, lanes: number) =>
  Math.min(8 * allowed, mostReadyOfLane, Math.max(leastReady, Math.floor(mostReady / lanes)));

const mostReadyOfLane = 512;
const mostReady = 4_096;
const leastReady = 16;

export const missing = (lane: Lane, lanes: number): number =>
  Math.max(0, roomOf(lane, lanes) - lane.ready.length);

export function needsLoading(lane: Lane, lanes: number): boolean {
  if (lane.loading || lane.leaving) return false;
  // One that knows of more and was left alone for long, as by a database that was away, would else be held for ever.
  if (!isFresh(lane)) return lane.state === null || lane.atHand.size > 0 || !lane.drained;
  return !lane.drained && lane.state?.open === true && lane.ready.length < roomOf(lane, lanes) / 2;
}

/** Nothing is at hand, and nothing more was due or may be sent. */
export const isIdle = ({ state, loading, leaving, drained, atHand }: Lane): boolean =>
  state !== null && !loading && !leaving && atHand.size === 0 && (drained || !state.open);

/**
 * An idle lane stays for a moment: to lease and give back costs two waits for the disk, and where something just came more
 * will come. Where many lanes are wanted it makes room at once.
 */
export const mayLeave = (lane: Lane, isCrowded: boolean): boolean =>
  isIdle(lane) && (isCrowded || !lane.state!.open || !isFresh(lane));

/** Takes in what was loaded. A closed lane keeps nothing ready: what waits in it waits in the database. */
export function fill(lane: Lane, state: LaneState, due: Due[], wanted: number): void {
  // As much as was asked for, which may be nothing at all: there may be more.
  if (due.length === wanted) lane.drained = false;
  lane.state = state;
  lane.allowed = Math.min(lane.allowed, state.concurrencyCap);
  lane.loadedAtMs = performance.now();
  for (const one of due) lane.atHand.add(one.deliverySid);
  lane.ready.push(...due);
  if (!state.open) for (const { deliverySid } of lane.ready.splice(0)) lane.atHand.delete(deliverySid);
}

export function learn(lane: Lane, succeeded: boolean): void {
  const cap = lane.state?.concurrencyCap ?? 1;
  lane.allowed = succeeded ? Math.min(cap, lane.allowed + 1) : Math.max(1, Math.floor(lane.allowed / 2));
}
