// Where the attributes of a group stand in the database, for filters and sorting. `g` is the row of directory_groups.
import { type Sql, sql } from '../../../platform/db/query.ts';
import { people } from '../../identity/index.ts';
import { type Attribute, groupKind } from '../protocol/attributes.ts';
import type { Scalar, Several, Source } from '../protocol/filter-sql.ts';

const columns: Record<string, Sql> = {
  id: sql`g.id::text`,
  externalId: sql`g.external_id`,
  displayName: sql`g.display_name`,
  'meta.created': sql`g.created_at`,
  'meta.lastModified': sql`g.updated_at`,
  'meta.resourceType': sql`'Group'`,
};

const scalar = (value: Sql, attribute: Attribute): Scalar => ({
  type: attribute.type === 'dateTime' ? 'dateTime' : 'string',
  value,
  caseExact: attribute.caseExact ?? false,
});

const memberColumns: Record<string, Sql> = {
  value: sql`m.user_sid`,
  display: sql`coalesce(u.display_name, u.email)`,
  type: sql`'User'`,
  $ref: sql`null::text`,
};
const memberships = sql`directory_group_members m join ${people} u on u.sid = m.user_sid`;

const members: Several = {
  some: (condition) =>
    sql`exists (select from ${memberships} where m.group_id = g.id
      and ${condition((part) => scalar(memberColumns[part.name]!, part))})`,
  first: {
    type: 'string',
    caseExact: true,
    value: sql`(select min(m.user_sid) from directory_group_members m where m.group_id = g.id)`,
  },
};

export const groupSource: Source = {
  kind: groupKind,
  scalar({ attribute, sub }) {
    const column = columns[sub ? `${attribute.name}.${sub.name}` : attribute.name];
    return column ? scalar(column, sub ?? attribute) : null;
  },
  several: () => members,
};
