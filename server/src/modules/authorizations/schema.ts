import { type Static, Type } from 'typebox';
import { Closed, DateTime, pageQuery, Sid, Uuid, Word, Words } from '../../platform/http/input/schema.ts';

const task = Word(
  'DISPLAY_NAME_SUBMISSION',
  'OFFICIAL_BUSINESS_ACCOUNT_APPLICATION',
  'TEMPLATE_SUBMISSION',
  'TEMPLATE_APPEAL',
);

export const NewAuthorization = Closed({ instruction: Words(2000), resourceRef: Words(64), task });
export type NewAuthorization = Static<typeof NewAuthorization>;

export const Authorization = Closed({
  object: Word('authorization'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  task,
  resourceRef: Type.String(),
  instruction: Type.String(),
  instructedBy: Closed({ type: Word('api_key', 'user', 'directory', 'system'), ref: Type.String() }),
  createdAt: DateTime,
});
export type Authorization = Static<typeof Authorization>;

export const AuthorizationQuery = Closed(pageQuery);
