// Reads what a client sends into the one shape that is stored: names in the table's spelling, unknown and read-only
// attributes left out (RFC 7644 section 3.3 has a service ignore them), nothing that is empty, nothing of a wrong type.
import {
  type Attribute,
  findAttribute,
  findExtension,
  type ResourceKind,
  rootAttributes,
} from './attributes.ts';
import { badRequest } from './scim-error.ts';

export type Document = Record<string, unknown>;

const maxTextLength = 1_024;
const maxValues = 100;
const maxMembers = 10_000;

export function normalise(kind: ResourceKind, given: unknown): Document {
  const body = objectOf(given, 'The resource');
  const found = normaliseFields(rootAttributes(kind), body);
  for (const [name, value] of Object.entries(body)) {
    const extension = findExtension(kind, name);
    if (!extension || value === null) continue;
    const fields = normaliseFields(extension.attributes, objectOf(value, name));
    if (Object.keys(fields).length > 0) found[extension.id] = fields;
  }
  return found;
}

export function normaliseFields(attributes: Attribute[], given: Document): Document {
  const found: Document = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = findAttribute(attributes, name);
    if (!attribute || attribute.readOnly) continue;
    if (attribute.name in found) throw badRequest('invalidSyntax', `"${attribute.name}" is given twice.`);
    const kept = normaliseValue(attribute, value);
    if (kept !== undefined) found[attribute.name] = kept;
  }
  return found;
}

/** Undefined when there is nothing to keep: null, an empty list and an object without parts all mean "unassigned". */
export function normaliseValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return normaliseSingle(attribute, value);
  const values = Array.isArray(value) ? value : [value];
  const most = attribute.name === 'members' ? maxMembers : maxValues;
  if (values.length > most) throw badRequest('tooMany', `"${attribute.name}" can hold ${most} values.`);
  const kept = values.map((one) => normaliseSingle(attribute, one)).filter((one) => one !== undefined);
  refuseTwoPrimaries(attribute, kept as Document[]);
  return kept.length > 0 ? kept : undefined;
}

export function normaliseSingle(attribute: Attribute, value: unknown): unknown {
  switch (attribute.type) {
    case 'complex': {
      const fields = normaliseFields(attribute.subAttributes ?? [], partsOf(attribute, value));
      return Object.keys(fields).length > 0 ? fields : undefined;
    }
    case 'boolean':
      return readBoolean(attribute, value);
    default:
      return readText(attribute, value);
  }
}

/** Many clients write a value alone where only its "value" matters. */
function partsOf(attribute: Attribute, value: unknown): Document {
  const hasValue = attribute.subAttributes?.some(({ name }) => name === 'value');
  return typeof value === 'string' && hasValue ? { value } : objectOf(value, `"${attribute.name}"`);
}

/** Some directories write booleans as text. */
function readBoolean(attribute: Attribute, value: unknown): boolean {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 'true') return true;
  if (word === false || word === 'false') return false;
  throw badRequest('invalidValue', `"${attribute.name}" must be true or false.`);
}

function readText(attribute: Attribute, value: unknown): string {
  if (typeof value !== 'string') throw badRequest('invalidValue', `"${attribute.name}" must be text.`);
  if (value.length > maxTextLength)
    throw badRequest('invalidValue', `"${attribute.name}" can hold ${maxTextLength} characters.`);
  return value;
}

function refuseTwoPrimaries(attribute: Attribute, values: Document[]): void {
  if (values.filter(({ primary }) => primary === true).length > 1)
    throw badRequest('invalidValue', `Only one of "${attribute.name}" can be primary.`);
}

export function objectOf(value: unknown, what: string): Document {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Document;
  throw badRequest('invalidSyntax', `${what} must be an object.`);
}
