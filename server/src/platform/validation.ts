// Judges input by schema: nothing is coerced or dropped, and every invalid field is named.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import type { ErrorDetail } from './errors.ts';

export type Judge = (value: unknown) => ErrorDetail[];

// An answer with thousands of lines helps nobody; a hostile body must not choose its size.
const maxDetails = 100;

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictTuples: false,
  discriminator: true,
  formats: { 'date-time': isInstant, uuid: isUuid, uri: isUri },
  keywords: ['x-free-form'],
});

export function judgeBy(schema: TSchema): Judge {
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : explain(validate.errors!));
}

function explain(errors: ErrorObject[]): ErrorDetail[] {
  const seen = new Map<string, ErrorDetail>();
  for (const error of errors) {
    const detail = { path: pathOf(error), issue: issueOf(error) };
    const key = `${detail.path}\n${detail.issue}`;
    if (seen.size >= maxDetails) break;
    if (!seen.has(key)) seen.set(key, detail);
  }
  return [...seen.values()];
}

/** `/contacts/2/phones/0/value` is written `contacts[2].phones[0].value`. */
function pathOf(error: ErrorObject): string {
  const names = error.instancePath.split('/').slice(1).map(unescapePointer);
  if (error.keyword === 'required') names.push(error.params.missingProperty);
  if (error.keyword === 'additionalProperties') names.push(error.params.additionalProperty);
  if (error.keyword === 'discriminator') names.push(error.params.tag);
  return names.reduce((path, name) => {
    if (/^\d+$/.test(name)) return `${path}[${name}]`;
    return path ? `${path}.${name}` : name;
  }, '');
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

const issues: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known property',
  type: ({ type }) => `must be ${Array.isArray(type) ? type.join(' or ') : type}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  minLength: ({ limit }) => `must be at least ${limit} character${limit === 1 ? '' : 's'}`,
  maxLength: ({ limit }) => `must be at most ${limit} characters`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must have at least ${limit} item${limit === 1 ? '' : 's'}`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  minProperties: ({ limit }) => `must have at least ${limit} propert${limit === 1 ? 'y' : 'ies'}`,
  maxProperties: ({ limit }) => `must have at most ${limit} properties`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  format: ({ format }) => formatIssues[format as string] ?? `must be a ${format}`,
  uniqueItems: () => 'must not repeat an item',
  discriminator: () => 'selects no known variant',
};

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

/** RFC 3339, and a moment that exists: not 30 February, not 24:00, years 1900 to 9999. */
export function isInstant(text: string): boolean {
  const parts = instantForm.exec(text);
  if (!parts) return false;
  const [year, month, day, hour, minute, second, offsetHour = 0, offsetMinute = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part))) as [number, number, number, ...number[]];
  if (year < 1900 || month < 1 || month > 12 || day < 1) return false;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day <= lastDay && hour! < 24 && minute! < 60 && second! < 60 && offsetHour < 24 && offsetMinute < 60;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}
