import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';

const state = named('ApprovalState', Word('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'));

export const Approval = NamedObject('Approval', {
  object: Word('approval'),
  sid: Sid('AP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  action: Type.String(),
  summary: Type.String(),
  state,
  requestedBy: Type.String(),
  decidedBy: Nullable(Type.String()),
  decisionReason: Nullable(Type.String()),
  /** What the approved action made. */
  result: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
  expiresAt: DateTime,
  decidedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Approval = Static<typeof Approval>;

export const ApprovalQuery = Closed({ state: Type.Optional(state), ...pageQuery });
export type ApprovalQuery = Static<typeof ApprovalQuery>;

export const Agreement = NamedObject('ApproveApprovalRequest', { reason: Type.Optional(Text(2000)) });
export const Rejection = NamedObject('RejectApprovalRequest', { reason: Text(2000, 1) });
