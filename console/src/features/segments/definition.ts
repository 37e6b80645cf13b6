// What makes somebody a member: read from a form, and told as pairs of a name and a value.
import type { PreviewSegmentRequest, Segment, SegmentFilters } from '@godwit/sdk';

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

/** What the fields of the form mean; those left empty ask for nothing. */
export function definitionIn(form: FormData): PreviewSegmentRequest {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const attributes = attributesIn(text('attributes'));
  const filters: SegmentFilters = {
    ...(text('name-contains') && { displayNameContains: text('name-contains') }),
    ...(text('locales') && {
      localeIn: text('locales')
        .split(/[\s,]+/)
        .filter(Boolean),
    }),
    ...(text('status') && { consent: { purpose: text('purpose'), status: text('status') } }),
    ...(text('suppressed') && { suppressed: text('suppressed') === 'true' }),
    ...(text('since') && { createdAfter: `${text('since')}T00:00:00Z` }),
    ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
  };
  return { kind: 'DYNAMIC', ...(Object.keys(filters).length > 0 && { filters }) };
}

/** `name=value`, one a line. What reads as a number, true or false is one. */
const attributesIn = (lines: string): [string, unknown][] =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name, ...rest] = line.split('=');
      const value = rest.join('=').trim();
      return [name!.trim(), /^(-?\d+(\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value];
    });
