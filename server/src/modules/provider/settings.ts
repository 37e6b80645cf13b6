// Where the messaging provider answers, and how it knows this installation.
import { optional, url, type Variable } from '../../platform/config.ts';
import { isSid } from '../../platform/ids.ts';

function version(text: string): string {
  if (!/^v\d{1,3}\.\d$/.test(text)) throw new Error('must be a version such as v24.0');
  return text;
}

export const providerVariables = {
  providerBaseUrl: {
    name: 'PROVIDER_BASE_URL',
    fallback: 'https://graph.facebook.com',
    means: 'Where the messaging provider answers live calls',
    read: (text) => url(['https', 'http'])(text)!,
  },
  providerApiVersion: {
    name: 'PROVIDER_API_VERSION',
    fallback: 'v24.0',
    means: "Version of the provider's API for live calls",
    read: version,
  },
  sandboxApiVersion: {
    name: 'SANDBOX_PROVIDER_API_VERSION',
    fallback: '',
    means: "Version of the provider's API in the sandbox. Default: PROVIDER_API_VERSION",
    read: (text) => (text === '' ? null : version(text)),
  },
  providerAppId: {
    name: 'PROVIDER_APP_ID',
    fallback: '',
    means: "This installation's app at the provider, for live template headers",
    read: optional,
  },
  providerAppSecret: {
    name: 'PROVIDER_APP_SECRET',
    fallback: '',
    means: "The app's secret, with which the provider signs live callbacks; without it none are taken",
    read: optional,
  },
  providerVerifyToken: {
    name: 'PROVIDER_VERIFY_TOKEN',
    fallback: '',
    means: 'The word the provider proves itself with when /provider/callbacks/live is registered',
    read: optional,
  },
  providerSignupUrl: {
    name: 'PROVIDER_SIGNUP_URL',
    fallback: 'https://www.facebook.com',
    means: "Where the provider's hosted signup is",
    read: (text) => url(['https', 'http'])(text)!,
  },
  providerSignupConfigId: {
    name: 'PROVIDER_SIGNUP_CONFIG_ID',
    fallback: '',
    means:
      "The app's configuration of the provider's hosted signup, by which live accounts are connected anew",
    read: optional,
  },
  providerCanary: {
    name: 'PROVIDER_CANARY_WABA',
    fallback: '',
    means:
      "The operator's own live business account (WB…), which checks of another version of the API may read",
    read: (text) => {
      if (text !== '' && !isSid('WB', text)) throw new Error('must be the SID of a business account, WB…');
      return text || null;
    },
  },
  partnerBusinessId: {
    name: 'PARTNER_BUSINESS_ID',
    fallback: '',
    means: "The operator's own business at the provider, whose credit line can pay for live accounts",
    read: (text) => {
      if (!/^(\d{5,20})?$/.test(text)) throw new Error("must be the business's id, 5 to 20 digits");
      return text || null;
    },
  },
  partnerAccessToken: {
    name: 'PARTNER_ACCESS_TOKEN',
    fallback: '',
    means: 'Token of a system user of that business who may edit its finances',
    read: optional,
  },
  partnerTermsVersion: {
    name: 'PARTNER_TERMS_VERSION',
    fallback: '2026-11-16',
    means: 'The version of the terms an owner accepts before the operator pays the provider for an account',
    read: (text) => {
      if (text.length > 128) throw new Error('must have at most 128 characters');
      return text;
    },
  },
} satisfies Record<string, Variable<unknown>>;
