import { bearer, type TestApp } from '../../../test/harness/app.ts';
import type { Fixtures, Owner } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';

/** Senders come from the provider; in tests one is simply there. */
export async function insertSender(app: TestApp, owner: Omit<Owner, 'key'>): Promise<string> {
  const sid = newSid('WA', app.clock.now());
  await app.sql(
    `insert into senders (account_sid, livemode, sid, phone_number, display_name, status, created_at, updated_at)
     values ($1, $2, $3, '+33100000000', 'Shop', 'CONNECTED', $4, $4)`,
    [owner.accountSid, owner.livemode, sid, app.clock.now()],
  );
  return sid;
}

export const fixtures: Fixtures = {
  senderSid: ({ app, owner }) => insertSender(app, owner),
  async senderPoolSid({ app, owner }) {
    const path = `/v1/accounts/${owner.accountSid}/sender-pools`;
    return (await app.post(path, { name: 'Shops' }, bearer(owner.key))).body.sid;
  },
};
