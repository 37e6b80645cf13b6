import { accountPath, Closed, sample } from '../../platform/http/input/schema.ts';
import { type Operation, operation } from '../../platform/http/operations/operation.ts';
import { getAccountPlan } from './account-plan.ts';
import { AccountPlan, accountPlanSample } from './schema.ts';

sample(AccountPlan, accountPlanSample);

export const operations: Operation[] = [
  operation({
    id: 'getAccountPlan',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/plan',
    summary: 'Show the plan of the account and what is used of it',
    description:
      'What the operator lets the account use: messages a month, sends a second, requests a second of each key, features. Null is ' +
      'without a limit. Each environment counts by itself, accepted messages only, in months of the calendar in UTC.',
    tag: 'Plans',
    access: ['accounts:read'],
    params: Closed(accountPath),
    responses: { 200: AccountPlan },
    handler: (t) => getAccountPlan(t),
  }),
];
