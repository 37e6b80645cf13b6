import { accountPath, Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { TaxProfile, TaxProfileRequest } from './schema.ts';
import { issuesOfTaxProfile, setTaxProfile } from './tax-profiles.ts';

export const operations = [
  operation({
    id: 'setTaxProfile',
    method: 'PUT',
    path: '/v1/accounts/{accountSid}/billing/tax-profile',
    summary: 'Set how an account is taxed in a currency',
    description:
      'For the staff of the platform only. Top-ups and invoices made from now on are taxed by the rates that `taxProvider` ' +
      'has for the jurisdiction and code; what was issued stays as it is. `invoiceProvider` says through whom invoices are ' +
      'submitted. Without a profile nothing is taxed. In the sandbox the jurisdiction `TEST` has the codes `standard`, ' +
      '`reduced`, `two_rates` and `exempt`, and the codes `fault_refused`, `fault_refused_once` and ' +
      '`fault_unavailable_twice` make the submission of invoices fail.',
    tag: 'Billing',
    access: ['billing:write'],
    alsoNeeds: 'platform:staff',
    idempotency: 'required',
    stepUp: { action: 'TAX_PROFILE_CHANGE', from: 'everyone' },
    params: Closed(accountPath),
    body: TaxProfileRequest,
    responses: { 200: TaxProfile },
    example: {
      currency: 'USD',
      invoiceProvider: 'godwit',
      taxCode: 'standard',
      taxJurisdiction: 'TEST',
      taxProvider: 'table',
      reason: 'Registered for VAT in July',
      stepUpToken: 'GkJ8v0c2mQy1tXb7Rz4nLw9sHd3fPe6uAo5iKqVxYjM',
    },
    issues: (t, { body }) => issuesOfTaxProfile(t, body),
    async handler(t, { body: { stepUpToken: _, ...profile } }) {
      return setTaxProfile(t, profile);
    },
  }),
];
