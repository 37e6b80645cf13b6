import { Type } from 'typebox';
import { Closed, Nullable, Sid, Uuid, Word } from '../../platform/schema.ts';

export const Me = Closed({
  object: Word('me'),
  principal: Closed({ type: Word('api_key', 'user', 'directory', 'system'), ref: Type.String() }),
  accountSid: Sid('AC'),
  accountName: Type.String(),
  accountStatus: Word('active', 'suspended'),
  parentAccountSid: Nullable(Sid('AC')),
  organizationId: Uuid,
  organizationName: Type.String(),
  livemode: Type.Boolean(),
  region: Type.String(),
  scopes: Type.Array(Type.String()),
  apiVersion: Type.String(),
});
