// Where the attributes of a user stand in the database, for filters and sorting. `u` is the row of the person.
import { type Sql, sql } from '../../../platform/db/query.ts';
import { type Attribute, userKind } from '../protocol/attributes.ts';
import type { Scalar, Several, Source } from '../protocol/filter-sql.ts';
import type { Resolved } from '../protocol/resolve.ts';

const scalar = (value: Sql, attribute: Attribute): Scalar => ({
  type: attribute.type === 'boolean' || attribute.type === 'dateTime' ? attribute.type : 'string',
  value,
  caseExact: attribute.caseExact ?? false,
});

// Names come from the table of attributes, so that they may stand in the text; an index on an expression needs that.
const key = (name: string) => sql.lit(name);
const record = sql`u.directory_attributes`;
const heldIn = ({ uri }: Resolved): Sql => (uri === null ? record : sql`(${record} -> ${key(uri)})`);

const columns: Record<string, Sql> = {
  id: sql`u.sid`,
  externalId: sql`u.external_id`,
  active: sql`(u.status <> 'DEACTIVATED')`,
  'meta.created': sql`u.created_at`,
  'meta.lastModified': sql`u.updated_at`,
  'meta.resourceType': sql`'User'`,
};

export const userSource: Source = {
  kind: userKind,
  scalar(resolved) {
    const { attribute, sub, uri } = resolved;
    const name = sub ? `${attribute.name}.${sub.name}` : attribute.name;
    const column = uri === null ? columns[name] : undefined;
    if (column) return scalar(column, sub ?? attribute);
    if (attribute.name === 'meta' || (attribute.type === 'complex' && !sub)) return null;
    return sub
      ? scalar(sql`(${heldIn(resolved)} -> ${key(attribute.name)} ->> ${key(sub.name)})`, sub)
      : scalar(sql`(${heldIn(resolved)} ->> ${key(attribute.name)})`, attribute);
  },
  several: (resolved) => (resolved.attribute.name === 'groups' ? groups : valuesOf(resolved)),
};

function valuesOf(resolved: Resolved): Several {
  const { attribute, sub } = resolved;
  const values = sql`jsonb_array_elements(coalesce(${heldIn(resolved)} -> ${key(attribute.name)}, '[]'))`;
  const part = (one: Attribute): Scalar =>
    one.type === 'boolean'
      ? scalar(sql`(e.value ->> ${key(one.name)})::boolean`, one)
      : scalar(sql`(e.value ->> ${key(one.name)})`, one);
  const shown =
    sub ?? attribute.subAttributes!.find(({ name }) => name === 'value') ?? attribute.subAttributes![0]!;
  return {
    some: (condition) => sql`exists (select from ${values} e where ${condition(part)})`,
    first: {
      ...part(shown),
      value: sql`(select ${part(shown).value} from ${values} e
        order by coalesce((e.value ->> 'primary')::boolean, false) desc limit 1)`,
    },
  };
}

const groupColumns: Record<string, Sql> = {
  value: sql`g.id::text`,
  display: sql`g.display_name`,
  type: sql`'direct'`,
  $ref: sql`null::text`,
};
const memberships = sql`directory_group_members m join directory_groups g on g.id = m.group_id`;

const groups: Several = {
  some: (condition) =>
    sql`exists (select from ${memberships} where m.user_sid = u.sid
      and ${condition((part) => scalar(groupColumns[part.name]!, part))})`,
  first: {
    type: 'string',
    caseExact: false,
    value: sql`(select min(g.display_name) from ${memberships} where m.user_sid = u.sid)`,
  },
};
