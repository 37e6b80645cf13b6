import { accountPath, Closed, sample } from '../../platform/http/input/schema.ts';
import { type Operation, operation } from '../../platform/http/operations/operation.ts';
import { getAccount } from './account.ts';
import { Account, accountSample, ResumeAccount, SuspendAccount, suspendedSample } from './schema.ts';
import { resumeAccount, suspendAccount } from './suspension.ts';

const tag = 'Accounts';
const path = '/v1/accounts/{accountSid}';
const stepUpToken = 'GkJ8v0c2mQy1tXb7Rz4nLw9sHd3fPe6uAo5iKqVxYjM';

/** Only the operator's people reach these. */
const staffOnly = {
  method: 'POST',
  tag,
  access: ['accounts:read'],
  alsoNeeds: 'platform:staff',
  idempotency: 'required',
  params: Closed(accountPath),
  responses: { 200: Account },
} as const;

sample(Account, accountSample);

export const operations: Operation[] = [
  operation({
    id: 'getAccount',
    method: 'GET',
    path,
    summary: 'Show the account',
    description: 'Its name, where it stands, and whether it is suspended, since when and why.',
    tag,
    access: ['accounts:read'],
    params: Closed(accountPath),
    responses: { 200: Account },
    handler: (t) => getAccount(t),
  }),
  operation({
    ...staffOnly,
    id: 'suspendAccount',
    path: `${path}/suspend`,
    summary: 'Suspend the account',
    description:
      'For the staff of the platform only. From its answer on nothing is sent in this environment, and shortly after in the other: messages that were accepted stay ' +
      'in line, new ones and every change are refused with ACCOUNT_SUSPENDED. Reading goes on, and what people write is stored. The reason is shown to the account.',
    stepUp: { action: 'ACCOUNT_SUSPEND', from: 'everyone' },
    body: SuspendAccount,
    example: { reason: 'Complaints about unwanted messages', stepUpToken },
    answerExample: { ...accountSample, ...suspendedSample },
    handler: (t, { body }) => suspendAccount(t, body.reason),
  }),
  operation({
    ...staffOnly,
    id: 'resumeAccount',
    path: `${path}/resume`,
    summary: 'Let a suspended account act again',
    description:
      'For the staff of the platform only. What waits in line leaves within 15 seconds, unless it has expired.',
    stepUp: { action: 'ACCOUNT_RESUME', from: 'everyone' },
    body: ResumeAccount,
    example: { reason: 'The matter is settled', stepUpToken },
    handler: (t, { body }) => resumeAccount(t, body.reason),
  }),
];
