// PATCH of RFC 7644 section 3.5.2: a list of changes, applied in order to a copy, all or none.
import { isDeepStrictEqual } from 'node:util';
import { type Attribute, findExtension, type ResourceKind } from './attributes.ts';
import { type Filter, type PatchPath, parsePatchPath } from './filter.ts';
import { matches, type Value } from './filter-match.ts';
import { partOf } from './filter-sql.ts';
import { type Document, normalise, normaliseSingle, normaliseValue, objectOf } from './normalise.ts';
import { resolvePath, wholeExtension } from './resolve.ts';
import { badRequest } from './scim-error.ts';

type Op = 'add' | 'replace' | 'remove';
type Change = { op: Op; path: string | undefined; value: unknown };

const maxOperations = 1_000;

export function applyPatch(kind: ResourceKind, document: Document, body: unknown): Document {
  const changed = structuredClone(document);
  for (const change of changesIn(body)) apply(kind, changed, change);
  return normalise(kind, changed);
}

function changesIn(body: unknown): Change[] {
  const { Operations: given } = objectOf(body, 'The patch');
  if (!Array.isArray(given) || given.length === 0)
    throw badRequest('invalidSyntax', '"Operations" must be a list.');
  if (given.length > maxOperations)
    throw badRequest('tooMany', `A patch can hold ${maxOperations} operations.`);
  return given.map((one) => {
    const { op, path, value } = objectOf(one, 'An operation');
    const name = typeof op === 'string' ? op.toLowerCase() : '';
    if (name !== 'add' && name !== 'replace' && name !== 'remove')
      throw badRequest('invalidSyntax', 'An operation must be add, replace or remove.');
    if (path !== undefined && typeof path !== 'string')
      throw badRequest('invalidPath', 'A path must be text.');
    return { op: name, path: path === '' ? undefined : path, value };
  });
}

function apply(kind: ResourceKind, document: Document, { op, path, value }: Change): void {
  if (path !== undefined) applyAt(kind, document, op, path, value);
  else if (op === 'remove') throw badRequest('noTarget', 'A remove needs a path.');
  else applyParts(kind, document, op, objectOf(value, 'A value without a path'));
}

function applyParts(kind: ResourceKind, document: Document, op: Op, parts: Document): void {
  for (const [name, part] of Object.entries(parts)) {
    const extension = findExtension(kind, name);
    if (extension) applyToExtension(kind, document, op, extension.id, part);
    // What a resource may carry beside its attributes is passed over, as when it is created.
    else if (name.toLowerCase() !== 'schemas' && isKnown(kind, name)) applyAt(kind, document, op, name, part);
  }
}

const isKnown = (kind: ResourceKind, name: string): boolean => {
  const resolved = resolvePath(kind, parsePatchPath(name));
  return resolved !== null && !resolved.attribute.readOnly;
};

function applyToExtension(kind: ResourceKind, document: Document, op: Op, id: string, value: unknown): void {
  if (op === 'remove') delete document[id];
  else
    for (const [name, part] of Object.entries(objectOf(value, id)))
      applyAt(kind, document, op, `${id}:${name}`, part);
}

function applyAt(kind: ResourceKind, document: Document, op: Op, text: string, value: unknown): void {
  const path = parsePatchPath(text);
  const extension = wholeExtension(kind, path);
  if (extension) applyToExtension(kind, document, op, extension, value);
  else applyToAttribute(kind, document, op, { ...path, text }, value);
}

function applyToAttribute(
  kind: ResourceKind,
  document: Document,
  op: Op,
  path: PatchPath & { text: string },
  value: unknown,
): void {
  const { text, filter } = path;
  const resolved = resolvePath(kind, path);
  if (!resolved) throw badRequest('invalidPath', `"${text}" names no known attribute.`);
  const { uri, attribute, sub } = resolved;
  if (attribute.readOnly || sub?.readOnly) throw badRequest('mutability', `"${text}" is read-only.`);
  const holder = uri === null ? document : holderIn(document, uri);
  const held = holder[attribute.name];
  const target: Target = { attribute, sub, filter, text };
  const next = attribute.multiValued
    ? changedValues(target, op, (held as Value[] | undefined) ?? [], value)
    : changedSingle(target, op, held, value);
  if (next === undefined) delete holder[attribute.name];
  else holder[attribute.name] = next;
}

