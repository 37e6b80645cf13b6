// What asking the service takes: transactions around the calls, never during one.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { OthersNotReady } from '../../../platform/jobs/jobs.ts';
import { PaymentCallFailed } from '../ports.ts';

export type Means = Pick<TenantJobContext, 'ports' | 'site' | 'log' | 'now' | 'write' | 'read'>;

export type Work<T> = (t: TenantTx) => Promise<T>;

/** For a job: what the service could not answer now is asked again later. */
export function notNow(error: unknown): never {
  if (error instanceof PaymentCallFailed && error.outcome !== 'refused')
    throw new OthersNotReady(`the payment service: ${error.message}`, { cause: error });
  throw error;
}
