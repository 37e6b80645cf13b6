import { type Static, Type } from 'typebox';
import {
  DateTime,
  NamedObject,
  Nullable,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleSid, sampleTime, sampleUuid } from '../../../platform/samples.ts';

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

sample(AuthPolicy, {
  object: 'auth_policy',
  organizationId: sampleUuid,
  version: 2,
  autoDisableInactiveApiKeys: false,
  mfaRequiredForAllRoles: true,
  passwordLoginEnabled: true,
  recoveryRevokesMfa: false,
  sessionAbsoluteTimeoutHours: 12,
  sessionIdleTimeoutMinutes: 60,
  ssoEnforced: false,
  updatedAt: sampleTime,
  updatedBy: `user:${sampleSid('US')}`,
});
