// The one configuration: the settings of the platform and of every feature, read once at start. Only settings are imported
// here, so that commands which need no feature answer at once.
import { mailVariables } from '../modules/mails/settings.ts';
import {
  liveOffer,
  managedOnboardingVariables,
  sandboxOffer,
} from '../modules/managed-onboarding/settings.ts';
import { mediaVariables } from '../modules/media/settings.ts';
import { paymentVariables } from '../modules/payments/settings.ts';
import { privacyVariables } from '../modules/privacy/settings.ts';
import { providerVariables } from '../modules/provider/settings.ts';
import { reconciliationVariables, remediationPurpose } from '../modules/reconciliation/settings.ts';
import { webhookVariables } from '../modules/webhooks/settings.ts';
import {
  platformVariables,
  type Read,
  readVariables,
  tracingVariables,
  url,
  type Variable,
  whole,
} from '../platform/config.ts';

const simulatorVariables = {
  simulatorPort: {
    name: 'SIMULATOR_PORT',
    fallback: '',
    means: 'Port of the simulated provider behind every sandbox; 0 takes a free one. Default: PORT plus one',
    read: (text) => (text === '' ? null : whole(0, 65_535)(text)),
  },
  simulatorUrl: {
    name: 'SIMULATOR_URL',
    fallback: '',
    means: 'Where the simulated provider answers, when it runs elsewhere',
    read: url(['http', 'https']),
  },
  paymentSimulatorPort: {
    name: 'PAYMENT_SIMULATOR_PORT',
    fallback: '',
    means:
      'Port of the simulated payment service behind every sandbox; 0 takes a free one. Default: PORT plus two',
    read: (text) => (text === '' ? null : whole(0, 65_535)(text)),
  },
  paymentSimulatorUrl: {
    name: 'PAYMENT_SIMULATOR_URL',
    fallback: '',
    means: 'Where the simulated payment service answers, when it runs elsewhere',
    read: url(['http', 'https']),
  },
} satisfies Record<string, Variable<unknown>>;

export { liveOffer, remediationPurpose, sandboxOffer };

export const variables = {
  ...platformVariables,
  ...webhookVariables,
  ...mailVariables,
  ...providerVariables,
  ...reconciliationVariables,
  ...paymentVariables,
  ...simulatorVariables,
  ...mediaVariables,
  ...privacyVariables,
  ...managedOnboardingVariables,
  ...tracingVariables,
};

export type Config = Read<typeof variables>;

export const readConfig = (environment?: Record<string, string | undefined>): Config =>
  readVariables(variables, environment);
