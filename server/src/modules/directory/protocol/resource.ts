// What users and groups share on the wire: an envelope with an ETag, conditions on it, and lists of them.
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';
import type { ResourceKind } from './attributes.ts';
import type { Document } from './normalise.ts';
import { type Projection, project } from './projection.ts';
import type { ScimCall } from './scim-call.ts';
import { ScimError } from './scim-error.ts';

export type Stored = {
  id: string;
  externalId: string | null;
  createdAt: string;
  updatedAt: string;
  document: Document;
};
export type Resource = Document & { id: string; meta: { version: string; location: string } };
export type ScimAnswer = { status: number; body: Document | null; headers?: Record<string, string> };

/** The version is a hash of what is shown, so that it changes with it, whoever made the change. */
export function toResource(kind: ResourceKind, baseUrl: string, stored: Stored): Resource {
  const { id, externalId, createdAt, updatedAt, document } = stored;
  const extensions = kind.extensions.filter((extension) => extension.id in document);
  const shown = {
    schemas: [kind.core.id, ...extensions.map((extension) => extension.id)],
    id,
    ...(externalId !== null && { externalId }),
    ...document,
  };
  const location = `${baseUrl}${kind.endpoint}/${id}`;
  const meta = { resourceType: kind.name, created: createdAt, lastModified: updatedAt, location };
  const version = `W/"${sha256Hex(canonicalJson({ ...shown, meta })).slice(0, 32)}"`;
  return { ...shown, meta: { ...meta, version } };
}

type Shown = { kind: ResourceKind; resource: Resource; projection: Projection };

export function resourceAnswer(status: number, { kind, resource, projection }: Shown): ScimAnswer {
  const { version, location } = resource.meta;
  const headers = { etag: version, ...(status === 201 && { location }) };
  return { status, body: project(kind, resource, projection), headers };
}

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim());
const opaque = (tag: string) => tag.replace(/^W\//, '');
const names = (header: string, version: string) =>
  tagsIn(header).some((tag) => tag === '*' || opaque(tag) === opaque(version));

/** Asked with the resource held, so that nobody changes it between the question and the change. */
export function refuseStale(call: ScimCall, { meta }: Resource): void {
  const condition = call.header('if-match');
  if (condition !== undefined && !names(condition, meta.version))
    throw new ScimError(412, 'The resource has changed since it was read.');
}

export function isUnchanged(call: ScimCall, { meta }: Resource): boolean {
  const condition = call.header('if-none-match');
  return condition !== undefined && names(condition, meta.version);
}

export const notModified = ({ meta }: Resource): ScimAnswer => ({
  status: 304,
  body: null,
  headers: { etag: meta.version },
});

export function listAnswer(resources: Document[], total: number, startIndex: number): ScimAnswer {
  return {
    status: 200,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: total,
      startIndex,
      itemsPerPage: resources.length,
      Resources: resources,
    },
  };
}
