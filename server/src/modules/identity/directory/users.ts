// The people of a directory: made, described, deactivated and deleted by it, and by it alone.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, type Sql, sql } from '../../../platform/db/query.ts';
import { newSid } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { mayVouchFor } from '../providers/vouching.ts';
import { userKind } from './attributes.ts';
import { alignRoles } from './bindings.ts';
import { forgetUser, leaveDirectory } from './deprovision.ts';
import type { ListQuery } from './list-query.ts';
import type { Document } from './normalise.ts';
import { shows } from './projection.ts';
import { type Resource, toResource } from './resource.ts';
import type { DirectoryProvider, ScimCall } from './scim-call.ts';
import { notFound, ScimError } from './scim-error.ts';
import { toRecord, type UserRecord } from './user-record.ts';

type Row = {
  id: string;
  email: string;
  externalId: string | null;
  status: 'INVITED' | 'ACTIVE' | 'DEACTIVATED';
  attributes: Document;
  createdAt: string;
  updatedAt: string;
};

const columns = sql`u.sid as id, u.email, u.external_id as "externalId", u.status,
  u.directory_attributes as attributes, u.created_at as "createdAt", u.updated_at as "updatedAt"`;

const ofDirectory = ({ organizationId, id }: DirectoryProvider) =>
  sql`u.organization_id = ${organizationId} and u.directory_provider_id = ${id}`;

/** The people of the directory, in a query. */
export const userRows = ({ provider }: ScimCall): Sql => sql`users u where ${ofDirectory(provider)}`;
export const usersAmong = (ids: string[]): Sql => sql`u.sid = any (${ids}::text[])`;

const documentOf = ({ status, externalId, attributes }: Row): Document => ({
  ...(externalId !== null && { externalId }),
  ...attributes,
  active: status !== 'DEACTIVATED',
});

type Membership = { userSid: string; groupId: string; display: string };

async function toResources(
  t: TenantTx,
  { baseUrl }: ScimCall,
  rows: Row[],
  withGroups: boolean,
): Promise<Resource[]> {
  const memberships = withGroups
    ? await t.many<Membership>(sql`
        select m.user_sid as "userSid", g.id as "groupId", g.display_name as display
          from directory_group_members m join directory_groups g on g.id = m.group_id
         where m.user_sid = any (${rows.map(({ id }) => id)}) order by g.id`)
    : [];
  return rows.map((row) => {
    const groups = memberships
      .filter(({ userSid }) => userSid === row.id)
      .map(({ groupId, display }) => ({
        value: groupId,
        $ref: `${baseUrl}/Groups/${groupId}`,
        display,
        type: 'direct',
      }));
    const document = { ...documentOf(row), ...(groups.length > 0 && { groups }) };
    return toResource(userKind, baseUrl, { ...row, document });
  });
}

export async function listUsers(t: TenantTx, call: ScimCall, query: ListQuery) {
  const { condition, order, startIndex, count, projection } = query;
  const found = sql`${userRows(call)} and ${condition}`;
  const { total } = await t.one<{ total: number }>(
    passingQuery(sql`select count(*)::int as total from ${found}`),
  );
  const rows = await t.many<Row>(
    passingQuery(sql`
      select ${columns} from ${found} order by ${order} limit ${count} offset ${startIndex - 1}`),
  );
  return { total, resources: await toResources(t, call, rows, shows(projection, 'groups')) };
}

