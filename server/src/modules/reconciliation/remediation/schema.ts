import { type Static, Type } from 'typebox';
import { NamedObject, Text } from '../../../platform/http/input/schema.ts';
import { PricingTypeWord } from '../../billing/index.ts';

export const RemediationPricing = NamedObject('RemediationPricing', {
  billable: Type.Boolean(),
  category: Text(64),
  customerCurrency: Type.String({ pattern: '^[A-Z]{3}$' }),
  market: Text(16),
  pricingModel: Text(128),
  pricingType: PricingTypeWord,
  providerEvidence: Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true }),
  transport: Text(64),
});
export type RemediationPricing = Static<typeof RemediationPricing>;

export const Remediation = NamedObject('RemediatePricingRequest', {
  signature: Type.String({ pattern: '^v1=[0-9a-f]{64}$' }),
  stepUpToken: Text(256),
  pricing: RemediationPricing,
});
export type Remediation = Static<typeof Remediation>;
