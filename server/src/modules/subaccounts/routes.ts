import {
  accountPath,
  Closed,
  ListOf,
  NamedObject,
  NotBlank,
  pageQuery,
} from '../../platform/http/input/schema.ts';
import { created, type Operation, operation } from '../../platform/http/operations/operation.ts';
import { Account, listSubaccounts } from '../accounts/index.ts';
import { subaccountSample } from './events.ts';
import type { OpenSubaccount } from './jobs.ts';
import { createSubaccount } from './subaccounts.ts';

const tag = 'Subaccounts';
const path = '/v1/accounts/{accountSid}/subaccounts';

const NewSubaccount = NamedObject('CreateSubaccountRequest', { name: NotBlank(200) });

export const operations = (open: OpenSubaccount): Operation[] => [
  operation({
    id: 'createSubaccount',
    method: 'POST',
    path,
    summary: 'Make an account below this one',
    description:
      'It belongs to the same organization and has everything of its own: senders, contacts, keys, webhooks, wallets. Its wallets and its sandbox are opened by a worker ' +
      'within moments. People whose role stands on this account reach it; keys do not. It has the plan of this account, and both are counted together.',
    tag,
    access: ['accounts:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewSubaccount,
    responses: { 201: Account },
    example: { name: 'Shop in Lyon' },
    answerExample: subaccountSample,
    handler: async (t, { body }) => {
      const account = await createSubaccount(t, open, body.name);
      return created(account, `/v1/accounts/${account.sid}`);
    },
  }),
  operation({
    id: 'listSubaccounts',
    method: 'GET',
    path,
    summary: 'List the accounts below this one',
    description: 'The newest first.',
    tag,
    access: ['accounts:read'],
    params: Closed(accountPath),
    query: Closed(pageQuery),
    responses: { 200: ListOf(Account) },
    handler: (t, { pager }) => listSubaccounts(t, pager),
  }),
];
