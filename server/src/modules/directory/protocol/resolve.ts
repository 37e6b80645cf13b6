// From a path as a client writes it to the attribute it means.
import {
  type Attribute,
  findAttribute,
  findExtension,
  type ResourceKind,
  rootAttributes,
} from './attributes.ts';
import type { AttributePath } from './filter.ts';

export type Resolved = {
  /** The extension the attribute stands in; null for the resource itself. */
  uri: string | null;
  attribute: Attribute;
  sub: Attribute | null;
};

export function resolvePath(kind: ResourceKind, path: AttributePath): Resolved | null {
  const place = placeOf(kind, path);
  const attribute = place && findAttribute(place.attributes, path.name);
  if (!attribute) return null;
  if (path.sub === null) return { uri: place.uri, attribute, sub: null };
  const sub = findAttribute(attribute.subAttributes ?? [], path.sub);
  return sub ? { uri: place.uri, attribute, sub } : null;
}

/** The id of the extension a path names as a whole, such as `urn:…:enterprise:2.0:User`. */
export function wholeExtension(kind: ResourceKind, { uri, name, sub }: AttributePath): string | null {
  return (uri !== null && sub === null && findExtension(kind, `${uri}:${name}`)?.id) || null;
}

function placeOf(
  kind: ResourceKind,
  { uri }: AttributePath,
): { uri: string | null; attributes: Attribute[] } | null {
  if (uri === null || uri.toLowerCase() === kind.core.id.toLowerCase()) {
    return { uri: null, attributes: rootAttributes(kind) };
  }
  const extension = findExtension(kind, uri);
  return extension ? { uri: extension.id, attributes: extension.attributes } : null;
}
