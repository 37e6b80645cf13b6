import { randomUUID } from 'node:crypto';
import { bearer } from '../../../../test/harness/app.ts';
import type { Fixtures } from '../../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async userSid({ app, owner }) {
    const body = { email: `${randomUUID()}@example.com` };
    return (await app.post(`/v1/accounts/${owner.accountSid}/users`, body, bearer(owner.key))).body.sid;
  },
};
