import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const AuditEvent = NamedObject('AuditEvent', {
  object: Word('audit_event'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  sequence: Type.Integer(),
  action: Type.String(),
  resource: Nullable(Type.String()),
  actor: Type.String(),
  requestId: Type.String(),
  occurredAt: DateTime,
  facts: Type.Record(Type.String(), Type.Unknown()),
  previousHash: Hash,
  hash: Hash,
});
export type AuditEvent = Static<typeof AuditEvent>;

export const AuditQuery = Closed({
  action: Type.Optional(Text(128, 1)),
  actor: Type.Optional(Text(128, 1)),
  resource: Type.Optional(Text(128, 1)),
  occurredAfter: Type.Optional(DateTime),
  occurredBefore: Type.Optional(DateTime),
  ...pageQuery,
});
export type AuditQuery = Static<typeof AuditQuery>;
