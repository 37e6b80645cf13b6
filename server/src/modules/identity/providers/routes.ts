import { accountPath, Closed, ListOf } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import { verifyAndActivate } from './activate-provider.ts';
import { createProvider, getProvider, judgeProvider, listProviders, suspendProvider } from './providers.ts';
import {
  ActivatedProvider,
  IdentityProvider,
  NewIdentityProvider,
  ProviderMove,
  ProviderQuery,
  providerPath,
} from './schema.ts';

const tag = 'Identity providers';
const all = '/v1/accounts/{accountSid}/identity/providers';
const one = `${all}/{providerId}`;

export const providerOperations = [
  operation({
    id: 'listIdentityProviders',
    method: 'GET',
    path: all,
    summary: 'List identity providers',
    description: 'Providers belong to the organization and stand in both environments.',
    tag,
    access: ['api:access'],
    params: Closed(accountPath),
    query: ProviderQuery,
    responses: { 200: ListOf(IdentityProvider) },
    handler: (t, { pager }) => listProviders(t, pager),
  }),
  operation({
    id: 'getIdentityProvider',
    method: 'GET',
    path: one,
    summary: 'Get an identity provider',
    description:
      'Shows the configuration, how far the provider was verified, and the addresses its other side has ' +
      'to be told.',
    tag,
    access: ['api:access'],
    params: providerPath,
    responses: { 200: IdentityProvider },
    handler: (t, { params }) => getProvider(t, params.providerId),
  }),
  operation({
    id: 'createIdentityProvider',
    method: 'POST',
    path: all,
    summary: 'Stage an identity provider',
    description:
      'What `publicConfig` holds depends on the protocol; unknown keys are refused. `credentialRef` names a secret the ' +
      'operator stored with `godwit identity credential set`. Roles a provider gives can hold only what its maker holds.',
    tag,
    access: ['roles:write'],
    idempotency: 'required',
    stepUp: { action: 'IDENTITY_PROVIDER_CREATE', from: 'everyone' },
    params: Closed(accountPath),
    body: NewIdentityProvider,
    responses: { 201: IdentityProvider },
    example: {
      protocol: 'OIDC',
      providerKey: 'company-sso',
      publicConfig: { issuer: 'https://id.example.com', clientId: 'godwit', justInTime: true },
      reason: 'Everyone signs in with the company account',
      stepUpToken: 'from POST identity/step-up',
      credentialRef: 'company-sso',
    },
    judge: (t, { body }) => judgeProvider(t, body),
    async handler(t, { body }) {
      const provider = await createProvider(t, body);
      return created(provider, `/v1/accounts/${t.accountSid}/identity/providers/${provider.id}`);
    },
  }),
  operation({
    id: 'activateIdentityProvider',
    method: 'POST',
    path: `${one}/activate`,
    summary: 'Verify and activate an identity provider',
    description:
      'A provider that cannot be verified stays as it was, and the answer says what stands against it. For SCIM the ' +
      "answer carries the directory's bearer token, shown once; every activation issues a new one.",
    tag,
    access: ['roles:write'],
    idempotency: 'required',
    revealsSecret: true,
    stepUp: { action: 'IDENTITY_PROVIDER_ACTIVATE', from: 'everyone' },
    params: providerPath,
    body: ProviderMove,
    responses: { 200: ActivatedProvider },
    example: { reason: 'Agreed with the security team', stepUpToken: 'from POST identity/step-up' },
    outside: (call, { params, body, stepUp }) =>
      verifyAndActivate(call, params.providerId, body.reason, stepUp),
  }),
  operation({
    id: 'suspendIdentityProvider',
    method: 'POST',
    path: `${one}/suspend`,
    summary: 'Suspend an identity provider',
    description:
      'It stops backing sign-in, second factors or the directory at once; sessions it began are over.',
    tag,
    access: ['roles:write'],
    idempotency: 'required',
    stepUp: { action: 'IDENTITY_PROVIDER_SUSPEND', from: 'everyone' },
    params: providerPath,
    body: ProviderMove,
    responses: { 200: IdentityProvider },
    example: { reason: 'Agreed with the security team', stepUpToken: 'from POST identity/step-up' },
    handler: (t, { params, body }) => suspendProvider(t, params.providerId, body.reason),
  }),
];
