// Sign-in by OpenID Connect: the authorization code flow with PKCE, a nonce and a state.
import type { Configuration } from 'openid-client';
import type { Open } from '../../../platform/http/operations/operation.ts';
import type { OidcConfig } from '../providers/config.ts';
import { readCredential } from '../providers/credentials.ts';
import { discover, loadOidc } from '../providers/oidc-client.ts';
import type { ActiveProvider } from '../providers/providers.ts';
import { placeOf } from '../providers/reach.ts';
import { redirectUri } from '../providers/urls.ts';
import type { ExternalPerson } from './external-person.ts';
import type { NewRequest, SpentRequest } from './sso-requests.ts';

async function configurationOf(
  call: Open,
  provider: ActiveProvider,
  livemode: boolean,
): Promise<Configuration> {
  const { organizationId, credentialRef } = provider;
  const secret =
    credentialRef === null
      ? null
      : await call.database.system((s) => readCredential(s, call.sealer, organizationId, credentialRef));
  if (credentialRef !== null && secret === null) throw new Error('the stored credential is gone');
  const context = { ...call, ...placeOf({ livemode, site: call.site }, provider) };
  return discover(context, provider.publicConfig as OidcConfig, secret);
}

/** Where the browser goes to sign in. */
export async function oidcSignInUrl(
  call: Open,
  provider: ActiveProvider,
  { state, secrets }: NewRequest,
  livemode: boolean,
): Promise<string> {
  const { scopes = ['email', 'profile'] } = provider.publicConfig as OidcConfig;
  const [oidc, configuration] = await Promise.all([loadOidc(), configurationOf(call, provider, livemode)]);
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri(call.site.publicUrl, provider.id),
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce: secrets.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(secrets.codeVerifier),
    code_challenge_method: 'S256',
  });
  if (!/^https?:$/.test(url.protocol)) throw new Error('the authorization endpoint is no web address');
  return url.href;
}

type Answer = { state: string } & Record<string, string>;

/** Exchanges the code and reads who came. Throws on whatever is not exactly as it should be. */
export async function readOidcAnswer(
  call: Open,
  provider: ActiveProvider,
  { secrets, livemode }: SpentRequest,
  answer: Answer,
): Promise<ExternalPerson> {
  const [oidc, configuration] = await Promise.all([loadOidc(), configurationOf(call, provider, livemode)]);
  // Built from our own address, never from the Host header.
  const url = new URL(redirectUri(call.site.publicUrl, provider.id));
  url.search = new URLSearchParams(answer).toString();
  const tokens = await oidc.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: secrets.codeVerifier,
    expectedState: answer.state,
    expectedNonce: secrets.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  const told = claims.email === undefined ? await askUserInfo(configuration, tokens, claims.sub) : claims;
  return {
    subject: claims.sub,
    email: textOf(told.email),
    emailVerified: told.email_verified === undefined ? null : String(told.email_verified) === 'true',
    displayName: textOf(told.name ?? claims.name),
  };
}

type Claims = { email?: unknown; email_verified?: unknown; name?: unknown };

/** Many providers put the address only here; the library holds the answer to the same subject. */
async function askUserInfo(
  configuration: Configuration,
  tokens: { access_token: string },
  subject: string,
): Promise<Claims> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return (await loadOidc()).fetchUserInfo(configuration, tokens.access_token, subject);
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
