import { accountPath, Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { getAuthPolicy, setAuthPolicy } from './policy.ts';
import { AuthPolicy, PolicyChange } from './schema.ts';

const tag = 'Identity';
const path = '/v1/accounts/{accountSid}/identity/auth-policy';

export const operations = [
  operation({
    id: 'getAuthPolicy',
    method: 'GET',
    path,
    summary: 'Get the authentication policy of the organization',
    description:
      'What the organization demands of everybody who signs in. A change names the `version` it was made ' +
      'from.',
    tag,
    access: ['roles:write', 'audit:read'],
    params: Closed(accountPath),
    responses: { 200: AuthPolicy },
    handler: (t) => getAuthPolicy(t),
  }),
  operation({
    id: 'setAuthPolicy',
    method: 'PUT',
    path,
    summary: 'Set the authentication policy of the organization',
    description:
      'Replaces the whole policy if its version is still `expectedVersion`; otherwise 409 CONFLICT names the current one. ' +
      'A policy that was never set has version 1. `passwordLoginEnabled: false` lets nobody in by password; ' +
      '`ssoEnforced` lets only owners of the whole organization in by password, and only with a second factor. Both need ' +
      'an ACTIVE OIDC or SAML provider. Shorter timeouts hold for open sessions at once.',
    tag,
    access: ['roles:write'],
    idempotency: 'required',
    stepUp: { action: 'AUTH_POLICY_CHANGE', from: 'everyone' },
    params: Closed(accountPath),
    body: PolicyChange,
    responses: { 200: AuthPolicy },
    example: {
      autoDisableInactiveApiKeys: false,
      expectedVersion: 1,
      mfaRequiredForAllRoles: true,
      passwordLoginEnabled: true,
      recoveryRevokesMfa: false,
      sessionAbsoluteTimeoutHours: 24,
      sessionIdleTimeoutMinutes: 60,
      ssoEnforced: false,
      stepUpToken: 'from POST identity/step-up',
    },
    handler: (t, { body }) => setAuthPolicy(t, body),
  }),
];
