// With what the operator signs that messages are charged anew.
import type { Variable } from '../../platform/config.ts';

/** What the key is for that signs; the settings may give secrets for it. */
export const remediationPurpose = 'pricing-remediation';

const leastLength = 32;

export const reconciliationVariables = {
  pricingRemediationSecrets: {
    name: 'PRICING_REMEDIATION_SECRET',
    fallback: '',
    means:
      'Signs price corrections ("godwit billing sign-remediation"); two with a comma between while it is changed: the first signs, both are valid. Default: a key derived from MASTER_KEY',
    read: (text): string[] => {
      const secrets = text === '' ? [] : text.split(',').map((secret) => secret.trim());
      if (secrets.length > 2) throw new Error('must be one secret, or two with a comma between');
      if (secrets.some((secret) => secret.length < leastLength))
        throw new Error(`must have ${leastLength} characters or more`);
      return secrets;
    },
  },
} satisfies Record<string, Variable<unknown>>;
