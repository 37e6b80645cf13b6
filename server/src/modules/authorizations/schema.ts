import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  named,
  PrincipalRef,
  pageQuery,
  Sid,
  Uuid,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';

const task = named(
  'AuthorizationTask',
  Word(
    'DISPLAY_NAME_SUBMISSION',
    'OFFICIAL_BUSINESS_ACCOUNT_APPLICATION',
    'TEMPLATE_SUBMISSION',
    'TEMPLATE_APPEAL',
  ),
);

export const NewAuthorization = NamedObject('CreateAuthorizationRequest', {
  instruction: Words(2000),
  resourceRef: Words(64),
  task,
});
export type NewAuthorization = Static<typeof NewAuthorization>;

export const Authorization = NamedObject('Authorization', {
  object: Word('authorization'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  task,
  resourceRef: Type.String(),
  instruction: Type.String(),
  instructedBy: PrincipalRef,
  createdAt: DateTime,
});
export type Authorization = Static<typeof Authorization>;

export const AuthorizationQuery = Closed(pageQuery);
