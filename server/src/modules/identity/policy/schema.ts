import { type Static, Type } from 'typebox';
import { DateTime, NamedObject, Nullable, Text, Uuid, Word } from '../../../platform/http/input/schema.ts';

const flags = {
  autoDisableInactiveApiKeys: Type.Boolean(),
  mfaRequiredForAllRoles: Type.Boolean(),
  passwordLoginEnabled: Type.Boolean(),
  recoveryRevokesMfa: Type.Boolean(),
  sessionAbsoluteTimeoutHours: Type.Integer({ minimum: 1, maximum: 2160 }),
  sessionIdleTimeoutMinutes: Type.Integer({ minimum: 15, maximum: 1440 }),
  ssoEnforced: Type.Boolean(),
};

export const PolicyChange = NamedObject('SetAuthPolicyRequest', {
  ...flags,
  expectedVersion: Type.Integer({ minimum: 1 }),
  stepUpToken: Text(256),
});
export type PolicyChange = Static<typeof PolicyChange>;

export const AuthPolicy = NamedObject('AuthPolicy', {
  object: Word('auth_policy'),
  organizationId: Uuid,
  version: Type.Integer({ minimum: 1 }),
  ...flags,
  updatedAt: Nullable(DateTime),
  updatedBy: Nullable(Type.String()),
});
export type AuthPolicy = Static<typeof AuthPolicy>;
