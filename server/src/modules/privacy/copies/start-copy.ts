import type { TenantTx } from '../../../platform/db/database.ts';
import { startOperation } from '../../operations/index.ts';
import type { Work } from '../requests.ts';
import type { PrivacyRequest } from '../schema.ts';
import { privacyCopy } from './copy-person.ts';

/** Starts the operation that gathers a copy for the person. */
export async function startCopy(t: TenantTx, { sid: requestSid }: PrivacyRequest): Promise<Work> {
  const { sid: operationSid } = await startOperation(t, privacyCopy, { requestSid });
  return { operationSid, startsAt: null };
}
