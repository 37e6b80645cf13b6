import { randomUUID } from 'node:crypto';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';

export const fixtures: Fixtures = {
  async bindingId({ app, owner }) {
    const id = randomUUID();
    await app.sql(
      `insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role, scope_kind,
         environment, created_by, created_at)
       select $1, organization_id, sid, 'USER', $3, 'VIEWER', 'ACCOUNT', $4, 'system:test', $5
         from accounts where sid = $2`,
      [
        id,
        owner.accountSid,
        newSid('US', app.clock.now()),
        owner.livemode ? 'live' : 'sandbox',
        app.clock.now(),
      ],
    );
    return id;
  },
};
