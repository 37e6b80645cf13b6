import { randomUUID } from 'node:crypto';
import type { Fixtures } from '../../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async providerId({ app, owner }) {
    const id = randomUUID();
    await app.sql(
      `insert into identity_providers (id, organization_id, protocol, provider_key, public_config, state, reason,
         created_by, created_at, updated_at)
       select $1, organization_id, 'TOTP', $2, '{}', 'STAGED', 'For a test', 'system:test', $3, $3
         from accounts where sid = $4`,
      [id, `totp-${id}`, app.clock.now(), owner.accountSid],
    );
    return id;
  },
};
