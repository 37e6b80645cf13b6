// Judges input by schema: nothing is coerced or dropped, and every invalid field is named.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { TSchema } from 'typebox';
import type { ErrorDetail } from '../../errors/errors.ts';

export type Judge = (value: unknown) => ErrorDetail[];

// An answer with thousands of lines helps nobody; a hostile body must not choose its size.
export const maxDetails = 100;
const maxPathLength = 256;

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictTuples: false,
  discriminator: true,
  formats: { 'date-time': isInstant, uuid: isUuid, uri: isUri },
  keywords: ['x-free-form', 'x-conditions', 'x-media-types'],
});

ajv.addKeyword({
  keyword: 'x-refused',
  type: 'string',
  schemaType: 'object',
  compile({ pattern, issue }: { pattern: string; issue: string }) {
    const refused = new RegExp(pattern, 'u');
    const judge: DataValidateFunction = (text: string) => {
      const fine = !refused.test(text);
      if (!fine) judge.errors = [{ keyword: 'x-refused', message: issue, params: {} }];
      return fine;
    };
    return judge;
  },
});

/** Compiled when it first judges: compiling every schema would take a good part of the start. */
export function judgeBy(schema: TSchema): Judge {
  let compiled: ValidateFunction | null = null;
  return (value) => {
    compiled ??= ajv.compile(schema);
    return compiled(value) ? [] : explain(compiled.errors!, value);
  };
}

function explain(errors: ErrorObject[], value: unknown): ErrorDetail[] {
  const chosen = new Set(
    errors.filter(({ keyword }) => keyword === 'enum' || keyword === 'const').map(placeOf),
  );
  const seen = new Map<string, ErrorDetail>();
  for (const error of errors) {
    // Whoever is told which words are allowed need not hear that words are text.
    if (error.keyword === 'type' && chosen.has(placeOf(error))) continue;
    const detail = { path: pathOf(error, value), issue: issueOf(error) };
    const key = `${detail.path}\n${detail.issue}`;
    if (seen.size >= maxDetails) break;
    if (!seen.has(key)) seen.set(key, detail);
  }
  return [...seen.values()];
}

/** Where in the value and where in the schema, without the keyword. */
const placeOf = ({ instancePath, schemaPath }: ErrorObject) =>
  `${instancePath}\n${schemaPath.slice(0, schemaPath.lastIndexOf('/'))}`;

/** `/contacts/2/phones/0/value` is written `contacts[2].phones[0].value`. */
function pathOf(error: ErrorObject, root: unknown): string {
  const names = error.instancePath.split('/').slice(1).map(unescapePointer);
  if (error.keyword === 'required') names.push(error.params.missingProperty);
  if (error.keyword === 'additionalProperties') names.push(error.params.additionalProperty);
  if (error.keyword === 'discriminator') names.push(error.params.tag);
  let path = '';
  let at = root;
  for (const name of names) {
    path += Array.isArray(at) ? `[${name}]` : path ? `.${name}` : name;
    at = (at as Record<string, unknown>)[name];
  }
  return path.length > maxPathLength ? `${path.slice(0, maxPathLength).toWellFormed()}…` : path;
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

const issues: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known property',
  type: ({ type }) => `must be ${Array.isArray(type) ? type.join(' or ') : type}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  minLength: ({ limit }) => `must be at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must be at most ${count(limit, 'character')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${count(limit, 'property', 'properties')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'property', 'properties')}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  format: ({ format }) => formatIssues[format as string] ?? `must be a ${format}`,
  uniqueItems: () => 'must not repeat an item',
  discriminator: ({ tagValue }) => (tagValue === undefined ? 'is required' : 'selects no known variant'),
};

const count = (limit: unknown, one: string, many = `${one}s`) => `${limit} ${limit === 1 ? one : many}`;

const formatIssues: Record<string, string> = {
  'date-time': 'must be an RFC 3339 date-time that exists, such as 2026-08-21T10:00:00.000Z',
  uuid: 'must be a UUID',
  uri: 'must be an absolute URI',
};

function issueOf(error: ErrorObject): string {
  const say = issues[error.keyword];
  return say ? say(error.params) : (error.message ?? 'is not valid');
}

const instantForm =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;

const firstMs = Date.UTC(1900, 0, 1);
const endMs = Date.UTC(10_000, 0, 1);

/**
 * RFC 3339, and a moment that exists: not 30 February, not 24:00, years 1900 to 9999 here and in UTC. No place is 16
 * hours from UTC, and PostgreSQL reads no such offset.
 */
export function isInstant(text: string): boolean {
  const parts = instantForm.exec(text);
  if (!parts) return false;
  const [year, month, day, hour, minute, second, offsetHour = 0, offsetMinute = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part))) as [number, number, number, ...number[]];
  if (year < 1900 || month < 1 || month > 12 || day < 1) return false;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day > lastDay || hour! > 23 || minute! > 59 || second! > 59) return false;
  // PostgreSQL rounds to microseconds, and the end of 9999 must not become the year 10000.
  const ms = Date.parse(text) + (/\.9{6}[5-9]/.test(text) ? 1 : 0);
  return offsetHour < 16 && offsetMinute < 60 && ms >= firstMs && ms < endMs;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}
