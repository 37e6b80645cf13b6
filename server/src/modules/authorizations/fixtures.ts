import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async authorizationId({ app, owner }) {
    const body = { task: 'TEMPLATE_APPEAL', resourceRef: 'welcome', instruction: 'Please appeal.' };
    return (await app.post(`/v1/accounts/${owner.accountSid}/authorizations`, body, bearer(owner.key))).body
      .id;
  },
};
