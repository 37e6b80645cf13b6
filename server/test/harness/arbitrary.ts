// Values made from a schema: good ones, and good ones gone wrong in one place or everywhere.
import fc from 'fast-check';
import type { TSchema } from 'typebox';

type Json = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Json[];
  oneOf?: Json[];
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: boolean | Json;
  patternProperties?: Record<string, Json>;
  items?: Json;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
};

/** A value the schema accepts. Long strings and lists are kept short: length has tests of its own. */
export function validFor(schema: TSchema): fc.Arbitrary<unknown> {
  return valid(schema as Json);
}

function valid(schema: Json): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return fc.oneof(...variants.map(valid));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => valid({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return list(schema);
    case 'object':
      return object(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const texts = new Map<string, fc.Arbitrary<string>>();

/** The same for fields of one kind: making one takes longer than taking a value from it. */
function text({ pattern, format, minLength, maxLength }: Json): fc.Arbitrary<string> {
  const kind = JSON.stringify([pattern, format, minLength, maxLength]);
  const known = texts.get(kind) ?? newText({ pattern, format, minLength, maxLength });
  texts.set(kind, known);
  return known;
}

function newText(schema: Json): fc.Arbitrary<string> {
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern, 'u'), { size: 'small' });
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'uri') return fc.webUrl();
  if (schema.format === 'date-time') {
    const range = { min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true };
    return fc.date(range).map((date) => date.toISOString());
  }
  const minLength = schema.minLength ?? 0;
  return fc.string({
    unit: 'grapheme-ascii',
    minLength,
    maxLength: Math.min(schema.maxLength ?? 20, minLength + 20),
  });
}

function list(schema: Json): fc.Arbitrary<unknown> {
  const minLength = schema.minItems ?? 0;
  const lengths = { minLength, maxLength: Math.min(schema.maxItems ?? 3, minLength + 3) };
  const item = valid(schema.items ?? {});
  return schema.uniqueItems
    ? fc.uniqueArray(item, { ...lengths, comparator: 'SameValue' })
    : fc.array(item, lengths);
}

function object(schema: Json): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, value]) => [name, valid(value)]);
  const known = fc.record<Record<string, unknown>>(Object.fromEntries(properties), {
    requiredKeys: schema.required ?? [],
  });
  const further = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0];
  if (further === false || schema.properties) return known;
  const value = typeof further === 'object' ? valid(further) : fc.jsonValue({ maxDepth: 2 });
  return fc.dictionary(fc.stringMatching(/^[a-z]{1,10}$/), value, {
    maxKeys: Math.min(schema.maxProperties ?? 3, 3),
  });
}

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom(
    'x'.repeat(5_000),
    '٣',
    'é'.repeat(300),
    "'; drop table accounts; --",
    '../../etc/passwd',
    '#{7*7}',
  ),
  fc.constantFrom<unknown>({ __proto__: { admin: true } }, JSON.parse('{"__proto__":{"admin":true}}')),
  fc.constantFrom<unknown>({ constructor: { prototype: {} } }, { $gt: '' }, { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A value gone wrong: a field replaced, removed or added at a random place, or not the thing at all. */
export function spoiledFor(schema: TSchema): fc.Arbitrary<unknown> {
  const spoiled = fc
    .tuple(
      valid(schema as Json),
      fc.infiniteStream(fc.nat()),
      junk,
      fc.constantFrom('replace', 'remove', 'add'),
    )
    .map(([value, choices, bad, how]) => spoil(structuredClone(value), choices, bad, how));
  return fc.oneof({ weight: 4, arbitrary: spoiled }, { weight: 1, arbitrary: junk });
}

function spoil(value: unknown, choices: Iterator<number>, bad: unknown, how: string): unknown {
  if (typeof value !== 'object' || value === null) return bad;
  const target = value as Record<string, unknown>;
  const keys = Object.keys(target);
  if (how === 'add' || keys.length === 0) {
    target[Array.isArray(value) ? keys.length : `unknown${keys.length}`] = bad;
    return value;
  }
  const key = keys[choices.next().value % keys.length]!;
  const deeper = typeof target[key] === 'object' && target[key] !== null && choices.next().value % 2 === 0;
  if (deeper) target[key] = spoil(target[key], choices, bad, how);
  else if (how === 'remove') delete target[key];
  else target[key] = bad;
  return value;
}
