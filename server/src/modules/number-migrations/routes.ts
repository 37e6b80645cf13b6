import { accountPath, Closed, ListOf, Sid } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { issuesOf, issuesOfWhy } from './judge.ts';
import { answerOf, requestNewCode, startMigration, submitCode, submitPin } from './requests.ts';
import { getWithHistory, listMigrations } from './resource.ts';
import {
  CodeBody,
  CodeRequestBody,
  MigrationWithHistory,
  NewMigrationBody,
  NumberMigration,
  PageQuery,
  PinBody,
} from './schema.ts';

const tag = 'Number migrations';
const all = '/v1/accounts/{accountSid}/migrations';
const one = `${all}/{migrationSid}`;
const params = Closed({ ...accountPath, migrationSid: Sid('OP') });
const stepUp = { action: 'NUMBER_MIGRATION', from: 'everyone' } as const;
const why = { caseRef: 'CASE-4711', reason: 'The shop moves to the account of its new owner.' };

export const operations = [
  operation({
    id: 'listMigrations',
    method: 'GET',
    path: all,
    summary: 'List number migrations',
    description: 'The newest first, whatever became of them.',
    tag,
    access: ['migrations:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(NumberMigration) },
    handler: (t, { pager }) => listMigrations(t, pager),
  }),
  operation({
    id: 'createMigration',
    method: 'POST',
    path: all,
    summary: 'Move a number to another business account',
    description:
      'The sender keeps its SID, its conversations, service windows and pools. `impact` tells what will be missing at the ' +
      'destination. The number is added there and sent a code, for which the migration then waits (`awaits`). Until ' +
      'the step PAUSE it can be canceled; then messages stay in line until the number is registered with `registrationPin`. ' +
      'In the end the template goes to the contact, and must be delivered within ten minutes.',
    tag,
    access: ['migrations:write'],
    idempotency: 'required',
    stepUp,
    params: Closed(accountPath),
    body: NewMigrationBody,
    responses: { 202: NumberMigration },
    example: {
      ...why,
      countryCode: '33',
      phoneNumber: '187654321',
      senderSid: 'WA01K3SAMP1E0000000000000000',
      destinationWabaSid: 'WB01K3SAMP1E0000000000000001',
      registrationPin: '482916',
      stepUpToken: 'gwsu_…',
      validation: {
        contactSid: 'CT01K3SAMP1E0000000000000000',
        templateSid: 'TM01K3SAMP1E0000000000000000',
      },
    },
    issues: (t, { body }) => issuesOf(t, body),
    handler: async (t, { body }) => answerOf(await startMigration(t, body)),
  }),
  operation({
    id: 'getMigration',
    method: 'GET',
    path: one,
    summary: 'Get a number migration and its history',
    description:
      'Shows the step it has come to, what it waits for and until when. `history` has every step that was begun, done or ' +
      'refused, the newest first; `limit` and `cursor` page it.',
    tag,
    access: ['migrations:read'],
    params,
    query: PageQuery,
    responses: { 200: MigrationWithHistory },
    handler: (t, { params, pager }) => getWithHistory(t, params.migrationSid, pager),
  }),
  operation({
    id: 'submitMigrationRegistrationPin',
    method: 'POST',
    path: `${one}/registration-pin`,
    summary: 'Bring the right PIN for a number migration',
    description:
      'Where the provider refused the PIN. Messages leave from the source meanwhile. After five wrong ones the migration fails.',
    tag,
    access: ['migrations:write'],
    idempotency: 'required',
    stepUp,
    params,
    body: PinBody,
    responses: { 202: NumberMigration },
    example: { ...why, registrationPin: '482916', stepUpToken: 'gwsu_…' },
    issues: (_t, { body }) => issuesOfWhy(body),
    handler: async (t, { params, body }) => answerOf(await submitPin(t, params.migrationSid, body)),
  }),
  operation({
    id: 'submitMigrationVerificationCode',
    method: 'POST',
    path: `${one}/verification-code`,
    summary: 'Bring the code that was sent to the number',
    description:
      'The code proves whose the number is. One that was sent more than ten minutes ago is refused with ' +
      'ONBOARDING_CODE_EXPIRED; `request-code` has another sent.',
    tag,
    access: ['migrations:write'],
    idempotency: 'required',
    stepUp,
    params,
    body: CodeBody,
    responses: { 202: NumberMigration },
    example: { ...why, code: '123456', stepUpToken: 'gwsu_…' },
    issues: (_t, { body }) => issuesOfWhy(body),
    handler: async (t, { params, body }) => answerOf(await submitCode(t, params.migrationSid, body)),
  }),
  operation({
    id: 'requestMigrationCode',
    method: 'POST',
    path: `${one}/request-code`,
    summary: 'Have another code sent to the number',
    description: 'By message or by a call that reads it out, while the migration waits for the code.',
    tag,
    access: ['migrations:write'],
    idempotency: 'required',
    stepUp,
    params,
    body: CodeRequestBody,
    responses: { 202: NumberMigration },
    example: { ...why, method: 'VOICE', stepUpToken: 'gwsu_…' },
    issues: (_t, { body }) => issuesOfWhy(body),
    handler: async (t, { params, body }) => answerOf(await requestNewCode(t, params.migrationSid, body)),
  }),
];
