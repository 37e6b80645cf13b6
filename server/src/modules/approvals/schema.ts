import { type Static, Type } from 'typebox';
import { Closed, DateTime, Nullable, pageQuery, Sid, Text, Word } from '../../platform/http/input/schema.ts';

const state = Word('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED');

export const Approval = Closed({
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

export const Agreement = Closed({ reason: Type.Optional(Text(2000)) });
export const Rejection = Closed({ reason: Text(2000, 1) });
