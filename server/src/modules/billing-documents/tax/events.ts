import { declareEvents, heardBy } from '../../../platform/events.ts';
import { TaxProfile, taxProfileSample } from './schema.ts';

export const taxProfileEvents = heardBy(
  ['billing:read'],
  declareEvents('tax_profile', TaxProfile, taxProfileSample, {
    updated: { since: '2026-05-04', description: 'How the account is taxed in a currency was set.' },
  }),
);
