import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { getOperation, retryOperation, startOperation, wakeOperation } from '../../operations/index.ts';
import { getRequest, type Work } from '../requests.ts';
import type { PrivacyRequest } from '../schema.ts';
import { erasureOfPerson } from './erase-person.ts';

/** Starts the operation that erases the person, after the delay in which it can be taken back. */
export async function startErasure(t: TenantTx, { sid }: PrivacyRequest): Promise<Work> {
  const delayMs = t.livemode ? t.site.privacy.erasureDelayMinutes * 60_000 : 0;
  const startsAt = new Date(t.now.getTime() + delayMs);
  const operation = await startOperation(
    t,
    erasureOfPerson,
    { requestSid: sid },
    { waiting: { until: startsAt, result: { requestSid: sid } } },
  );
  return { operationSid: operation.sid, startsAt };
}

/** A legal hold ended: what it alone kept from being erased goes on. */
export async function resumeErasures(t: TenantTx): Promise<void> {
  const rows = await t.many<{ operationSid: string }>(sql`
    select operation_sid as "operationSid" from privacy_requests
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and kind = 'ERASURE' and state in ('PARKED', 'SETTLING')
       and operation_sid is not null`);
  for (const { operationSid } of rows) await wakeOperation(t, operationSid);
}

/** Has an operation that gave up go on. */
export async function retryErasure(t: TenantTx, sid: string): Promise<void> {
  const { operationSid } = await getRequest(t, sid);
  if (operationSid !== null && (await getOperation(t, operationSid)).retryEligible)
    await retryOperation(t, operationSid);
}
