// What the directory endpoint can do, in its own words (RFC 7643 sections 5 to 7).
import { type Attribute, groupKind, type ResourceKind, type Schema, userKind } from './attributes.ts';
import { maxResults } from './list-query.ts';
import { listAnswer, type ScimAnswer } from './resource.ts';
import { notFound } from './scim-error.ts';

const kinds = [userKind, groupKind];

export const serviceProviderConfig = (baseUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: 'https://www.rfc-editor.org/rfc/rfc7644',
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Directory token',
      description: 'The token shown when the provider was activated, as a bearer token',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
});

const resourceType = (baseUrl: string, { name, endpoint, core, extensions }: ResourceKind) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  description: core.description,
  endpoint,
  schema: core.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
});

const schemaResource = (baseUrl: string, { id, name, description, attributes }: Schema) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes: attributes.map(describe),
  meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
});

function describe(attribute: Attribute): Record<string, unknown> {
  const { name, type, description, canonicalValues, referenceTypes, subAttributes } = attribute;
  return {
    name,
    type,
    description,
    multiValued: attribute.multiValued ?? false,
    required: attribute.required ?? false,
    caseExact: attribute.caseExact ?? false,
    mutability: attribute.readOnly ? 'readOnly' : 'readWrite',
    returned: attribute.always ? 'always' : 'default',
    uniqueness: attribute.unique ? 'server' : 'none',
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.map(describe) }),
  };
}

export const resourceTypes = (baseUrl: string) => kinds.map((kind) => resourceType(baseUrl, kind));
export const schemas = (baseUrl: string) =>
  kinds
    .flatMap(({ core, extensions }) => [core, ...extensions])
    .map((schema) => schemaResource(baseUrl, schema));

type Described = Record<string, unknown> & { id: string };

export const allOf = (resources: Described[]): ScimAnswer => listAnswer(resources, resources.length, 1);

export function oneOf(resources: Described[], id: string): ScimAnswer {
  const body = resources.find((resource) => resource.id.toLowerCase() === id.toLowerCase());
  if (!body) throw notFound();
  return { status: 200, body };
}
