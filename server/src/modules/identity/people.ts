// Operations about oneself are for people: an API key has no factors, no sessions and no self.
import { ApiError } from '../../platform/errors/errors.ts';
import type { Principal } from '../../platform/principal.ts';

export type SignedIn = { userSid: string; organizationId: string; sessionId: string };

export function personOf({ kind, ref, organizationId, sessionId }: Principal): SignedIn {
  if (kind !== 'user' || organizationId === null || sessionId === null) {
    throw new ApiError('AUTHORIZATION_ERROR', {
      details: [{ path: 'Authorization', issue: 'must be the session of a signed-in person' }],
    });
  }
  return { userSid: ref, organizationId, sessionId };
}
