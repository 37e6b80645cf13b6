// The addresses of this service that a provider's other side must know. They carry the provider's id and not its key:
// an id belongs to one provider alone, so that an answer meant for one can never be taken for another's.
import type { IdentityProvider, Protocol } from './schema.ts';

export const redirectUri = (publicUrl: string, id: string) => `${publicUrl}/v1/auth/sso/${id}/callback`;
export const assertionConsumerUrl = (publicUrl: string, id: string) => `${publicUrl}/v1/auth/sso/${id}/acs`;
export const metadataUrl = (publicUrl: string, id: string) => `${publicUrl}/v1/auth/sso/${id}/metadata`;
/** By custom an entity is named by the address of its metadata. */
export const entityIdOf = metadataUrl;
export const directoryUrl = (publicUrl: string) => `${publicUrl}/scim/v2`;

export function urlsOf(
  publicUrl: string,
  { id, protocol }: { id: string; protocol: Protocol },
): IdentityProvider['urls'] {
  const signsIn = protocol === 'OIDC' || protocol === 'SAML';
  const saml = protocol === 'SAML';
  return {
    signIn: signsIn ? `${publicUrl}/v1/auth/sso/${id}/start` : null,
    redirectUri: protocol === 'OIDC' ? redirectUri(publicUrl, id) : null,
    assertionConsumer: saml ? assertionConsumerUrl(publicUrl, id) : null,
    entityId: saml ? entityIdOf(publicUrl, id) : null,
    metadata: saml ? metadataUrl(publicUrl, id) : null,
    directory: protocol === 'SCIM' ? directoryUrl(publicUrl) : null,
  };
}
