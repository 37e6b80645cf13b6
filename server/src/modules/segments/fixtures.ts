import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async segmentSid({ app, owner }) {
    const body = { kind: 'DYNAMIC', name: 'Everybody' };
    return (await app.post(`/v1/accounts/${owner.accountSid}/segments`, body, bearer(owner.key))).body.sid;
  },
};
