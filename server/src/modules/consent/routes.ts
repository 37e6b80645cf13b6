import { accountPath, Closed, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { getConsent, listConsents, recordConsent } from './consents.ts';
import { getConsentCoverage } from './coverage.ts';
import { liftSuppression, liftSuppressions } from './lift-suppressions.ts';
import { consentSample, suppressionSample } from './samples.ts';
import {
  Consent,
  ConsentCoverage,
  ConsentList,
  LiftQuery,
  NewConsent,
  NewContactSuppression,
  NewSuppression,
  PageQuery,
  Suppression,
  SuppressionList,
  SuppressionQuery,
  SuppressionsToLift,
} from './schema.ts';
import {
  createSuppression,
  getSuppression,
  listContactSuppressions,
  listSuppressions,
  suppressContact,
} from './suppressions.ts';

const consentTag = 'Consent';
const suppressionTag = 'Suppressions';
const account = '/v1/accounts/{accountSid}';
const contact = `${account}/contacts/{contactSid}`;
const contactParams = { ...accountPath, contactSid: Sid('CT') };

sample(Consent, consentSample);
sample(Suppression, suppressionSample);

export const operations = [
  operation({
    id: 'getConsentCoverage',
    method: 'GET',
    path: `${account}/consent-coverage`,
    summary: 'Count contacts by purpose and consent status',
    description: 'A contact without a record counts as UNKNOWN. Also tells how many contacts are suppressed.',
    tag: consentTag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    responses: { 200: ConsentCoverage },
    handler: (t) => getConsentCoverage(t),
  }),
  operation({
    id: 'listContactConsents',
    method: 'GET',
    path: `${contact}/consents`,
    summary: "List a contact's consent records",
    description:
      'Newest first, with those of contacts merged into it; `contactSid` tells for whom each was recorded.',
    tag: consentTag,
    sdk: 'consent.list',
    access: ['contacts:read'],
    params: Closed(contactParams),
    query: PageQuery,
    responses: { 200: ConsentList },
    handler: (t, { params, pager }) => listConsents(t, params.contactSid, pager),
  }),
  operation({
    id: 'createContactConsent',
    method: 'POST',
    path: `${contact}/consents`,
    summary: 'Record a consent',
    description:
      'Added to the append-only ledger: it supersedes the current record of its purpose and overwrites none. The ' +
      'evidence is kept whole and is part of what the hash chain proves.',
    tag: consentTag,
    sdk: 'consent.create',
    access: ['contacts:write'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed(contactParams),
    body: NewConsent,
    responses: { 201: Consent },
    example: {
      purpose: 'MARKETING',
      source: 'FORM',
      status: 'OPTED_IN',
      evidence: {
        wording: 'Yes, send me offers on WhatsApp.',
        wordingVersion: '2026-07',
        sourcePage: 'https://shop.example/checkout',
      },
    },
    async handler(t, { params, body }) {
      const consent = await recordConsent(t, params.contactSid, body);
      const path = `/v1/accounts/${t.accountSid}/contacts/${params.contactSid}/consents/${consent.sid}`;
      return created(consent, path);
    },
  }),
  operation({
    id: 'getContactConsent',
    method: 'GET',
    path: `${contact}/consents/{consentSid}`,
    summary: 'Get a consent record',
    description:
      'A record is never changed: a later one supersedes it. `ledger` gives its place in the chain by ' +
      'which the records can be verified.',
    tag: consentTag,
    sdk: 'consent.get',
    access: ['contacts:read'],
    params: Closed({ ...contactParams, consentSid: Sid('CV') }),
    responses: { 200: Consent },
    handler: (t, { params }) => getConsent(t, params.contactSid, params.consentSid),
  }),
  operation({
    id: 'listContactSuppressions',
    method: 'GET',
    path: `${contact}/suppressions`,
    summary: "List a contact's suppressions",
    description: 'The whole history, newest first; `active` tells which are in force.',
    tag: suppressionTag,
    sdk: 'suppressions.listForContact',
    access: ['contacts:read'],
    params: Closed(contactParams),
    query: PageQuery,
    responses: { 200: SuppressionList },
    handler: (t, { params, pager }) => listContactSuppressions(t, params.contactSid, pager),
  }),
  operation({
    id: 'createContactSuppression',
    method: 'POST',
    path: `${contact}/suppressions`,
    summary: 'Suppress a contact',
    description:
      'Repeating a suppression in force (same scope, sender and reason) answers with it; it may end later for that, ' +
      'never sooner. Once it is answered, no message it forbids is handed over any more: hand-offs under way are waited ' +
      'for, 2.5 seconds at most.',
    tag: suppressionTag,
    sdk: 'suppressions.createForContact',
    access: ['contacts:write'],
    whileSuspended: true,
    idempotency: 'required',
    keepsPlans: true,
    params: Closed(contactParams),
    body: NewContactSuppression,
    responses: { 201: Suppression },
    example: { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING', source: 'support desk' },
    async handler(t, { params, body }) {
      const suppression = await suppressContact(t, params.contactSid, body);
      return created(suppression, `/v1/accounts/${t.accountSid}/suppressions/${suppression.sid}`);
    },
  }),
  operation({
    id: 'deleteContactSuppression',
    method: 'DELETE',
    path: `${contact}/suppressions/{suppressionSid}`,
    summary: 'Lift a suppression',
    description: 'The record is kept. Lifting one that is not in force changes nothing.',
    tag: suppressionTag,
    sdk: 'suppressions.deleteForContact',
    access: ['contacts:write'],
    params: Closed({ ...contactParams, suppressionSid: Sid('SU') }),
    query: LiftQuery,
    responses: { 200: Suppression },
    handler: (t, { params, query }) => liftSuppression(t, params, query.reason),
  }),
  operation({
    id: 'listSuppressions',
    method: 'GET',
    path: `${account}/suppressions`,
    summary: 'List suppressions',
    description:
      'Those in force, newest first; `active=false` gives the whole history with lifted and expired ones.',
    tag: suppressionTag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    query: SuppressionQuery,
    responses: { 200: SuppressionList },
    handler: (t, { query, pager }) => listSuppressions(t, query, pager),
  }),
  operation({
    id: 'createSuppression',
    method: 'POST',
    path: `${account}/suppressions`,
    summary: 'Suppress a contact, or whoever owns an identifier',
    description:
      'Exactly one of contactSid and identifier. A contact is created for an identifier nobody has seen. Once it is ' +
      'answered, no message it forbids is handed over any more: hand-offs under way are waited for, 2.5 seconds at most.',
    tag: suppressionTag,
    access: ['contacts:write'],
    whileSuspended: true,
    idempotency: 'required',
    keepsPlans: true,
    params: Closed(accountPath),
    body: NewSuppression,
    responses: { 201: Suppression },
    example: {
      identifier: '+33612345678',
      identifierType: 'phone_e164',
      reason: 'TENANT_BLOCKLIST',
      scope: 'ALL',
      source: 'blocklist import',
    },
    async handler(t, { body }) {
      const suppression = await createSuppression(t, body);
      return created(suppression, `/v1/accounts/${t.accountSid}/suppressions/${suppression.sid}`);
    },
  }),
  operation({
    id: 'deleteSuppressions',
    method: 'DELETE',
    path: `${account}/suppressions`,
    summary: 'Lift suppressions',
    description:
      'Names a contact, an identifier or a suppression; `scope` narrows. Answers with those it lifted. The records are ' +
      'kept, and each emits suppression.removed once.',
    tag: suppressionTag,
    access: ['contacts:write'],
    params: Closed(accountPath),
    body: SuppressionsToLift,
    responses: { 200: SuppressionList },
    example: {
      identifier: '+33612345678',
      identifierType: 'phone_e164',
      scope: 'MARKETING',
      reason: 'asked to return',
    },
    async handler(t, { body }) {
      const data = await liftSuppressions(t, body);
      return { object: 'list', data, hasMore: false, nextCursor: null };
    },
  }),
  operation({
    id: 'getSuppression',
    method: 'GET',
    path: `${account}/suppressions/{suppressionSid}`,
    summary: 'Get a suppression',
    description:
      'Also shows suppressions that were lifted or expired; `active` says whether it is in force now.',
    tag: suppressionTag,
    access: ['contacts:read'],
    params: Closed({ ...accountPath, suppressionSid: Sid('SU') }),
    responses: { 200: Suppression },
    handler: (t, { params }) => getSuppression(t, params.suppressionSid),
  }),
];
