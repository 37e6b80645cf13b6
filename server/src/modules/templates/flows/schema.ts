import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { flowStatuses } from './flows.ts';

const status = named('FlowStatus', Word(...flowStatuses));

export const NewFlow = NamedObject('RegisterFlowRequest', {
  wabaSid: Type.Optional(Sid('WB')),
  providerFlowId: Type.String({ pattern: '^[0-9]{5,20}$' }),
});
export type NewFlow = Static<typeof NewFlow>;

export const Flow = NamedObject('Flow', {
  object: Word('flow'),
  sid: Sid('FL'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  wabaSid: Sid('WB'),
  providerFlowId: Type.String(),
  name: Type.String(),
  status,
  statusChangedAt: DateTime,
  /** Whether it calls the business's own endpoint, for which the sender needs an encryption key. */
  exchangesData: Type.Boolean(),
  deletedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Flow = Static<typeof Flow>;

export const FlowQuery = Closed({
  status: Type.Optional(status),
  wabaSid: Type.Optional(Sid('WB')),
  ...pageQuery,
});
export type FlowQuery = Static<typeof FlowQuery>;
