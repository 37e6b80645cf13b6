// What a run is between its turns, what it is told, and what it answers. All of it is JSON.

import type { Saw } from '../conditions/judge.ts';
import type { Section } from '../definition/actions.ts';
import type { StepError } from '../definition/schema.ts';
import type { Effect } from './effects.ts';

export const maxSteps = 1_000;
/** What failureActions and timeoutActions may take beyond that. */
export const maxClosingSteps = 200;
export const maxStepsOfTurn = 25;
export const maxMemoryBytes = 16 * 1024;

/** A list of actions that is being worked through: which of its parent's lists it is, and where it stands. */
export type Frame = {
  in: number | string;
  at: number;
  /** How often the `repeat` it stands at was gone through. */
  round?: number;
};

export type Wait = {
  kind: 'time' | 'reply' | 'event';
  /** The names of the events that may end it. */
  names: string[];
  /** When it ends by itself. */
  wakeAt: string;
  position: number;
  path: string;
};

/** Where a run stands. Its size follows from how deep lists may be nested: far below 8 KiB. */
export type State = {
  section: Section;
  /** The way to the action it stands at; empty when the run has ended. */
  frames: Frame[];
  /** The number of the last step that was begun. */
  position: number;
  /** The last position there may be. */
  limit: number;
  waiting: Wait | null;
  /** The position of the effect whose result is awaited. */
  pending: number | null;
  /** The last message the contact wrote to this run. */
  messageSid: string | null;
  /** The last step that failed. */
  error: StepError | null;
  /** Why the run failed. */
  failure: StepError | null;
};

/** What a run remembers; at most 16 KiB as JSON. */
export type Memory = {
  vars: Record<string, unknown>;
  /** What became of steps, as far as the definition asks for it. */
  steps: Record<string, StepRecord>;
  /** The messages that answered a `wait_for_reply`, as far as the definition cites them. */
  replies: Record<string, string>;
};
export type StepRecord = { outcome: StepOutcome; output?: unknown };
export type StepOutcome = 'done' | 'skipped' | 'failed' | 'timed_out';

export type Run = { state: State; memory: Memory };

export type LoggedEvent = { sid: string; type: string; data: object };
export type Input =
  | { kind: 'go' }
  | { kind: 'result'; position: number; output?: Record<string, unknown> }
  | { kind: 'result'; position: number; error: { code: string; message: string } }
  | { kind: 'event'; event: LoggedEvent }
  | { kind: 'due' }
  | { kind: 'timeout' };

export type EndStatus = 'COMPLETED' | 'FAILED' | 'TIMED_OUT';

export type Outcome =
  /** Nothing happened: it is to be asked again, the same, with these facts. */
  | { kind: 'need'; facts: string[] }
  /** What it was told does not fit where it stands. */
  | { kind: 'unchanged' }
  /** `awaits` tells that the result comes from outside, later. */
  | { kind: 'effect'; effect: Effect; position: number; path: string; awaits: boolean }
  | { kind: 'wait'; wait: Wait }
  /** It has had its turn, and goes on in the next one. */
  | { kind: 'pause' }
  | { kind: 'end'; status: EndStatus; outcome: string | null; error: StepError | null };

export type TraceEntry = {
  position: number;
  path: string;
  id: string | null;
  type: string;
  outcome: StepOutcome | 'waiting' | 'chose';
  at: string;
  /** What its conditions looked at. */
  saw?: Saw[];
  /** The case that was taken, or the number of the round. */
  chose?: number | string;
  output?: unknown;
  error?: StepError;
};

export type Turn = Run & { trace: TraceEntry[]; outcome: Outcome };
