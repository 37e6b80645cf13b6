// What ends a restriction before its person is erased.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { lockSurvivor, unrestrictContact } from '../contacts/index.ts';
import { privacyRequestEvents } from './events.ts';
import { announce, getRequest, moveRequest, note, refuseMove } from './requests.ts';
import type { PrivacyRequest } from './schema.ts';

/** The person is dealt with as before, unless another request restricts them too. Again changes nothing. */
export async function liftRestriction(t: TenantTx, sid: string, reason: string): Promise<PrivacyRequest> {
  const request = await getRequest(t, sid, sql`for update`);
  if (request.state === 'LIFTED') return request;
  if (request.kind !== 'RESTRICTION')
    throw new ApiError('CONFLICT', {
      message: `${request.kind} is no restriction. Only RESTRICTION can be lifted; an erasure that has not begun can be withdrawn.`,
    });
  await lockSurvivor(t, request.subject.contactSid!);
  const lifted = (await moveRequest(t, sid, 'lift'))!;
  await unrestrictContact(t, lifted.subject.contactSid!, sid);
  note(t, 'privacy_request.lifted', lifted, reason);
  return lifted;
}

/** Takes an erasure back that has changed nothing yet. Again changes nothing. */
export async function withdrawRequest(t: TenantTx, sid: string): Promise<PrivacyRequest> {
  const request = await getRequest(t, sid, sql`for update`);
  if (request.state === 'WITHDRAWN') return request;
  if (request.kind !== 'ERASURE')
    throw new ApiError('CONFLICT', {
      message: `Only an erasure can be withdrawn, and this is ${request.kind}.`,
    });
  refuseMove(request, 'withdraw', 'it can be withdrawn only before it begins');
  const withdrawn = await moveRequest(t, sid, 'withdraw');
  if (!withdrawn) throw new ApiError('CONFLICT', { message: 'The erasure has begun.' });
  await unrestrictContact(t, withdrawn.subject.contactSid!, sid);
  note(t, privacyRequestEvents.withdrawn.name, withdrawn);
  announce(t, privacyRequestEvents.withdrawn, withdrawn);
  return withdrawn;
}
