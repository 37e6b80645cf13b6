// What is known of a contact beside its identifiers and attributes: one declaration a field. Bodies, answers, events,
// statements, search, files and the filters of segments follow from it.
import { type TSchema, Type } from 'typebox';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { ErrorDetail } from '../../platform/errors/errors.ts';
import { Text } from '../../platform/http/input/schema.ts';

type Field = {
  column: string;
  maxLength: number;
  /** As examples and the samples of events show it. */
  sample: string;
  /** Where its length is not all there is to judge. */
  judge?: { accepts(value: string): boolean; says: string };
  /** Whether `q` finds contacts by it. */
  searched?: boolean;
  /** How segments ask for it. */
  filter: { name: string; schema: TSchema; holds(column: Sql, wanted: never): Sql };
};

const oneOf = <Name extends string>(name: Name, maxLength: number) => ({
  name,
  schema: Type.Optional(Type.Array(Text(maxLength))),
  holds: (column: Sql, wanted: string[]) => sql`${column} = any (${wanted}::text[])`,
});

const contains = <Name extends string>(name: Name, maxLength: number) => ({
  name,
  schema: Type.Optional(Text(maxLength)),
  // An empty text is in everything, also where there is no value.
  holds: (column: Sql, wanted: string) =>
    wanted === '' ? sql`true` : sql`${column} ilike ${`%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`}`,
});

const fields = {
  displayName: {
    column: 'display_name',
    maxLength: 128,
    sample: 'Inès Martin',
    searched: true,
    filter: contains('displayNameContains', 128),
  },
  locale: {
    column: 'locale',
    maxLength: 16,
    sample: 'fr',
    judge: { accepts: isLocale, says: 'must be a language tag such as fr or en-GB' },
    filter: oneOf('localeIn', 35),
  },
  timezone: {
    column: 'timezone',
    maxLength: 64,
    sample: 'Europe/Paris',
    judge: { accepts: isTimeZone, says: 'must be a time zone such as Europe/Paris' },
    filter: oneOf('timezoneIn', 128),
  },
} satisfies Record<string, Field>;

type Fields = typeof fields;
export type FieldName = keyof Fields;
export type GivenFields = { [Name in FieldName]?: string | null | undefined };

const entries = Object.entries(fields) as [FieldName, Field][];

export const fieldNames = entries.map(([name]) => name);
export const searchedNames = fieldNames.filter((name) => (fields[name] as Field).searched);

/** Something for every field, by its name. */
export const forEachField = <T>(make: (name: FieldName, field: Field) => T) =>
  Object.fromEntries(entries.map(([name, field]) => [name, make(name, field)])) as Record<FieldName, T>;

export const fieldSamples = forEachField((_, { sample }) => sample);

/** A list over all fields, for a statement. */
export const fieldList = (write: (column: Sql, name: FieldName) => Sql): Sql =>
  sql.join(entries.map(([name, { column }]) => write(sql.id(column), name)));

export function judgeFields(given: GivenFields): ErrorDetail[] {
  return entries.flatMap(([name, { judge }]) => {
    const value = given[name];
    return judge && value && !judge.accepts(value) ? [{ path: name, issue: judge.says }] : [];
  });
}

type FilterSchemas = {
  [Name in FieldName as Fields[Name]['filter']['name']]: Fields[Name]['filter']['schema'];
};

/** The filters of segments that ask for these fields, by their names. */
export const fieldFilters = Object.fromEntries(
  entries.map(([, { filter }]) => [filter.name, filter.schema]),
) as FilterSchemas;

/** The conditions of such filters; others are left to whoever knows them. `c` is the contact. */
export function fieldsHold(filters: Record<string, unknown>): Sql[] {
  return entries.flatMap(([, { column, filter }]) => {
    const wanted = filters[filter.name];
    return wanted === undefined ? [] : [filter.holds(sql`c.${sql.id(column)}`, wanted as never)];
  });
}

// Language tags come with a hyphen in standards and with an underscore from providers; both are known.
function isLocale(tag: string): boolean {
  return accepts(() => Intl.getCanonicalLocales(tag.replaceAll('_', '-')));
}

// Asking costs as much as storing a contact does, and a business knows few time zones.
const knownTimeZones = new Set<string>();

export function isTimeZone(name: string): boolean {
  if (knownTimeZones.has(name)) return true;
  const exists = accepts(() => new Intl.DateTimeFormat('en', { timeZone: name }));
  if (exists && knownTimeZones.size < 1_000) knownTimeZones.add(name);
  return exists;
}

function accepts(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
