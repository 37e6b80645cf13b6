import { accountPath, Closed, ListOf, Uuid } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { changeApiKey, createApiKey, getApiKey, judgeNewKey, listApiKeys, rotateApiKey } from './api-keys.ts';
import { ApiKey, ApiKeyChange, ApiKeyQuery, ApiKeyWithSecret, KeyRotation, NewApiKey } from './schema.ts';

const tag = 'API keys';
const all = '/v1/accounts/{accountSid}/api-keys';
const one = `${all}/{apiKeyId}`;
const keyPath = Closed({ ...accountPath, apiKeyId: Uuid });

export const operations = [
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: all,
    summary: 'List API keys',
    description:
      "The newest first, disabled and expired ones included. Neither the key's text nor its signing " +
      'secret is shown again.',
    tag,
    access: ['api_keys:read'],
    params: Closed(accountPath),
    query: ApiKeyQuery,
    responses: { 200: ListOf(ApiKey) },
    handler: (t, { pager }) => listApiKeys(t, pager),
  }),
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: all,
    summary: 'Create an API key',
    description:
      'The key stands in the environment of the credential that makes it and can hold only scopes the maker holds. ' +
      'Its text and its signing secret are shown once.',
    tag,
    access: ['api_keys:write'],
    idempotency: 'required',
    revealsSecret: true,
    stepUp: { action: 'API_KEY_CREATE', from: 'people' },
    params: Closed(accountPath),
    body: NewApiKey,
    responses: { 201: ApiKeyWithSecret },
    example: { name: 'Order service', scopes: ['contacts:read', 'contacts:write'] },
    judge: (t, { body }) => judgeNewKey(t, body),
    async handler(t, { body }) {
      const key = await createApiKey(t, body);
      return created(key, `/v1/accounts/${t.accountSid}/api-keys/${key.id}`);
    },
  }),
  operation({
    id: 'getApiKey',
    method: 'GET',
    path: one,
    summary: 'Get an API key',
    description:
      "Shows the key's scopes, limits and when it was last used, but never its text nor its signing " +
      'secret.',
    tag,
    access: ['api_keys:read'],
    params: keyPath,
    responses: { 200: ApiKey },
    handler: (t, { params }) => getApiKey(t, params.apiKeyId),
  }),
  operation({
    id: 'updateApiKey',
    method: 'PATCH',
    path: one,
    summary: 'Rename, restrict, disable or enable an API key',
    description:
      'Scopes cannot be changed: make a new key. A disabled key is refused everywhere at once. A key cannot disable itself: ' +
      'that takes another key or a signed-in person, and is CONFLICT otherwise.',
    tag,
    access: ['api_keys:write'],
    whileSuspended: true,
    idempotency: 'required',
    params: keyPath,
    body: ApiKeyChange,
    responses: { 200: ApiKey },
    example: { disabled: true },
    handler: (t, { params, body }) => changeApiKey(t, params.apiKeyId, body),
  }),
  operation({
    id: 'rotateApiKey',
    method: 'POST',
    path: `${one}/rotate`,
    summary: 'Give an API key a new secret',
    description: 'The old text and signing secret end at once. The new ones are shown once.',
    tag,
    access: ['api_keys:write'],
    idempotency: 'required',
    revealsSecret: true,
    stepUp: { action: 'API_KEY_ROTATE', from: 'people' },
    params: keyPath,
    body: KeyRotation,
    responses: { 200: ApiKeyWithSecret },
    example: {},
    handler: (t, { params }) => rotateApiKey(t, params.apiKeyId),
  }),
];
