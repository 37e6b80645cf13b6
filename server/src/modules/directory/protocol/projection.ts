// Which attributes of a resource an answer shows (RFC 7644 section 3.9).
import { findExtension, type ResourceKind } from './attributes.ts';
import { parseAttributePath } from './filter.ts';
import type { Document } from './normalise.ts';
import { resolvePath, wholeExtension } from './resolve.ts';
import { badRequest } from './scim-error.ts';

export type Projection = { only: string[] | null; without: string[] };

/** Attributes by where they stand: `name`, `name.familyName`, `urn:…`, `urn:….department`. */
export function readProjection(
  kind: ResourceKind,
  attributes: string | undefined,
  excluded: string | undefined,
): Projection {
  if (attributes !== undefined && excluded !== undefined)
    throw badRequest('invalidValue', '"attributes" and "excludedAttributes" exclude each other.');
  const read = (list: string) => list.split(',').flatMap((name) => placeOf(kind, name.trim()));
  return { only: attributes === undefined ? null : read(attributes), without: read(excluded ?? '') };
}

/** An unknown name asks for nothing. */
function placeOf(kind: ResourceKind, text: string): string[] {
  const path = parseAttributePath(text);
  if (!path) return [];
  const extension = wholeExtension(kind, path);
  if (extension) return [extension];
  const resolved = resolvePath(kind, path);
  if (!resolved) return [];
  const { uri, attribute, sub } = resolved;
  return [[uri, attribute.name, sub?.name].filter((part) => part !== null && part !== undefined).join('.')];
}

/** False when no answer will show it, so that it need not be read. */
export function shows({ only, without }: Projection, name: string): boolean {
  if (without.includes(name)) return false;
  return only === null || only.some((place) => place === name || place.startsWith(`${name}.`));
}

const always = new Set(['schemas', 'id']);

export function project(kind: ResourceKind, resource: Document, projection: Projection): Document {
  return pick(resource, '', projection, (name) => findExtension(kind, name) !== undefined);
}

function pick(
  value: Document,
  prefix: string,
  projection: Projection,
  isExtension: (name: string) => boolean,
): Document {
  const shown = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const place = prefix + name;
    if (prefix === '' && always.has(name)) return [[name, part]];
    if (!isWanted(place, projection, isExtension(name))) return [];
    if (isWhole(place, projection)) return [[name, part]];
    const deeper = (one: unknown) =>
      typeof one === 'object' && one !== null
        ? pick(one as Document, `${place}.`, projection, () => false)
        : one;
    return [[name, Array.isArray(part) ? part.map(deeper) : deeper(part)]];
  });
  return Object.fromEntries(shown);
}

/** True when it, something inside it or something around it was asked for. */
function isWanted(place: string, { only, without }: Projection, isExtension: boolean): boolean {
  if (without.includes(place)) return false;
  if (only === null) return true;
  return only.some(
    (asked) =>
      asked === place || asked.startsWith(`${place}.`) || (!isExtension && place.startsWith(`${asked}.`)),
  );
}

/** Nothing inside it needs a look: all of it was asked for, and none of it refused. */
function isWhole(place: string, { only, without }: Projection): boolean {
  const touched = without.some((refused) => refused.startsWith(`${place}.`));
  return (
    !touched && (only === null || only.some((asked) => asked === place || place.startsWith(`${asked}.`)))
  );
}
