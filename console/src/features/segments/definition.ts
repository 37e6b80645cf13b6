// What makes somebody a member: read from a form, written into one, and told as pairs of a name and a value.
import type { PreviewSegmentRequest, Segment, SegmentFilters } from '@godwit/sdk';
import { attributeLines, attributesIn } from './attributes.ts';

const namesAndValues = (filters: object, prefix = ''): [string, string][] =>
  Object.entries(filters).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? namesAndValues(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, typeof value === 'string' ? value : JSON.stringify(value)]],
  );

/** Every filter by its path in the definition; none where everybody belongs. */
export const definitionOf = ({ filters, contactSids }: Segment): [string, string][] => [
  ...(contactSids ? [['contactSids', String(contactSids.length)] as [string, string]] : []),
  ...namesAndValues(filters ?? {}),
];

/** What the fields of the form say of filters; those of filters that are not there are empty. */
export const fieldsOf = (filters: SegmentFilters) => ({
  'name-contains': filters.displayNameContains ?? '',
  locales: filters.localeIn?.join(' ') ?? '',
  timezones: filters.timezoneIn?.join(' ') ?? '',
  purpose: textOf(filters.consent?.purpose),
  status: textOf(filters.consent?.status),
  suppressed: textOf(filters.suppressed),
  since: filters.createdAfter?.slice(0, 'YYYY-MM-DD'.length) ?? '',
  attributes: attributeLines(filters.attributes ?? {}),
});
type FieldName = keyof ReturnType<typeof fieldsOf>;

const textOf = (value: unknown) => (value === undefined ? '' : String(value));

const listed = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/**
 * What the fields of the form mean; those left empty ask for nothing. What nobody touched stays as it was, whether or not its field
 * can say all of it.
 */
export function definitionIn(form: FormData, before: SegmentFilters = {}): PreviewSegmentRequest {
  const shown = fieldsOf(before);
  const given = (name: FieldName) => String(form.get(name) ?? '').replaceAll('\r\n', '\n');
  const text = (name: FieldName) => given(name).trim();
  const filter = <Name extends keyof SegmentFilters>(
    name: Name,
    fields: FieldName[],
    read: () => SegmentFilters[Name],
  ) => {
    const isUntouched = fields.every((field) => given(field) === shown[field]);
    const value = isUntouched ? before[name] : fields.some((field) => !text(field)) ? undefined : read();
    return value === undefined ? {} : { [name]: value };
  };
  const filters: SegmentFilters = {
    ...filter('displayNameContains', ['name-contains'], () => text('name-contains')),
    ...filter('localeIn', ['locales'], () => listed(text('locales'))),
    ...filter('timezoneIn', ['timezones'], () => listed(text('timezones'))),
    ...filter('consent', ['purpose', 'status'], () => ({
      purpose: text('purpose'),
      status: text('status'),
    })),
    ...filter('suppressed', ['suppressed'], () => text('suppressed') === 'true'),
    ...filter('createdAfter', ['since'], () => `${text('since')}T00:00:00Z`),
    ...filter('attributes', ['attributes'], () => attributesIn(text('attributes')).attributes),
  };
  return { kind: 'DYNAMIC', ...(Object.keys(filters).length > 0 && { filters }) };
}

/** The first line of attributes that says nothing sensible; null where all do. */
export const unreadableIn = (form: FormData): string | null =>
  attributesIn(String(form.get('attributes') ?? '')).unreadable;
