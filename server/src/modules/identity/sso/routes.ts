import { Type } from 'typebox';
import { ApiError } from '../../../platform/errors/errors.ts';
import { Answer, type Input, type Open, operation } from '../../../platform/http/operations/operation.ts';
import { findSamlProvider } from '../providers/providers.ts';
import type { Browser } from '../sessions/browser.ts';
import { samlMetadata } from './saml.ts';
import { AssertionForm, CallbackQuery, StartQuery, ssoPath } from './schema.ts';
import { finishOidc, finishSaml, startSignIn } from './sign-in.ts';

const tag = 'Sign-in';
const at = '/v1/auth/sso/{providerKey}';

const browserOf = ({ address, header }: Input<unknown, unknown, unknown>): Browser => ({
  address,
  userAgent: header('user-agent') ?? '',
  cookie: header('cookie'),
});

export const ssoOperations = [
  operation({
    id: 'startSsoSignIn',
    method: 'GET',
    path: `${at}/start`,
    summary: 'Sign in through an identity provider',
    description:
      'Sends the browser to the provider. Name the provider by its key with `accountSid` or `organization`, or by its id. ' +
      'Afterwards the browser is sent to `returnTo`, a path of this origin.',
    tag,
    access: 'public',
    params: ssoPath,
    query: StartQuery,
    responses: { 302: null },
    sends: ['Set-Cookie'],
    open: (call, input) => startSignIn(call, input.params.providerKey, input.query, browserOf(input)),
  }),
  operation({
    id: 'finishOidcSignIn',
    method: 'GET',
    path: `${at}/callback`,
    summary: 'Where an OpenID Connect provider sends the browser back to',
    description:
      "Called by the browser, not by programs. Ends the sign-in begun at `start`, sets the session's " +
      'cookie and sends the browser on to where it wanted to go. Whatever goes wrong is answered ' +
      'AUTHENTICATION_ERROR.',
    tag,
    access: 'public',
    params: ssoPath,
    query: CallbackQuery,
    responses: { 302: null },
    sends: ['Set-Cookie'],
    open: (call, input) => finishOidc(call, input.params.providerKey, input.query, browserOf(input)),
  }),
  operation({
    id: 'finishSamlSignIn',
    method: 'POST',
    path: `${at}/acs`,
    summary: 'Where a SAML provider posts its assertion to',
    description:
      "Called by the browser, not by programs. Ends the sign-in begun at `start`, sets the session's " +
      'cookie and sends the browser on to where it wanted to go. An assertion works once.',
    tag,
    access: 'public',
    repeatable: 'An assertion works once: a repeated one is refused.',
    params: ssoPath,
    body: AssertionForm,
    bodyFormat: 'form',
    responses: { 303: null },
    example: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlPg==', RelayState: 'from-the-start' },
    sends: ['Set-Cookie'],
    open: (call, input) => finishSaml(call, input.params.providerKey, input.body, browserOf(input)),
  }),
  operation({
    id: 'getSamlMetadata',
    method: 'GET',
    path: `${at}/metadata`,
    summary: 'What a SAML provider has to know about this service',
    description: 'The provider is named by its id. It is served as soon as the provider is staged.',
    tag,
    access: 'public',
    params: ssoPath,
    responses: { 200: Type.String({ contentMediaType: 'application/samlmetadata+xml' }) },
    answerExample: '<EntityDescriptor entityID="https://api.example.com/v1/auth/sso/corporate/metadata"/>',
    open: (call, { params }) => metadataOf(call, params.providerKey),
  }),
];

async function metadataOf(call: Open, id: string): Promise<Answer<string>> {
  const provider = await call.database.system((s) => findSamlProvider(s, id));
  if (!provider) throw new ApiError('NOT_FOUND');
  const xml = await samlMetadata(call.site.publicUrl, provider);
  return new Answer(200, xml, { 'content-type': 'application/samlmetadata+xml' });
}
