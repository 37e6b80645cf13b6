import { accountPath, Closed, ListOf } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { listCapabilities } from './capabilities/list-capabilities.ts';
import { PageQuery, ProviderCapability } from './capabilities/schema.ts';

const tag = 'Provider versions';
const account = '/v1/accounts/{accountSid}';

export const operations = [
  operation({
    id: 'listProviderCapabilities',
    method: 'GET',
    path: `${account}/provider-capabilities`,
    summary: 'List what can be done at the provider, and what cannot',
    description:
      'First what is the same in the whole environment, then of each business account, the newest first, and of its numbers. ' +
      'The same decision stands behind the list and behind refusals: `errorCode` is what an attempt is answered with now. ' +
      'LIMITED can be used, as `reason` says; PLANNED comes with a later version of the API of the provider.',
    tag,
    access: ['provider_changes:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(ProviderCapability) },
    handler: (t, { pager }) => listCapabilities(t, pager),
  }),
];
