import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async apiKeyId({ app, owner }) {
    const body = { name: 'A key', scopes: ['contacts:read'] };
    return (await app.post(`/v1/accounts/${owner.accountSid}/api-keys`, body, bearer(owner.key))).body.id;
  },
};
