import { accountPath, Closed, ListOf } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { listAuditEvents } from './list-audit-events.ts';
import { AuditEvent, AuditQuery } from './schema.ts';

export const operations = [
  operation({
    id: 'listAuditEvents',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/audit-events',
    summary: 'List what was done, and by whom',
    description:
      'The append-only audit chain of the account and environment, newest first. `hash` is the SHA-256 of ' +
      '`previousHash`, the sequence as 8 bytes and the canonical JSON (RFC 8785) of the entry without `object`, ' +
      "`sequence`, `detail` and the hashes, so that anybody can follow the chain. Facts in people's own words are hashed by a " +
      'commitment: where `detail` is not null, the entry was hashed without its `members` and with `detail.hash` as `detail`, which is ' +
      'the HMAC-SHA256, under the bytes of `salt`, of the canonical JSON of those members. Once they are erased there is no `salt`.',
    tag: 'Audit',
    access: ['audit:read'],
    params: Closed(accountPath),
    query: AuditQuery,
    responses: { 200: ListOf(AuditEvent) },
    handler: (t, { query, pager }) => listAuditEvents(t, query, pager),
  }),
];
