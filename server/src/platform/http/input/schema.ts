// The shapes every feature speaks in: closed objects, SIDs, instants, lists, money.
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { type SidPrefix, sidPattern } from '../../ids.ts';

/** An object that refuses unknown properties. */
export const Closed = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Sid = (prefix: SidPrefix) => Type.String({ pattern: sidPattern(prefix) });
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

export const Money = Closed({
  amountMinor: Type.String({ pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 31 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  scale: Type.Integer({ minimum: 0, maximum: 9 }),
});

export const ListOf = <S extends TSchema>(item: S) =>
  Closed({
    object: Word('list'),
    data: Type.Array(item),
    hasMore: Type.Boolean(),
    nextCursor: Nullable(Type.String()),
  });

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 2048 })),
};

/** The path of everything below an account. */
export const accountPath = { accountSid: Sid('AC') };

export const ErrorAnswer = Closed({
  error: Closed({
    code: Type.String(),
    type: Type.String(),
    message: Type.String(),
    retryable: Type.Boolean(),
    retryAfterSeconds: Nullable(Type.Integer()),
    docUrl: Type.String(),
    requestId: Type.Optional(Type.String()),
    providerCode: Type.Optional(Type.Integer()),
    details: Type.Optional(Type.Array(Closed({ path: Type.String(), issue: Type.String() }))),
  }),
});
