import { type Static, Type } from 'typebox';
import {
  DateTime,
  Money,
  NamedObject,
  Sid,
  sample,
  Text,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleTimes } from '../../../platform/samples.ts';

const { currency } = Money.properties;

const content = {
  currency,
  invoiceProvider: Text(128),
  taxCode: Text(128),
  taxJurisdiction: Text(128),
  taxProvider: Text(128),
  reason: Text(500),
};

export const TaxProfileRequest = NamedObject('SetTaxProfileRequest', { ...content, stepUpToken: Text(4096) });
export type TaxProfileRequest = Static<typeof TaxProfileRequest>;

export const TaxProfile = NamedObject('TaxProfile', {
  object: Word('tax_profile'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  ...content,
  version: Type.Integer({ minimum: 1 }),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type TaxProfile = Static<typeof TaxProfile>;

export const taxProfileSample = sample(TaxProfile, {
  object: 'tax_profile',
  ...sampleOwner,
  currency: 'USD',
  invoiceProvider: 'godwit',
  taxCode: 'standard',
  taxJurisdiction: 'TEST',
  taxProvider: 'table',
  reason: 'Registered for VAT in July',
  version: 1,
  ...sampleTimes,
});
