// What every step works with, and how it ends: with the next step, with a wait, or with a failure.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ErrorCode } from '../../../platform/errors/errors.ts';
import type { OperationContext, RunningOperation, StepOutcome } from '../../operations/index.ts';
import type { Answered, Connection, Provider, ProviderFailure } from '../../provider/index.ts';
import { connectionOf, requireWaba } from '../../wabas/index.ts';
import { note, saidBy } from '../history.ts';
import { changeMigration, type Migration, type MigrationChange } from '../migrations.ts';
import { type Awaited, awaitedMs, type MigrationStep } from '../steps.ts';

export type Work = {
  context: OperationContext;
  operation: RunningOperation<unknown>;
  migration: Migration;
  /** Whether this very step was begun by a run of which nobody knows how it ended. */
  wasBegun: boolean;
};

/** Null when the next step can begin at once. */
export type Step = (work: Work) => Promise<StepOutcome | null>;

export const providerOf = ({ context }: Work): Provider => context.ports.provider;

/** A transaction on the way: nothing of it is kept where another run has taken over, or the operation was canceled. */
export const commit = <T>({ context, operation }: Work, work: (t: TenantTx) => Promise<T>): Promise<T> =>
  context.write(async (t) => {
    await operation.stillRuns(t);
    return work(t);
  });

/** Writes down that the provider is about to be called. */
export const begin = (work: Work): Promise<number> =>
  commit(work, (t) => note(t, work.operation.sid, work.migration.step, 'STARTED'));

/** The step is done, and another is next. */
export const goOn = (work: Work, next: MigrationStep, change: MigrationChange = {}): Promise<null> =>
  commit(work, async (t) => {
    await note(t, work.operation.sid, work.migration.step, 'DONE');
    await changeMigration(t, work.operation.sid, { ...change, step: next });
    return null;
  });

export const later = ({ context }: Work, ms: number): StepOutcome => ({
  waitUntil: new Date(context.now().getTime() + ms),
});

type Failing = {
  code: ErrorCode;
  message: string;
  retryable?: boolean;
  said?: ProviderFailure;
  /** What else is different from then on. */
  change?: MigrationChange;
  apply?: (t: TenantTx) => Promise<unknown>;
};

/** Ends the migration. It can be retried unless somebody says otherwise: what the provider minds can be put right there. */
export function fail(
  work: Work,
  { code, message, retryable = true, said, change, apply }: Failing,
): StepOutcome {
  const { sid } = work.operation;
  const error = { code, message };
  return {
    failure: { ...error, retryable },
    async apply(t) {
      await apply?.(t);
      await note(t, sid, work.migration.step, 'REFUSED', said ? saidBy(said) : { detail: message });
      await changeMigration(t, sid, {
        outcome: 'FAILED',
        error,
        ...change,
        ...(!retryable && { sealedPin: null, sealedCode: null }),
      });
    },
  };
}

/** In the provider's own words. */
export const failAs = (work: Work, said: ProviderFailure): StepOutcome =>
  fail(work, { code: said.code, message: said.reason, said });

const paths: Record<Awaited, string> = {
  VERIFICATION_CODE: 'verification-code',
  REGISTRATION_PIN: 'registration-pin',
};

/** Somebody must bring this within a week. */
export function awaitPerson(
  { context, operation, migration }: Work,
  awaits: Awaited,
  apply: (t: TenantTx) => Promise<unknown> = async () => {},
): StepOutcome {
  const until = new Date(context.now().getTime() + awaitedMs);
  const { sid, accountSid } = operation;
  const url = `/v1/accounts/${accountSid}/migrations/${sid}/${paths[awaits]}`;
  return {
    awaits,
    nextAction: { method: 'POST', url, expiresAt: until.toISOString() },
    until,
    async apply(t) {
      await apply(t);
      await note(t, sid, migration.step, 'AWAITED', { detail: awaits });
      await changeMigration(t, sid, { awaitedUntil: until });
    },
  };
}

/** Whether nobody brought in time what was waited for. */
export const isOverdue = ({ context, migration }: Work): boolean =>
  migration.awaitedUntil !== null && context.now() >= new Date(migration.awaitedUntil);

export type Reached = { connection: Connection; wabaId: string };

/** The way to a business account; null when it is not connected any more. */
export const reach = ({ context }: Work, wabaSid: string): Promise<Reached | null> =>
  context.read(async (t) => {
    const connection = await connectionOf(t, wabaSid);
    const { providerWabaId } = await requireWaba(t, wabaSid);
    return connection && { connection, wabaId: providerWabaId };
  });

export const unreachable = (work: Work, which: 'source' | 'destination'): StepOutcome =>
  fail(work, {
    code: 'WABA_NOT_CONNECTED',
    message: `The business account at the ${which} is not connected any more.`,
  });

/** The provider did not say what came of the call: it may have had its effect. */
export const isUnheard = (answer: Answered<unknown>): boolean =>
  !answer.ok && answer.failure.providerCode === null;

const restMs = 5_000;
/** How long to wait before the same is asked again. */
export const restAfter = ({ retryAfterMs }: ProviderFailure): number => retryAfterMs ?? restMs;
