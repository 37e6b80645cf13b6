import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../platform/samples.ts';

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** By what a link of a chain knows what was said in people's own words. */
export const ChainDetail = NamedObject('ChainDetail', {
  hash: Hash,
  /** Null once it was erased. */
  salt: Nullable(Hash),
  /** What of the record it stands for. */
  members: Type.Array(Type.String()),
});

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
  detail: Nullable(ChainDetail),
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

sample(AuditEvent, {
  object: 'audit_event',
  id: sampleUuid,
  ...sampleOwner,
  sequence: 7,
  action: 'inbox.created',
  resource: sampleSid('IB'),
  actor: `user:${sampleSid('US')}`,
  requestId: 'req_4c9b2k7xq0m3t8wz',
  occurredAt: sampleTime,
  facts: { name: 'Support' },
  detail: null,
  previousHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
});
