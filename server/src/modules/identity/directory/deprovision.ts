// Somebody leaves: everything they could do ends in the same transaction; the API keys they made follow at once, by a
// job, since keys stand in accounts of their own.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { audit } from '../../audit/index.ts';
import { deactivateUser } from '../users/users.ts';
import { disableKeysOfLeaver } from './jobs.ts';

/** Refuses for the last owner, who stays. */
export async function leaveDirectory(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`update users set status = 'ACTIVE' where sid = ${userSid} and status = 'INVITED'`);
  await deactivateUser(t, userSid, 'deprovisioned by the directory');
  enqueue(t, disableKeysOfLeaver, { userSid });
}

/**
 * A deleted person is gone for the directory, which may later make another of the same name. The row stays for what
 * refers to it, without anything that tells who it was.
 */
export async function forgetUser(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`delete from directory_group_members where user_sid = ${userSid}`);
  await t.run(sql`delete from external_identities where user_sid = ${userSid}`);
  await t.run(sql`
    update users set email = lower(sid) || '@deleted.invalid', display_name = null, password_hash = null,
      directory_provider_id = null, external_id = null, directory_attributes = null, version = version + 1,
      updated_at = ${t.now}
     where sid = ${userSid}`);
  audit(t, { action: 'directory.user_deleted', resource: userSid });
}
