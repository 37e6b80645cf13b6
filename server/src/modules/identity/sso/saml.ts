// Sign-in by SAML 2.0: we ask by redirect, the provider answers with a form. The library proves the signature and gives
// back the signed element; `saml-assertion.ts` judges what it says.
import type { SAML } from '@node-saml/node-saml';
import type { Open } from '../../../platform/http/operations/operation.ts';
import { readCertificate, type SamlConfig } from '../providers/config.ts';
import type { ActiveProvider } from '../providers/providers.ts';
import { assertionConsumerUrl, entityIdOf } from '../providers/urls.ts';
import type { ExternalPerson } from './external-person.ts';
import { type Assertion, judgeAssertion, judgeEnvelope } from './saml-assertion.ts';
import type { NewRequest, RequestSecrets } from './sso-requests.ts';

type Where = Pick<ActiveProvider, 'id' | 'publicConfig'>;

/** The library is loaded when the first person needs it: the start of the service should not wait for it. */
async function samlFor(publicUrl: string, { id, publicConfig }: Where, requestId = '_'): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const config = publicConfig as SamlConfig;
  const entityId = entityIdOf(publicUrl, id);
  return new SAML({
    callbackUrl: assertionConsumerUrl(publicUrl, id),
    entryPoint: config.entryPoint,
    issuer: entityId,
    audience: entityId,
    idpIssuer: config.idpEntityId,
    idpCert: config.certificates.map((text) => readCertificate(text)!.toString()),
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    generateUniqueId: () => requestId,
    // Time and the request it answers are judged by us, by our clock and our store.
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
  });
}

export async function samlSignInUrl(
  call: Open,
  provider: ActiveProvider,
  request: NewRequest,
): Promise<string> {
  const saml = await samlFor(call.site.publicUrl, provider, request.secrets.requestId);
  return saml.getAuthorizeUrlAsync(request.state, undefined, {});
}

export async function samlMetadata(publicUrl: string, provider: Where): Promise<string> {
  return (await samlFor(publicUrl, provider)).generateServiceProviderMetadata(null);
}

export type SamlAnswer = { person: ExternalPerson; assertion: { id: string; expiresAt: Date } };

/** Throws on whatever is not exactly as it should be. */
export async function readSamlAnswer(
  call: Open,
  provider: ActiveProvider,
  { requestId }: RequestSecrets,
  encoded: string,
): Promise<SamlAnswer> {
  const { publicUrl } = call.site;
  const recipient = assertionConsumerUrl(publicUrl, provider.id);
  judgeEnvelope(Buffer.from(encoded, 'base64').toString('utf8'), recipient);
  const saml = await samlFor(publicUrl, provider);
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: encoded });
  const { Assertion: assertion } = (profile?.getAssertion?.() ?? {}) as { Assertion?: Assertion };
  if (!assertion) throw new Error('the answer holds no assertion');
  const config = provider.publicConfig as SamlConfig;
  return judgeAssertion(assertion, { config, recipient, requestId, now: call.now });
}
