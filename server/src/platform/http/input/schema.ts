// The shapes every feature speaks in: closed objects, SIDs, instants, lists, money.
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { type SidPrefix, sidPattern, sidTypes } from '../../ids.ts';

/** An object that refuses unknown properties. */
export const Closed = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/**
 * The same, with the name it has among the components of the OpenAPI document: what generators call its type. Bodies,
 * answers, items of lists and whatever several of them share have one; no two different schemas have the same.
 */
export const NamedObject = <P extends TProperties>(name: string, properties: P, options: object = {}) =>
  Closed(properties, { title: name, ...options });

/** Any other schema with a name. */
export function named<S extends TSchema>(name: string, schema: S): S {
  const title = { value: name, enumerable: true };
  // TypeBox keeps what it knows of a schema in hidden properties, which a spread would lose.
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), title }) as S;
}

export const nameOf = (schema: TSchema): string | undefined => (schema as { title?: string }).title;

/**
 * One realistic value of a named schema: the example of every operation that answers with it, of lists and of events.
 * Stands beside the schema, and is checked against it.
 */
export function sample<S extends TSchema>(schema: S, value: Static<S>): Static<S> {
  Object.assign(schema, { examples: [value] });
  return value;
}

export const Sid = (prefix: SidPrefix) =>
  Type.String({ title: `${sidTypes[prefix]}Sid`, pattern: sidPattern(prefix) });
export const Uuid = Type.String({ format: 'uuid' });
export const DateTime = Type.String({ format: 'date-time' });
export const Text = (maxLength: number, minLength = 0) =>
  Type.String(minLength ? { minLength, maxLength } : { maxLength });

/** Conditions the feature judges itself, beyond what the contract writes down: told to whoever reads the OpenAPI document. */
export const saying = (...conditions: object[]) => ({ 'x-conditions': conditions });

export const notBlank = saying({ not: { pattern: '^\\s*$' } });
export const notEmpty = saying({ contains: {} });

/** Text that says something. */
export const Words = (maxLength: number, minLength = 0) =>
  Type.String({ ...(minLength && { minLength }), maxLength, ...notBlank });

/**
 * A condition beyond what the contract writes down that is judged with all else that is wrong: text that matches is refused. The
 * OpenAPI document says so too.
 */
export const refusing = (pattern: string, issue: string) => ({ 'x-refused': { pattern, issue } });

/** Text that is not blank, judged where the rest of the input is. */
export const NotBlank = (maxLength: number) =>
  Type.String({ maxLength, ...refusing('^\\s*$', 'must not be blank') });

/** What the caller calls the thing that is to be done. It stands for that for ever, so it has to be a name. */
export const BusinessKey = NotBlank(255);

/** Whole minor units as text; more digits than any sum has are refused before anybody computes with them. */
export const MinorUnits = (pattern: string) =>
  Type.String({ pattern, ...refusing('^.{19}', 'must be at most 18 digits') });

/** A value or null, written as a type list so that a wrong value gives one error and not one per branch. */
export const Nullable = <S extends TSchema>(schema: S) => {
  const plain = schema as { type?: string; enum?: unknown[] };
  const widened = plain.enum
    ? { ...plain, enum: [...plain.enum, null], ...(plain.type && { type: [plain.type, 'null'] }) }
    : { ...plain, type: [plain.type, 'null'] };
  return Type.Unsafe<Static<S> | null>(widened);
};

/** One of the given words. */
export const Word = <const W extends string>(...words: W[]) =>
  Type.Unsafe<W>({ type: 'string', enum: [...words] });

export const Money = NamedObject('Money', {
  amountMinor: Type.String({ pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 31 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  scale: Type.Integer({ minimum: 0, maximum: 9 }),
});

/** Who did something: a key, a person, a directory, a run of a workflow or the service itself. */
export const PrincipalRef = NamedObject('PrincipalRef', {
  type: Word('api_key', 'user', 'directory', 'workflow', 'system'),
  ref: Type.String(),
});

/** A page of items, named after them. */
export const ListOf = <S extends TSchema>(item: S) =>
  Closed(
    {
      object: Word('list'),
      data: Type.Array(item),
      hasMore: Type.Boolean(),
      nextCursor: Nullable(Type.String()),
    },
    nameOf(item) === undefined ? {} : { title: `${nameOf(item)}List` },
  );

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 2048 })),
};

/** The path of everything below an account. */
export const accountPath = { accountSid: Sid('AC') };

/** What is wrong at one place of the input. */
export const ErrorDetail = NamedObject('ErrorDetail', { path: Type.String(), issue: Type.String() });

export const ErrorAnswer = NamedObject('ErrorBody', {
  error: Closed({
    code: Type.String(),
    type: Type.String(),
    message: Type.String(),
    retryable: Type.Boolean(),
    retryAfterSeconds: Nullable(Type.Integer()),
    docUrl: Type.String(),
    requestId: Type.Optional(Type.String()),
    providerCode: Type.Optional(Type.Integer()),
    details: Type.Optional(Type.Array(ErrorDetail)),
  }),
});
