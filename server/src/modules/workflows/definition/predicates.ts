// What conditions are made of: closed objects, each with the one word that says what kind of predicate it is.
import { type Static, Type } from 'typebox';
import { Closed, Sid, Word } from '../../../platform/http/input/schema.ts';
import { days } from '../../../platform/time/local-time.ts';
import { consentPurposes, consentStatuses } from '../../contacts/index.ts';

export type Plain = string | number | boolean | null;
/** A value that is looked up when it is needed. */
export type Ref = { path: string };

export type Comparison = {
  eq?: Plain | Ref;
  ne?: Plain | Ref;
  in?: Plain[] | Ref;
  gt?: number | string | Ref;
  gte?: number | string | Ref;
  lt?: number | string | Ref;
  lte?: number | string | Ref;
  exists?: boolean;
  contains?: Plain | Ref;
  startsWith?: string | Ref;
  words?: string[] | Ref;
};
export type PathTest = { path: string } & Comparison;

export const Days = Type.Array(Word(...days), { minItems: 1, maxItems: 7, uniqueItems: true });
export const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });
/** `contact`, or a zone such as Europe/Paris. */
export const Zone = Type.String({ minLength: 1, maxLength: 64 });

export const Hours = Closed({
  timezone: Zone,
  days: Type.Optional(Days),
  from: TimeOfDay,
  /** The first minute that is outside; earlier than `from` where the hours pass midnight. */
  to: Type.String({ pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' }),
});
export type Hours = Static<typeof Hours>;

const ConsentTest = Closed({ purpose: Word(...consentPurposes), status: Word(...consentStatuses) });

/** The predicates that compare no path, by the word that tells them apart. */
export const factTests = {
  segmentSid: Closed({ segmentSid: Sid('SG') }),
  consent: Closed({ consent: ConsentTest }),
  suppressed: Closed({ suppressed: Type.Boolean() }),
  window: Closed({ window: Word('open', 'closed') }),
  hours: Closed({ hours: Hours }),
};
type FactTest = { [K in keyof typeof factTests]: Static<(typeof factTests)[K]> }[keyof typeof factTests];

export type Predicate =
  | PathTest
  | { all: Predicate[] }
  | { any: Predicate[] }
  | { not: Predicate }
  | FactTest;

export const predicateWords = ['path', 'all', 'any', 'not', ...Object.keys(factTests)];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Anything of the form `{ path }`; whether the path is one is judged elsewhere. */
export const isRef = (value: unknown): value is Ref =>
  isObject(value) && Object.keys(value).length === 1 && typeof value.path === 'string';
