// What long work is made of. There are three shapes.
//   run      one step: a result, a failure, or "look again later"
//   runItem  some items known when it starts, several at a time, each with a result of its own
//   chunks   a stream of work too long to list, resumed at its checkpoint
// In all of them what `apply` writes commits together with the progress it stands for, so that a crash repeats nothing
// that was done. What is done outside the database can happen again after a crash, and must bear it.
import type { TSchema } from 'typebox';
import type { TenantTx } from '../../platform/db/database.ts';
import type { ErrorCode } from '../../platform/errors/errors.ts';
import type { Job, TenantJobContext } from '../../platform/jobs/jobs.ts';
import type { operationPayload } from './operation-jobs.ts';

/** `retryable: false` for what would fail the same way again. */
export type Failure = { code: ErrorCode; message: string; retryable?: boolean };

export type Apply = (t: TenantTx) => Promise<unknown>;

/** What an operation needs of somebody before it can go on. */
export type Awaiting = {
  /** A word for it: SIGNUP, VERIFICATION_CODE. */
  awaits: string;
  /** What to do, as whoever reads the operation is shown it. */
  nextAction?: object;
  /** Parts of the next action that are stored sealed, and are in no event. */
  secrets?: object;
  /** Its run comes then at the latest, and judges that nobody came. */
  until: Date;
  /** Shown meanwhile. */
  result?: object;
};

export type StepOutcome = (
  | { result: object | null }
  | { failure: Failure }
  /**
   * Run again then: for what is decided elsewhere. As a function it is asked in the transaction that writes the wait down, so
   * that a decision made since the run looked is not slept through. `result` is shown meanwhile.
   */
  | { waitUntil: Date | ((t: TenantTx) => Promise<Date>); result?: object }
  | Awaiting
) & { apply?: Apply };

export type ItemOutcome = { result?: object | null; apply?: Apply } | { failure: Failure };

/** `signal` is aborted when the operation is canceled or the worker stops. */
export type OperationContext = TenantJobContext;

export type RunningOperation<Input> = {
  sid: string;
  accountSid: string;
  livemode: boolean;
  input: Input;
  /** It waited for somebody, and its time is over. */
  overdue: boolean;
  /**
   * For what a step commits on its way: throws where another run has begun or the operation was canceled, so that nothing of the
   * transaction is kept. It counts as progress, and tells how much was done with it.
   */
  stillRuns(t: TenantTx, made?: Partial<Tally> & { total?: number }): Promise<void>;
};

export type Item = { position: number; ref: string | null; input: unknown };

export type Tally = { done: number; failed: number };

/** The result of one item of a chunk. */
export type ChildResult = {
  position: number;
  ref?: string | null;
  state: 'SUCCEEDED' | 'FAILED';
  result?: object | null;
  error?: { code: ErrorCode; message: string } | null;
};

/** What a chunk did: its counts, and the single results worth keeping. */
export type ChunkDone = Tally & {
  children?: ChildResult[];
  /** Where it goes on, when only the work itself could tell. */
  checkpoint?: object;
};

export type Chunk = {
  /** Where work goes on after this chunk: handed to `chunks` when it is resumed. */
  checkpoint: object;
  /** How many items there are, once that is known. */
  total?: number;
  apply(t: TenantTx): Promise<ChunkDone>;
};

export type Named<I extends TSchema> = {
  /** What people know it by: contacts.import */
  type: string;
  /** What it is started with. SIDs and settings: whoever may read operations could be shown it. */
  input: I;
  /** False for what cannot be stopped half-way. */
  cancelable?: boolean;
};

export type Step<Input> = {
  run(context: OperationContext, operation: RunningOperation<Input>): Promise<StepOutcome>;
};
export type Items<Input> = {
  /** How many items are worked on at once. */
  concurrency?: number;
  runItem(context: OperationContext, operation: RunningOperation<Input>, item: Item): Promise<ItemOutcome>;
  /** The result of the whole, in the transaction that ends it. */
  finish?(t: TenantTx, operation: RunningOperation<Input>, tally: Tally): Promise<object | null>;
};
export type Chunks<Input> = {
  /**
   * False for work that keeps what it has seen in memory: it holds its place until its end, and after a crash it begins
   * anew. It must have no effects but its result.
   */
  resumable?: boolean;
  chunks(
    context: OperationContext,
    operation: RunningOperation<Input>,
    checkpoint: object | null,
  ): AsyncIterable<Chunk>;
  /** The result of the whole, in the transaction that ends it. */
  finish?(t: TenantTx, operation: RunningOperation<Input>, checkpoint: object | null): Promise<object | null>;
};

export type Work<Input = unknown> = Step<Input> | Items<Input> | Chunks<Input>;

export type OperationType<I extends TSchema = TSchema> = {
  type: string;
  input: I;
  cancelable: boolean;
  kind: 'STEP' | 'ITEMS' | 'CHUNKS';
  /** To be listed among the jobs of the module that defines the type. */
  job: Job<typeof operationPayload>;
};

type Part<Shape> = Extract<Work<never>, Shape>;
export type StepWork = Part<{ run: unknown }>;
export type ItemsWork = Part<{ runItem: unknown }>;
export type ChunksWork = Part<{ chunks: unknown }>;

/** To be run again after so long. */
export const later = ({ now }: Pick<OperationContext, 'now'>, ms: number): StepOutcome => ({
  waitUntil: new Date(now().getTime() + ms),
});
