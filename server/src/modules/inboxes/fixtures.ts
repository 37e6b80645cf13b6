import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async inboxSid({ app, owner }) {
    const path = `/v1/accounts/${owner.accountSid}/inboxes`;
    return (await app.post(path, { name: 'An inbox' }, bearer(owner.key))).body.sid;
  },
};
