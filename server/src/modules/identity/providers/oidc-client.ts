// The OpenID Connect library, set up for one provider: over the outbound wall, by our clock, and strict.
import type * as Oidc from 'openid-client';
import { systemClock } from '../../../platform/clock.ts';
import { fetchThrough } from '../../../platform/outbound/outbound-fetch.ts';
import { allowsPrivate, type Place } from '../../../platform/outbound/reachable.ts';
import type { Ports } from '../../../platform/ports.ts';
import type { OidcConfig } from './config.ts';

export type OidcContext = Place & { ports: Ports; now: Date };

const timeoutMs = 10_000;
const maxResponseBytes = 256 * 1024;
const toleranceSeconds = 30;

/** Loaded with the first sign-in through a provider, which most processes never see. */
export const loadOidc = () => import('openid-client');

export const fetchOf = ({ ports, livemode }: OidcContext) =>
  fetchThrough(ports.outbound, { livemode, timeoutMs, maxResponseBytes });

export const signingAlgorithmOf = (config: OidcConfig) => config.signingAlgorithm ?? 'RS256';

/** Reads the provider's own description; throws when it cannot be read or names another issuer. */
export async function discover(
  context: OidcContext,
  config: OidcConfig,
  secret: string | null,
): Promise<Oidc.Configuration> {
  const oidc = await loadOidc();
  const metadata: Partial<Oidc.ClientMetadata> = {
    id_token_signed_response_alg: signingAlgorithmOf(config),
    // The library reads the system's clock; this tells it how far that is from the one we were given.
    [oidc.clockSkew]: Math.round((context.now.getTime() - systemClock.now().getTime()) / 1000),
    [oidc.clockTolerance]: toleranceSeconds,
  };
  return oidc.discovery(new URL(config.issuer), config.clientId, metadata, clientAuth(oidc, config, secret), {
    [oidc.customFetch]: fetchOf(context) as Oidc.CustomFetch,
    // By default a token that came over TLS is believed unsigned; its signature is checked here all the same.
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(allowsPrivate(context) ? [oidc.allowInsecureRequests] : []),
    ],
    timeout: timeoutMs / 1000,
  });
}

function clientAuth(oidc: typeof Oidc, config: OidcConfig, secret: string | null): Oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return config.tokenEndpointAuthMethod === 'client_secret_post'
    ? oidc.ClientSecretPost(secret)
    : oidc.ClientSecretBasic(secret);
}
