import { ApiError } from '../../platform/errors/errors.ts';
import { accountPath, Closed, ListOf, Uuid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { sampleSid } from '../../platform/samples.ts';
import { createHold, issuesOfHold } from './create-hold.ts';
import type { LegalHoldHooks } from './hooks.ts';
import { listHolds, releaseHold } from './legal-holds.ts';
import { LegalHold, LegalHoldQuery, legalHoldSample, NewLegalHold, Release } from './schema.ts';

const tag = 'Legal holds';
const all = '/v1/accounts/{accountSid}/legal-holds';

export const operations = (hooks: LegalHoldHooks) => [
  operation({
    id: 'listLegalHolds',
    method: 'GET',
    path: all,
    summary: 'List legal holds',
    description: 'The newest first, with those that were released.',
    tag,
    access: ['legal_holds:read'],
    params: Closed(accountPath),
    query: LegalHoldQuery,
    responses: { 200: ListOf(LegalHold) },
    handler: (t, { pager }) => listHolds(t, pager),
  }),
  operation({
    id: 'createLegalHold',
    method: 'POST',
    path: all,
    summary: 'Place a legal hold',
    description:
      'From the answer on, nothing in its `scope` is removed by anybody until it is released. A scope is `{"type":"ACCOUNT"}`, ' +
      '`{"type":"CONTACT","contactSid":…}`, `{"type":"CONVERSATION","conversationSid":…}`, `{"type":"CAMPAIGN","campaignSid":…}` or ' +
      '`{"type":"DATE_RANGE","from":…,"to":…}`, whose end does not count. A hold of the platform needs the consent of a second person: asked for without ' +
      '`approvalSid` it is refused with APPROVAL_REQUIRED, names the approval, and holds already while somebody decides.',
    tag,
    access: ['legal_holds:write', 'legal_holds:manage'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewLegalHold,
    responses: { 201: LegalHold },
    example: { caseRef: legalHoldSample.caseRef, scope: { type: 'CONTACT', contactSid: sampleSid('CT') } },
    issues: (t, { body }) => issuesOfHold(t, body ?? {}),
    async handler(t, { body }) {
      const hold = await createHold(hooks, t, body);
      return hold instanceof ApiError ? hold : created(hold, `/v1/accounts/${t.accountSid}/legal-holds`);
    },
  }),
  operation({
    id: 'releaseLegalHold',
    method: 'POST',
    path: `${all}/{holdId}/release`,
    summary: 'Release a legal hold',
    description:
      'What it kept may be removed again. The account releases what it placed, with a second factor (`LEGAL_HOLD_RELEASE`); what ' +
      "the platform placed is released by the platform's compliance alone. Releasing it again changes nothing.",
    tag,
    access: ['legal_holds:write', 'legal_holds:manage'],
    idempotency: 'required',
    stepUp: { action: 'LEGAL_HOLD_RELEASE', from: 'everyone' },
    params: Closed({ ...accountPath, holdId: Uuid }),
    body: Release,
    responses: { 200: LegalHold },
    example: { caseRef: 'Case 2026-118, closed', stepUpToken: 'from POST identity/step-up' },
    handler: (t, { params, body }) => releaseHold(hooks, t, params.holdId, body.caseRef),
  }),
];