async function findRow(t: TenantTx, { provider }: ScimCall, id: string, hold = false): Promise<Row> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from users u where ${ofDirectory(provider)} and u.sid = ${id}
    ${hold ? sql`for no key update` : sql``}`);
  if (!row) throw notFound();
  return row;
}

export async function getUser(t: TenantTx, call: ScimCall, id: string): Promise<Resource> {
  const [resource] = await toResources(t, call, [await findRow(t, call, id)], true);
  return resource!;
}

export async function createUser(t: TenantTx, call: ScimCall, document: Document): Promise<Resource> {
  const { provider } = call;
  const record = toRecord(document);
  const id = (await adopt(t, provider, record)) ?? (await insert(t, provider, record));
  return getUser(t, call, id);
}

async function insert(t: TenantTx, provider: DirectoryProvider, record: UserRecord): Promise<string> {
  const sid = newSid('US', t.now);
  await t.run(sql`
    insert into users (sid, organization_id, email, display_name, status, directory_provider_id, external_id,
      directory_attributes, created_at, updated_at)
    values (${sid}, ${provider.organizationId}, ${record.email}, ${record.displayName},
      ${record.active ? 'ACTIVE' : 'DEACTIVATED'}, ${provider.id}, ${record.externalId},
      ${JSON.stringify(record.attributes)}::jsonb, ${t.now}, ${t.now})`);
  audit(t, { action: 'directory.user_created', resource: sid, facts: { active: record.active } });
  return sid;
}

/** Takes over somebody who was there before the directory, where its configuration says so. */
async function adopt(t: TenantTx, provider: DirectoryProvider, record: UserRecord): Promise<string | null> {
  if (!provider.publicConfig.adoptByEmail) return null;
  const found = await t.maybe<{ sid: string; status: string }>(sql`
    select sid, status from users
     where organization_id = ${provider.organizationId} and lower(email) = lower(${record.email})
       and directory_provider_id is null
       for no key update`);
  if (!found) return null;
  if (!(await mayVouchFor(t, provider, found.sid)))
    throw new ScimError(403, 'This person holds more than the directory may decide about.');
  await write(t, provider, found.sid, record);
  await t.run(sql`
    update users set directory_provider_id = ${provider.id}, status = case when ${record.active} then 'ACTIVE' else status end
     where sid = ${found.sid}`);
  audit(t, { action: 'directory.user_adopted', resource: found.sid });
  if (!record.active) await leaveDirectory(t, found.sid);
  return found.sid;
}

async function write(
  t: TenantTx,
  provider: DirectoryProvider,
  sid: string,
  record: UserRecord,
): Promise<void> {
  await t.run(sql`
    update users set email = ${record.email}, display_name = ${record.displayName}, external_id = ${record.externalId},
      directory_attributes = ${JSON.stringify(record.attributes)}::jsonb, version = version + 1, updated_at = ${t.now}
     where organization_id = ${provider.organizationId} and sid = ${sid}`);
}

/** What a change is made of: the resource as it is, held, to the document it becomes. */
type Change = (current: Resource, document: Document) => Document;

export async function changeUser(t: TenantTx, call: ScimCall, id: string, change: Change): Promise<Resource> {
  const { provider } = call;
  const row = await findRow(t, call, id, true);
  const [current] = await toResources(t, call, [row], true);
  const record = toRecord(change(current!, documentOf(row)));
  await refuseMovingOwner(t, provider, row, record);
  await write(t, provider, id, record);
  const was = row.status !== 'DEACTIVATED';
  audit(t, { action: 'directory.user_changed', resource: id, facts: { active: record.active } });
  if (was && !record.active) await leaveDirectory(t, id);
  if (!was && record.active) await returnToDirectory(t, provider, id);
  return getUser(t, call, id);
}

/** Mail is a way to recover an account, so that whoever moves an owner's address could become that owner. */
async function refuseMovingOwner(
  t: TenantTx,
  provider: DirectoryProvider,
  row: Row,
  record: UserRecord,
): Promise<void> {
  if (row.email.toLowerCase() === record.email.toLowerCase() || (await mayVouchFor(t, provider, row.id)))
    return;
  throw new ScimError(403, 'This person holds more than the directory may decide about.');
}

async function returnToDirectory(t: TenantTx, provider: DirectoryProvider, id: string): Promise<void> {
  await t.run(sql`update users set status = 'ACTIVE' where sid = ${id}`);
  await alignRoles(t, provider, [id]);
}

export async function deleteUser(
  t: TenantTx,
  call: ScimCall,
  id: string,
  check: (current: Resource) => void,
) {
  const row = await findRow(t, call, id, true);
  const [current] = await toResources(t, call, [row], true);
  check(current!);
  if (row.status !== 'DEACTIVATED') await leaveDirectory(t, id);
  await forgetUser(t, id);
}
