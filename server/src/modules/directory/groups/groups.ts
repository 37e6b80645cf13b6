// The groups of a directory. Who belongs to one holds the role its name maps to.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, type Sql, sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { type DirectoryProvider, lockDirectoryUsers, people } from '../../identity/index.ts';
import { groupKind } from '../protocol/attributes.ts';
import { type ListQuery, maxResults } from '../protocol/list-query.ts';
import type { Document } from '../protocol/normalise.ts';
import { type Projection, shows } from '../protocol/projection.ts';
import { type Resource, toResource } from '../protocol/resource.ts';
import type { ScimCall } from '../protocol/scim-call.ts';
import { badRequest, notFound } from '../protocol/scim-error.ts';
import { alignRoles } from './bindings.ts';

type Row = {
  id: string;
  externalId: string | null;
  displayName: string;
  createdAt: string;
  updatedAt: string;
};
type Member = { groupId: string; userSid: string; display: string };

const columns = sql`g.id, g.external_id as "externalId", g.display_name as "displayName",
  g.created_at as "createdAt", g.updated_at as "updatedAt"`;

const ofDirectory = ({ organizationId, id }: DirectoryProvider) =>
  sql`g.organization_id = ${organizationId} and g.provider_id = ${id}`;

/** The groups of the directory, in a query. */
export const groupRows = ({ provider }: ScimCall): Sql =>
  sql`directory_groups g where ${ofDirectory(provider)}`;
export const groupsAmong = (ids: string[]): Sql => sql`g.id = any (${ids}::uuid[])`;

// Groups with all their members are large: a page of them is smaller than one of people.
const mostWithMembers = 20;
const withMembers = (projection: Projection) => shows(projection, 'members');
export const mostGroups = (projection: Projection): number =>
  withMembers(projection) ? mostWithMembers : maxResults;

function membersOf(t: TenantTx, groupIds: string[]): Promise<Member[]> {
  return t.many<Member>(sql`
    select m.group_id as "groupId", m.user_sid as "userSid", coalesce(u.display_name, u.email) as display
      from directory_group_members m join ${people} u on u.sid = m.user_sid
     where m.group_id = any (${groupIds}::uuid[]) order by m.user_sid`);
}

function toGroup({ baseUrl }: ScimCall, row: Row, members: Member[]): Resource {
  const shown = members.map(({ userSid, display }) => ({
    value: userSid,
    $ref: `${baseUrl}/Users/${userSid}`,
    display,
    type: 'User',
  }));
  const document = { displayName: row.displayName, ...(shown.length > 0 && { members: shown }) };
  return toResource(groupKind, baseUrl, { ...row, document });
}

async function toGroups(t: TenantTx, call: ScimCall, rows: Row[], withMembers: boolean): Promise<Resource[]> {
  const members = withMembers
    ? await membersOf(
        t,
        rows.map(({ id }) => id),
      )
    : [];
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return rows.map((row) => toGroup(call, row, byGroup.get(row.id) ?? []));
}

