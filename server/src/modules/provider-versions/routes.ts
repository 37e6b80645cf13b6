import { accountPath, Closed, ListOf } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { getCalendar } from './calendar/calendar.ts';
import { ProviderVersionCalendar } from './calendar/schema.ts';
import { listCapabilities } from './capabilities/list-capabilities.ts';
import { PageQuery, ProviderCapability } from './capabilities/schema.ts';
import { listChanges } from './changes/list-changes.ts';
import { ProviderChange } from './changes/schema.ts';

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
  operation({
    id: 'listProviderChanges',
    method: 'GET',
    path: `${account}/provider-changes`,
    summary: 'List what changes at the provider',
    description:
      'What lies furthest ahead first: versions of its API that begin and end, and changes of prices, rules and features. ' +
      '`relevant` says whether a change concerns this account in this environment, `because` why. Where `datePrecision` is MONTH the ' +
      'provider named a month only, and `date` is its first day.',
    tag,
    access: ['provider_changes:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(ProviderChange) },
    handler: (t, { pager }) => listChanges(t, pager),
  }),
  operation({
    id: 'getProviderVersionCalendar',
    method: 'GET',
    path: `${account}/provider-version-calendar`,
    summary: "Get the versions of the provider's API: spoken, next, tried",
    description:
      'For each environment the version that is spoken and how many days are left to it, the next one, and the later version that was tried ' +
      'last with the evidence: a stored run of checks through the adapter that messages leave by. `against` tells whether the ' +
      'provider answered or the simulator, `failed` what differed.',
    tag,
    access: ['provider_changes:read'],
    params: Closed(accountPath),
    responses: { 200: ProviderVersionCalendar },
    handler: (t) => getCalendar(t),
  }),
];
