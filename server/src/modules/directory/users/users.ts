// The people of a directory: made, described, deactivated and deleted by it, and by it alone.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, type Sql, sql } from '../../../platform/db/query.ts';
import { audit } from '../../audit/index.ts';
import {
  createDirectoryUser,
  type DirectoryProvider,
  type DirectoryRecord,
  describeDirectoryUser,
  giveToDirectory,
  lockUnkeptUser,
  mayVouchFor,
  people,
  restoreDirectoryUser,
} from '../../identity/index.ts';
import { alignRoles } from '../groups/bindings.ts';
import { userKind } from '../protocol/attributes.ts';
import type { ListQuery } from '../protocol/list-query.ts';
import type { Document } from '../protocol/normalise.ts';
import { shows } from '../protocol/projection.ts';
import { type Resource, toResource } from '../protocol/resource.ts';
import type { ScimCall } from '../protocol/scim-call.ts';
import { notFound, ScimError } from '../protocol/scim-error.ts';
import { deleteFromDirectory, leaveDirectory } from './deprovision.ts';
import { toRecord } from './user-record.ts';

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
export const userRows = ({ provider }: ScimCall): Sql => sql`${people} u where ${ofDirectory(provider)}`;
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
    select ${columns} from ${people} u where ${ofDirectory(provider)} and u.sid = ${id}
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

async function insert(t: TenantTx, provider: DirectoryProvider, record: DirectoryRecord): Promise<string> {
  const sid = await createDirectoryUser(t, provider, record);
  audit(t, { action: 'directory.user_created', resource: sid, facts: { active: record.active } });
  return sid;
}

/** Takes over somebody who was there before the directory, where its configuration says so. */
async function adopt(
  t: TenantTx,
  provider: DirectoryProvider,
  record: DirectoryRecord,
): Promise<string | null> {
  if (!provider.publicConfig.adoptByEmail) return null;
  const userSid = await lockUnkeptUser(t, provider, record.email);
  if (userSid === null) return null;
  if (!(await mayVouchFor(t, provider, userSid)))
    throw new ScimError(403, 'This person holds more than the directory may decide about.');
  await giveToDirectory(t, provider, userSid, record);
  audit(t, { action: 'directory.user_adopted', resource: userSid });
  if (!record.active) await leaveDirectory(t, userSid);
  return userSid;
}

/** What a change is made of: the resource as it is, held, to the document it becomes. */
type Change = (current: Resource, document: Document) => Document;

export async function changeUser(t: TenantTx, call: ScimCall, id: string, change: Change): Promise<Resource> {
  const { provider } = call;
  const row = await findRow(t, call, id, true);
  const [current] = await toResources(t, call, [row], true);
  const record = toRecord(change(current!, documentOf(row)));
  await refuseMovingOwner(t, provider, row, record);
  await describeDirectoryUser(t, provider, id, record);
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
  record: DirectoryRecord,
): Promise<void> {
  if (row.email.toLowerCase() === record.email.toLowerCase() || (await mayVouchFor(t, provider, row.id)))
    return;
  throw new ScimError(403, 'This person holds more than the directory may decide about.');
}

async function returnToDirectory(t: TenantTx, provider: DirectoryProvider, id: string): Promise<void> {
  await restoreDirectoryUser(t, id);
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
  await deleteFromDirectory(t, id);
}
