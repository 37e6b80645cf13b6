// Turns a segment's filters into conditions of one SQL statement. Filters combine with AND. Whatever cannot be a
// condition is refused at its path before anything is asked.
import { type Sql, sql } from '../../platform/db/query.ts';
import { type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { Closed, Word } from '../../platform/http/input/schema.ts';
import { judgeBy } from '../../platform/http/input/validation.ts';
import { type ConsentFilter, isSuppressed, matchConsent } from '../consent/index.ts';
import {
  type AttributeTest,
  type Audience,
  attributeHolds,
  consentPurposes,
  consentStatuses,
  createdAfter,
  fieldFilters,
  fieldsHold,
  isOneOf,
} from '../contacts/index.ts';
import type { SegmentDefinition, SegmentFilters } from './schema.ts';

export type Compiled = Audience & {
  /** The consent record a member matched by, where the filter asks for consent. */
  consentSid: Sql;
};

// A statement with more conditions than this is a program, not a filter.
const maxAttributes = 50;
const maxListed = 1_000;

const fieldFilterNames = Object.keys(fieldFilters) as (keyof typeof fieldFilters)[];

const judgeConsent = judgeBy(Closed({ purpose: Word(...consentPurposes), status: Word(...consentStatuses) }));

export function compileDefinition({ contactSids, filters = {} }: SegmentDefinition, now: Date): Compiled {
  const details: ErrorDetail[] = [];
  const tests = readAttributes(filters.attributes ?? {}, details);
  if (filters.consent) {
    details.push(
      ...judgeConsent(filters.consent).map(({ path, issue }) =>
        at(path ? `consent.${path}` : 'consent', issue),
      ),
    );
  }
  for (const name of fieldFilterNames) {
    const wanted = filters[name];
    if (Array.isArray(wanted) && wanted.length > maxListed)
      details.push(at(name, `must have at most ${maxListed} items`));
  }
  if (details.length > 0) throw invalid(...details);
  const consent = filters.consent && matchConsent(filters.consent as ConsentFilter, now);
  return {
    joins: consent ? [consent.join] : [],
    conditions: [
      ...(contactSids ? [isOneOf(contactSids)] : []),
      ...tests.map(attributeHolds),
      ...(consent ? [consent.condition] : []),
      ...plainConditions(filters, now),
    ],
    consentSid: consent?.consentSid ?? sql`null::text`,
  };
}

function plainConditions(filters: SegmentFilters, now: Date): Sql[] {
  const { createdAfter: instant, suppressed } = filters;
  return [
    ...(instant === undefined ? [] : [createdAfter(instant)]),
    ...fieldsHold(filters),
    ...(suppressed === undefined ? [] : [suppressed ? isSuppressed(now) : sql`not ${isSuppressed(now)}`]),
  ];
}

/** The names of the filters a member passed, as the segment states them. */
export function filterNames(filters: SegmentFilters | null, narrowed: boolean): string[] {
  const { attributes = {}, ...others } = filters ?? {};
  return [
    ...(narrowed ? ['contactSids'] : []),
    ...Object.keys(attributes).map((name) => `attributes.${name}`),
    ...Object.keys(others),
  ];
}

const at = (path: string, issue: string): ErrorDetail => ({ path: `filters.${path}`, issue });

function readAttributes(attributes: Record<string, unknown>, details: ErrorDetail[]): AttributeTest[] {
  const entries = Object.entries(attributes);
  if (entries.length > maxAttributes)
    details.push(at('attributes', `must name at most ${maxAttributes} attributes`));
  return entries.slice(0, maxAttributes).flatMap(([name, wanted]) => {
    if (!isObject(wanted)) return [{ name, test: 'eq', value: wanted } as const];
    const tests = Object.entries(wanted);
    if (tests.length === 0)
      details.push(at(`attributes.${name}`, `must hold one of ${Object.keys(operators).join(', ')}`));
    return tests.flatMap(([operator, value]) => readTest(name, operator, value, details));
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Operator = {
  accepts(value: unknown): boolean;
  says: string;
  make(name: string, value: never): AttributeTest;
};

export const isPlain = (value: unknown) =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isOrdered = (value: unknown) => typeof value === 'string' || typeof value === 'number';

const ordered = (test: 'gt' | 'gte' | 'lt' | 'lte'): Operator => ({
  accepts: isOrdered,
  says: 'must be a number or a string',
  make: (name, value) => ({ name, test, value }),
});

const plain = (test: 'eq' | 'ne' | 'contains'): Operator => ({
  accepts: isPlain,
  says: 'must be a string, a number, true, false or null',
  make: (name, value) => ({ name, test, value }),
});

/** How values are compared in filters of segments, by the name of the operator. */
export const operators = {
  eq: plain('eq'),
  ne: plain('ne'),
  contains: plain('contains'),
  in: {
    accepts: (value) => Array.isArray(value) && value.length <= maxListed && value.every(isPlain),
    says: `must be a list of at most ${maxListed} plain values`,
    make: (name, values) => ({ name, test: 'in', values }),
  },
  exists: {
    accepts: (value) => typeof value === 'boolean',
    says: 'must be true or false',
    make: (name, value) => ({ name, test: 'exists', value }),
  },
  gt: ordered('gt'),
  gte: ordered('gte'),
  lt: ordered('lt'),
  lte: ordered('lte'),
} satisfies Record<string, Operator>;

function readTest(name: string, operator: string, value: unknown, details: ErrorDetail[]): AttributeTest[] {
  const known = Object.hasOwn(operators, operator) ? operators[operator as keyof typeof operators] : null;
  const path = `attributes.${name}.${operator}`;
  if (!known) details.push(at(path, `is not one of ${Object.keys(operators).join(', ')}`));
  else if (!known.accepts(value)) details.push(at(path, known.says));
  else return [known.make(name, value as never)];
  return [];
}
