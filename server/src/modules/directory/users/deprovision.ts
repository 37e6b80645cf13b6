// Somebody leaves: everything they could do ends in the same transaction; the API keys they made follow at once, by a
// job, since keys stand in accounts of their own.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { audit } from '../../audit/index.ts';
import { deprovisionUser, forgetUser } from '../../identity/index.ts';
import { disableKeysOfLeaver } from './jobs.ts';

/** Refuses for the last owner, who stays. */
export async function leaveDirectory(t: TenantTx, userSid: string): Promise<void> {
  await deprovisionUser(t, userSid);
  enqueue(t, disableKeysOfLeaver, { userSid });
}

/** A deleted person is gone for the directory, which may later make another of the same name. */
export async function deleteFromDirectory(t: TenantTx, userSid: string): Promise<void> {
  await t.run(sql`delete from directory_group_members where user_sid = ${userSid}`);
  await forgetUser(t, userSid);
  audit(t, { action: 'directory.user_deleted', resource: userSid });
}