function holderIn(document: Document, uri: string): Document {
  document[uri] ??= {};
  return document[uri] as Document;
}

type Target = { attribute: Attribute; sub: Attribute | null; filter: Filter | null; text: string };

function changedSingle(
  { attribute, sub, filter, text }: Target,
  op: Op,
  held: unknown,
  value: unknown,
): unknown {
  if (filter !== null)
    throw badRequest('invalidPath', `"${text}" has a single value, which no filter picks.`);
  const given = op === 'remove' ? undefined : normaliseValue(sub ?? attribute, value);
  if (sub) return pruned({ ...(held as Document | undefined), [sub.name]: given });
  // Adding to an object adds to its parts; replacing replaces only the parts that are given, too (3.5.2.3).
  return attribute.type === 'complex' && given !== undefined
    ? { ...(held as Document | undefined), ...(given as Document) }
    : given;
}

function changedValues(target: Target, op: Op, held: Value[], value: unknown): Value[] | undefined {
  if (target.filter !== null || target.sub !== null) return changedSome(target, op, held, value);
  const given = (normaliseValue(target.attribute, value) ?? []) as Value[];
  if (op === 'replace') return given;
  if (op === 'add') return withAdded(held, given);
  // With values a remove takes away those; some directories name members to remove like that.
  const gone = new Set(given.map(({ value: name }) => name));
  return given.length === 0 ? undefined : held.filter(({ value: name }) => !gone.has(name));
}

/** A value that is already there is not added twice; a new primary takes the place of the old one. */
function withAdded(held: Value[], given: Value[]): Value[] {
  const known = new Set(held.map(({ value }) => value));
  const fresh = given.filter(
    (one) => !(known.has(one.value) && held.some((other) => isDeepStrictEqual(one, other))),
  );
  const kept = fresh.some(({ primary }) => primary === true) ? held.map(withoutPrimary) : held;
  return [...kept, ...fresh];
}

const withoutPrimary = (value: Value): Value =>
  value.primary === true ? { ...value, primary: false } : value;

/** Changes the values a filter picks, or a part of every value. */
function changedSome(target: Target, op: Op, held: Value[], value: unknown): Value[] {
  const { attribute, sub, filter } = target;
  if (filter !== null) refuseUnknownParts(attribute, filter);
  const picked = new Set(held.filter((one) => filter === null || matches(attribute, one, filter)));
  if (op === 'remove') {
    return held.flatMap((one) =>
      !picked.has(one) ? [one] : sub === null ? [] : [pruned({ ...one, [sub.name]: undefined })],
    );
  }
  if (picked.size === 0) {
    if (op === 'replace' || !filter) throw badRequest('noTarget', `"${target.text}" matches no value.`);
    return withAdded(held, [{ ...impliedBy(filter), ...changeOf(target, value) }]);
  }
  const change = changeOf(target, value);
  const others = change.primary === true ? withoutPrimary : (one: Value) => one;
  return held.map((one) => (picked.has(one) ? pruned({ ...one, ...change }) : others(one)));
}

/** Said of the filter itself, since it may meet no value that would show it. */
function refuseUnknownParts(attribute: Attribute, filter: Filter): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      refuseUnknownParts(attribute, filter.left);
      refuseUnknownParts(attribute, filter.right);
      break;
    case 'not':
      refuseUnknownParts(attribute, filter.filter);
      break;
    default:
      partOf(attribute, filter.path);
  }
}

function changeOf({ attribute, sub }: Target, value: unknown): Value {
  return sub
    ? { [sub.name]: normaliseValue(sub, value) }
    : ((normaliseSingle(attribute, value) ?? {}) as Value);
}

const pruned = (value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));

/** Adding `emails[type eq "work"].value` where there is none makes one of that type. */
function impliedBy(filter: Filter): Value {
  if (filter.kind === 'and') return { ...impliedBy(filter.left), ...impliedBy(filter.right) };
  return filter.kind === 'compare' && filter.operator === 'eq' && filter.value !== null
    ? { [filter.path.name]: filter.value }
    : {};
}
