import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async linkSid({ app, owner }) {
    const body = { consentText: 'Yes, write to me.', label: 'Test' };
    return (await app.post(`/v1/accounts/${owner.accountSid}/opt-in-links`, body, bearer(owner.key))).body
      .sid;
  },
};
