import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async holdId({ app, owner }) {
    const body = { caseRef: 'Case 1', scope: { type: 'ACCOUNT' } };
    return (await app.post(`/v1/accounts/${owner.accountSid}/legal-holds`, body, bearer(owner.key))).body.id;
  },
};
