// The people a directory keeps. They are users like all others: the directory says who they are and who has left, and
// what that means for their sessions, roles and links is decided here.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { newSid } from '../../../platform/ids.ts';
import { deactivateUser } from './users.ts';

type Directory = { id: string; organizationId: string };

/** What a directory knows of a person; `attributes` is kept for it as it gave them. */
export type DirectoryRecord = {
  externalId: string | null;
  email: string;
  displayName: string | null;
  active: boolean;
  attributes: Record<string, unknown>;
};

/** The rows of people, to be read and searched in a query of the directory. */
export const people: Sql = sql`(
  select sid, organization_id, email, display_name, status, directory_provider_id, external_id, directory_attributes,
    created_at, updated_at
    from users)`;

/** The directory's own people among these, held in one order, so that two changes of the same people take turns. */
export async function lockDirectoryUsers(
  t: TenantTx,
  { organizationId, id }: Directory,
  userSids: string[],
): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from users
     where organization_id = ${organizationId} and directory_provider_id = ${id} and sid = any (${userSids})
     order by sid for no key update`);
  return rows.map(({ sid }) => sid);
}

export async function createDirectoryUser(
  t: TenantTx,
  { organizationId, id }: Directory,
  record: DirectoryRecord,
): Promise<string> {
  const sid = newSid('US', t.now);
  await t.run(sql`
    insert into users (sid, organization_id, email, display_name, status, directory_provider_id, external_id,
      directory_attributes, created_at, updated_at)
    values (${sid}, ${organizationId}, ${record.email}, ${record.displayName},
      ${record.active ? 'ACTIVE' : 'DEACTIVATED'}, ${id}, ${record.externalId},
      ${JSON.stringify(record.attributes)}::jsonb, ${t.now}, ${t.now})`);
  return sid;
}

/** Somebody of this address whom no directory keeps yet, held; null for nobody. */
export async function lockUnkeptUser(
  t: TenantTx,
  { organizationId }: Directory,
  email: string,
): Promise<string | null> {
  const found = await t.maybe<{ sid: string }>(sql`
    select sid from users
     where organization_id = ${organizationId} and lower(email) = lower(${email}) and directory_provider_id is null
       for no key update`);
  return found?.sid ?? null;
}

/** From now on the directory keeps this person, who needs no invitation any more. */
export async function giveToDirectory(
  t: TenantTx,
  directory: Directory,
  userSid: string,
  record: DirectoryRecord,
): Promise<void> {
  await describeDirectoryUser(t, directory, userSid, record);
  await t.run(sql`
    update users set directory_provider_id = ${directory.id},
      status = case when ${record.active} then 'ACTIVE' else status end
     where sid = ${userSid}`);
}

/** Writes what the directory says of a person; whether they are active is changed by the functions below. */
export async function describeDirectoryUser(
  t: TenantTx,
  { organizationId }: Directory,
  userSid: string,
  record: DirectoryRecord,
): Promise<void> {
  await t.run(sql`
    update users set email = ${record.email}, display_name = ${record.displayName}, external_id = ${record.externalId},
      directory_attributes = ${JSON.stringify(record.attributes)}::jsonb, version = version + 1, updated_at = ${t.now}
     where organization_id = ${organizationId} and sid = ${userSid}`);
}

/** Ends all that a person can do. Refuses for the last owner, who stays. */
export async function deprovisionUser(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`update users set status = 'ACTIVE' where sid = ${userSid} and status = 'INVITED'`);
  await deactivateUser(t, userSid, 'deprovisioned by the directory');
}

export async function restoreDirectoryUser(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`update users set status = 'ACTIVE' where sid = ${userSid}`);
}

/**
 * A deleted person is gone for the directory, which may later make another of the same name. The row stays for what
 * refers to it, without anything that tells who it was.
 */
export async function forgetUser(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`delete from external_identities where user_sid = ${userSid}`);
  await t.run(sql`
    update users set email = lower(sid) || '@deleted.invalid', display_name = null, password_hash = null,
      directory_provider_id = null, external_id = null, directory_attributes = null, version = version + 1,
      updated_at = ${t.now}
     where sid = ${userSid}`);
}