export async function listGroups(t: TenantTx, call: ScimCall, query: ListQuery) {
  const { condition, order, startIndex, projection } = query;
  const count = Math.min(query.count, mostGroups(projection));
  const found = sql`${groupRows(call)} and ${condition}`;
  const { total } = await t.one<{ total: number }>(
    passingQuery(sql`select count(*)::int as total from ${found}`),
  );
  const rows = await t.many<Row>(
    passingQuery(sql`
      select ${columns} from ${found} order by ${order}
       limit ${count} offset ${startIndex - 1}`),
  );
  return { total, resources: await toGroups(t, call, rows, withMembers(projection)) };
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function findRow(t: TenantTx, { provider }: ScimCall, id: string, hold = false): Promise<Row> {
  if (!uuidForm.test(id)) throw notFound();
  const row = await t.maybe<Row>(sql`
    select ${columns} from directory_groups g where ${ofDirectory(provider)} and g.id = ${id}
    ${hold ? sql`for update` : sql``}`);
  if (!row) throw notFound();
  return row;
}

export async function getGroup(t: TenantTx, call: ScimCall, id: string): Promise<Resource> {
  const [group] = await toGroups(t, call, [await findRow(t, call, id)], true);
  return group!;
}

type GroupRecord = { displayName: string; externalId: string | null; members: string[] };

function toRecord(document: Document): GroupRecord {
  const { displayName, externalId = null, members = [] } = document;
  if (typeof displayName !== 'string' || displayName.trim() === '')
    throw badRequest('invalidValue', '"displayName" is required.');
  if (displayName.length > 256) throw badRequest('invalidValue', '"displayName" can hold 256 characters.');
  const people = (members as { value?: string; type?: string }[]).map(({ value, type = 'User' }) => {
    if (value === undefined) throw badRequest('invalidValue', 'A member needs a "value".');
    if (type.toLowerCase() !== 'user') throw badRequest('invalidValue', 'Only users can be members.');
    return value;
  });
  return { displayName, externalId: externalId as string | null, members: [...new Set(people)] };
}

export async function createGroup(t: TenantTx, call: ScimCall, document: Document): Promise<Resource> {
  const { provider } = call;
  const record = toRecord(document);
  const id = newUuid(t.now);
  await t.run(sql`
    insert into directory_groups (id, organization_id, provider_id, display_name, external_id, created_at, updated_at)
    values (${id}, ${provider.organizationId}, ${provider.id}, ${record.displayName}, ${record.externalId}, ${t.now},
      ${t.now})`);
  await addMembers(t, provider, id, record.members);
  await alignRoles(t, provider, record.members);
  audit(t, { action: 'directory.group_created', resource: id, facts: { members: record.members.length } });
  return getGroup(t, call, id);
}

async function addMembers(
  t: TenantTx,
  provider: DirectoryProvider,
  groupId: string,
  userSids: string[],
): Promise<void> {
  if (userSids.length === 0) return;
  const known = await lockDirectoryUsers(t, provider, userSids);
  if (known.length < userSids.length)
    throw badRequest('invalidValue', 'A member is not a user of this directory.');
  await t.run(sql`
    insert into directory_group_members (group_id, user_sid, organization_id)
    select ${groupId}::uuid, sid, ${provider.organizationId}::uuid from unnest(${known}::text[]) as sid
    on conflict do nothing`);
}

type Change = (current: Resource, document: Document) => Document;

export async function changeGroup(
  t: TenantTx,
  call: ScimCall,
  id: string,
  change: Change,
): Promise<Resource> {
  const { provider } = call;
  const row = await findRow(t, call, id, true);
  const held = await membersOf(t, [id]);
  const before = held.map(({ userSid }) => userSid);
  const members = before.map((value) => ({ value, type: 'User' }));
  const { displayName, externalId } = row;
  const document = {
    displayName,
    ...(externalId !== null && { externalId }),
    ...(members.length > 0 && { members }),
  };
  const record = toRecord(change(toGroup(call, row, held), document));
  await t.run(sql`
    update directory_groups set display_name = ${record.displayName}, external_id = ${record.externalId},
      version = version + 1, updated_at = ${t.now}
     where id = ${id}`);
  const after = new Set(record.members);
  const known = new Set(before);
  const gone = before.filter((sid) => !after.has(sid));
  const come = record.members.filter((sid) => !known.has(sid));
  await addMembers(t, provider, id, come);
  await t.run(sql`delete from directory_group_members where group_id = ${id} and user_sid = any (${gone})`);
  // Another name may map to another role, for everybody in it.
  const renamed = record.displayName.toLowerCase() !== displayName.toLowerCase();
  await alignRoles(t, provider, renamed ? [...gone, ...record.members] : [...gone, ...come]);
  audit(t, {
    action: 'directory.group_changed',
    resource: id,
    facts: { added: come.length, removed: gone.length, renamed },
  });
  return getGroup(t, call, id);
}

export async function deleteGroup(
  t: TenantTx,
  call: ScimCall,
  id: string,
  check: (current: Resource) => void,
) {
  const row = await findRow(t, call, id, true);
  const members = await membersOf(t, [id]);
  check(toGroup(call, row, members));
  await t.run(sql`delete from directory_groups where id = ${id}`);
  await alignRoles(
    t,
    call.provider,
    members.map(({ userSid }) => userSid),
  );
  audit(t, { action: 'directory.group_deleted', resource: id, facts: { members: members.length } });
}
