// How runs are queued. The API starts and retries work by its type's name alone, whose code it need not hold.
import type { TenantTx } from '../../platform/db/database.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';

export const operationPayload = Closed({ operationSid: Sid('OP') });

// Each death of a process costs one of these; far more than a run is tried.
export const attempts = 25;

export const jobName = (type: string) => `operation:${type}`;
export const jobKeyOf = (sid: string) => `operation:${sid}`;

// Long work gives way to what somebody waits for.
const priority = 10;

/** Queues a run; one that waits already is replaced. */
export function enqueueRun(t: TenantTx, { sid, type }: { sid: string; type: string }, runAt?: Date): void {
  const job = { name: jobName(type), payload: operationPayload, attempts, run: async () => {} };
  enqueue(t, job, { operationSid: sid }, { key: jobKeyOf(sid), priority, ...(runAt && { runAt }) });
}
