import { accountPath, Closed, ListOf, pageQuery, Sid, Uuid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { personOf } from '../people.ts';
import { WithStepUp } from '../schema.ts';
import { deleteCredential, listCredentials, resetFactorsOf, rotateRecoveryCodes } from './credentials.ts';
import { beginEnrollment, completeEnrollment } from './enrollments.ts';
import {
  EnrolledCredential,
  EnrollmentCompletion,
  MfaCredential,
  MfaEnrollment,
  MfaReset,
  NewEnrollment,
  RecoveryCodes,
  VerificationOptions,
  VerificationRequest,
} from './schema.ts';
import { offerVerification } from './verification-options.ts';

const tag = 'Identity';
const identity = '/v1/accounts/{accountSid}/identity';
const mfa = `${identity}/mfa`;
const account = Closed(accountPath);

/** About oneself: a key has no self, so it is told so before it is asked for a second factor. */
const aboutOneself = { tag, access: ['api:access'], partScoped: true, keyBelongsTo: 'principal' } as const;
const aStepUpToken = { stepUpToken: 'a-token-from-identity-step-up' };

export const operations = [
  operation({
    ...aboutOneself,
    id: 'listMfaCredentials',
    method: 'GET',
    path: `${mfa}/credentials`,
    summary: 'List your second factors',
    description:
      'The factors of the signed-in person who asks, the newest first. `usable` is false while a factor ' +
      'is turned off or its provider is suspended.',
    params: account,
    query: Closed(pageQuery),
    responses: { 200: ListOf(MfaCredential) },
    handler: (t, { pager }) => listCredentials(t, pager),
  }),
  operation({
    ...aboutOneself,
    id: 'deleteMfaCredential',
    whileSuspended: true,
    method: 'DELETE',
    path: `${mfa}/credentials/{credentialId}`,
    summary: 'Remove one of your second factors',
    description:
      'The last one stays while the organization demands a second factor of everyone. Step-up tokens it gave end ' +
      'with it, and recovery codes end with the last factor.',
    stepUp: { action: 'MFA_CREDENTIAL_DELETE', from: 'everyone', askedBy: 'handler' },
    params: Closed({ ...accountPath, credentialId: Uuid }),
    body: WithStepUp,
    responses: { 204: null },
    example: aStepUpToken,
    async handler(t, { params, stepUp }) {
      personOf(t.principal);
      await stepUp(t);
      await deleteCredential(t, params.credentialId);
    },
  }),
  operation({
    ...aboutOneself,
    id: 'createMfaEnrollment',
    whileSuspended: true,
    method: 'POST',
    path: `${mfa}/enrollments`,
    summary: 'Begin to add a second factor',
    description:
      'The built-in providers are `passkey` and `totp`. Whoever has a factor already must have proven one in this ' +
      'session, at sign-in or by a step-up for MFA_ENROLLMENT_CREATE. The secret of an authenticator app is shown once.',
    idempotency: 'required',
    revealsSecret: true,
    params: account,
    body: NewEnrollment,
    responses: { 201: MfaEnrollment },
    example: { method: 'TOTP', providerKey: 'totp', displayName: 'My phone' },
    handler: (t, { body }) => beginEnrollment(t, body),
  }),
  operation({
    ...aboutOneself,
    id: 'completeMfaEnrollment',
    whileSuspended: true,
    method: 'POST',
    path: `${mfa}/enrollments/{enrollmentId}/complete`,
    summary: 'Prove the new factor and add it',
    description:
      '`response` is the JSON of the browser’s new credential for WEBAUTHN, the code for TOTP. The first factor comes ' +
      'with ten recovery codes, shown once.',
    idempotency: 'required',
    revealsSecret: true,
    params: Closed({ ...accountPath, enrollmentId: Uuid }),
    body: EnrollmentCompletion,
    responses: { 201: EnrolledCredential },
    example: { ceremonyRef: 'the-ceremony-ref-of-the-enrollment', response: '123456' },
    handler: (t, { params, body }) => completeEnrollment(t, params.enrollmentId, body),
  }),
  operation({
    ...aboutOneself,
    id: 'rotateMfaRecoveryCodes',
    whileSuspended: true,
    method: 'POST',
    path: `${mfa}/recovery-codes/rotate`,
    summary: 'Replace your recovery codes',
    description: 'The old codes end at once. The ten new ones are shown once; each works once.',
    idempotency: 'required',
    revealsSecret: true,
    stepUp: { action: 'MFA_RECOVERY_CODES_ROTATE', from: 'everyone', askedBy: 'handler' },
    params: account,
    body: WithStepUp,
    responses: { 201: RecoveryCodes },
    example: aStepUpToken,
    async handler(t, { stepUp }) {
      personOf(t.principal);
      await stepUp(t);
      return rotateRecoveryCodes(t);
    },
  }),
  operation({
    ...aboutOneself,
    id: 'createMfaVerificationOptions',
    whileSuspended: true,
    method: 'POST',
    path: `${mfa}/verification-options`,
    summary: 'List your factors and start a passkey ceremony',
    description:
      'The challenge is bound to you, this session, this account and the action; it is good once, for 5 minutes.',
    idempotency: 'required',
    params: account,
    body: VerificationRequest,
    responses: { 200: VerificationOptions },
    example: { action: 'API_KEY_CREATE' },
    handler: (t, { body }) => offerVerification(t, body.action),
  }),
  operation({
    id: 'resetUserMfa',
    method: 'POST',
    path: `${identity}/users/{userSid}/mfa/reset`,
    summary: 'Take all second factors from a person who lost them',
    description:
      'Removes their factors and recovery codes and ends their sessions. Only an owner does this to an owner.',
    tag,
    access: ['roles:write'],
    idempotency: 'required',
    stepUp: { action: 'MFA_RESET', from: 'everyone' },
    params: Closed({ ...accountPath, userSid: Sid('US') }),
    body: WithStepUp,
    responses: { 200: MfaReset },
    example: aStepUpToken,
    handler: (t, { params }) => resetFactorsOf(t, params.userSid),
  }),
];
