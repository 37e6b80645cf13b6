import type { Module } from '../../platform/module.ts';
import { sweepNonces } from './crons.ts';
import { apiKeyNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export { changeApiKey, createApiKey, listApiKeys } from './api-keys.ts';
export { type KeyAuthentication, startKeyAuthentication } from './authenticate.ts';
export { disableInactiveKeys } from './inactive-keys.ts';
export { keysMadeBy } from './keys-of-maker.ts';
export { apiKeyStatus, makersOfApiKey } from './provenance.ts';
export { signatureOf } from './request-signature.ts';
export type { ApiKey, ApiKeyWithSecret } from './schema.ts';
export const apiKeysModule: Module = {
  name: 'api-keys',
  tables: ['api_keys', 'request_nonces'],
  tags: {
    'API keys': 'Credentials for programs, each with its scopes and limits.',
  },
  operations,
  notifications: apiKeyNotifications,
  jobs: [],
  crons: [sweepNonces],
};
