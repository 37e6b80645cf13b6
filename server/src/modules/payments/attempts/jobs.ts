// How what is to be asked of the service, and what is to be looked at there, is queued. What they do stands in `look`.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Uuid } from '../../../platform/http/input/schema.ts';
import { enqueue, untilDone } from '../../../platform/jobs/jobs.ts';

export const attemptJob = {
  name: 'payments.attempt',
  payload: Closed({ attemptId: Uuid }),
  attempts: untilDone,
};
export const lookJob = { name: 'payments.look', payload: Closed({ intentId: Uuid }), attempts: untilDone };
export const closeJob = { name: 'payments.close', payload: Closed({ intentId: Uuid }), attempts: untilDone };

export const enqueueAttempt = (t: TenantTx, attemptId: string): void => enqueue(t, attemptJob, { attemptId });

/** Many hints about one payment are one look, as long as it waits. */
export const enqueueLook = (t: TenantTx, intentId: string): void =>
  enqueue(t, lookJob, { intentId }, { key: `payment:${intentId}` });

export const enqueueClose = (t: TenantTx, intentId: string): void =>
  enqueue(t, closeJob, { intentId }, { key: `payment-close:${intentId}` });
