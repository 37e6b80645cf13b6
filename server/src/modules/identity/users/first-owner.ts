// The person an organization starts with: made by the operator, for whom no invitation can be sent yet.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newSid, randomBase32 } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { bindFirstOwner } from '../../roles/index.ts';
import { withHasher } from '../passwords/password-hash.ts';
import { organizationOf } from './users.ts';

type NewOwner = { email: string; displayName: string; passwordHash: string };

/** A password to be read off a screen once: 80 bits, in groups. */
export async function generatePassword(): Promise<{ password: string; passwordHash: string }> {
  const password = randomBase32(10).match(/.{4}/g)!.join('-');
  return { password, passwordHash: await withHasher((hasher) => hasher.hash(password)) };
}

/** Null when somebody already signs in with this address. */
export async function createOwner(t: TenantTx, { email, displayName, passwordHash }: NewOwner) {
  const userSid = newSid('US', t.now);
  const made = await t.run(sql`
      insert into users (sid, organization_id, email, display_name, status, password_hash, password_changed_at,
        created_at, updated_at)
      values (${userSid}, ${await organizationOf(t)}, ${email}, ${displayName}, 'ACTIVE', ${passwordHash}, ${t.now},
        ${t.now}, ${t.now})
      on conflict do nothing`);
  if (made === 0) return null;
  audit(t, { action: 'user.created', resource: userSid, facts: { owner: true } });
  await bindFirstOwner(t, userSid);
  return { userSid, email };
}
