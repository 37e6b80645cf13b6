// Whether a provider can do what its configuration says, asked before it is switched on.
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Outside } from '../../../platform/http/operations/operation.ts';
import { OutboundRefused } from '../../../platform/outbound/outbound-fetch.ts';
import { judgeUrl, type Place } from '../../../platform/outbound/reachable.ts';
import { type OidcConfig, readCertificate, type SamlConfig } from './config.ts';
import { readCredential } from './credentials.ts';
import { discover, fetchOf, type OidcContext, signingAlgorithmOf } from './oidc-client.ts';
import { placeOf } from './reach.ts';
import type { IdentityProvider } from './schema.ts';

type Findings = Promise<ErrorDetail[]> | ErrorDetail[];

/** What stands against it, by the path of the setting concerned; empty when it is in order. */
export function verifyProvider(call: Outside, provider: IdentityProvider): Findings {
  switch (provider.protocol) {
    case 'OIDC':
      return verifyOidc(call, provider);
    case 'SAML':
      return verifySaml(provider.publicConfig as SamlConfig, call.now);
    default:
      // A directory gets its token with the activation; second factors need nothing from outside.
      return [];
  }
}

const at = (path: string, issue: string): ErrorDetail[] => [{ path: `publicConfig.${path}`, issue }];

async function verifyOidc(call: Outside, provider: IdentityProvider): Promise<ErrorDetail[]> {
  const config = provider.publicConfig as OidcConfig;
  const { credentialRef, organizationId } = provider;
  const secret =
    credentialRef === null
      ? null
      : await call.read((t) => readCredential(t, t.sealer, organizationId, credentialRef));
  if (credentialRef !== null && secret === null) {
    return [{ path: 'credentialRef', issue: 'names no stored credential of this organization' }];
  }
  try {
    const context = { ...call, ...placeOf(call, provider) };
    const metadata = (await discover(context, config, secret)).serverMetadata();
    const findings = judgeMetadata(metadata, config, context);
    return findings.length > 0 ? findings : await judgeKeys(context, metadata.jwks_uri!, config);
  } catch (error) {
    return at('issuer', `its discovery document cannot be used: ${reasonOf(error)}`);
  }
}

/** The library's own words may quote what the other side sent; only what we said ourselves is repeated. */
function reasonOf(error: unknown): string {
  const refused = [error, (error as { cause?: unknown } | null)?.cause].find(
    (one) => one instanceof OutboundRefused,
  );
  return refused instanceof OutboundRefused ? refused.message : 'It is not one, or it names another issuer.';
}

type Metadata = {
  authorization_endpoint?: string;
  token_endpoint?: string;
  jwks_uri?: string;
  response_types_supported?: string[];
  code_challenge_methods_supported?: string[];
  id_token_signing_alg_values_supported?: string[];
};

function judgeMetadata(metadata: Metadata, config: OidcConfig, place: Place): ErrorDetail[] {
  const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
  const algorithm = signingAlgorithmOf(config);
  const lacks = (list: string[] | undefined, word: string) => Array.isArray(list) && !list.includes(word);
  return [
    ...endpoints.flatMap((name) => {
      const refusal = metadata[name] === undefined ? 'It is missing.' : judgeUrl(metadata[name], place);
      return refusal ? at('issuer', `its ${name} cannot be used: ${refusal}`) : [];
    }),
    ...(lacks(metadata.response_types_supported, 'code')
      ? at('issuer', 'it does not offer the authorization code flow')
      : []),
    ...(lacks(metadata.code_challenge_methods_supported, 'S256')
      ? at('issuer', 'it does not accept PKCE with S256')
      : []),
    ...(lacks(metadata.id_token_signing_alg_values_supported, algorithm)
      ? at('signingAlgorithm', `the provider does not sign with ${algorithm}`)
      : []),
  ];
}

const keyTypes: Record<string, string> = { RS: 'RSA', PS: 'RSA', ES: 'EC', Ed: 'OKP' };

async function judgeKeys(context: OidcContext, jwksUri: string, config: OidcConfig): Promise<ErrorDetail[]> {
  const algorithm = signingAlgorithmOf(config);
  const wanted = keyTypes[algorithm.slice(0, 2)];
  try {
    const answer = await fetchOf(context)(jwksUri, { headers: { accept: 'application/json' } });
    const { keys } = (await answer.json()) as { keys?: unknown };
    if (answer.status !== 200 || !Array.isArray(keys)) return at('issuer', 'its jwks_uri holds no key set');
    const fits = keys.some(({ kty, use, alg }: { kty?: string; use?: string; alg?: string }) => {
      return kty === wanted && (use ?? 'sig') === 'sig' && (alg ?? algorithm) === algorithm;
    });
    return fits ? [] : at('issuer', `its key set holds no key for ${algorithm}`);
  } catch (error) {
    const reason = error instanceof OutboundRefused ? error.message : 'It is not JSON.';
    return at('issuer', `its key set cannot be read: ${reason}`);
  }
}

const minRsaBits = 2048;

function verifySaml(config: SamlConfig, now: Date): ErrorDetail[] {
  const judged = config.certificates.map((text, i) => {
    const certificate = readCertificate(text);
    const path = `certificates[${i}]`;
    if (!certificate) return at(path, 'must be an X.509 certificate in PEM or base64');
    const { modulusLength = minRsaBits } = certificate.publicKey.asymmetricKeyDetails ?? {};
    if (modulusLength < minRsaBits) return at(path, `its key must have at least ${minRsaBits} bits`);
    if (certificate.validFromDate > now) return at(path, 'is not valid yet');
    return certificate.validToDate <= now ? at(path, 'has expired') : [];
  });
  // While a certificate is being replaced the old one may run out: one that is current suffices.
  return judged.some((findings) => findings.length === 0) ? [] : judged.flat();
}
