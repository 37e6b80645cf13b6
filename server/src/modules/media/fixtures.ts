import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';

export const fixtures: Fixtures = {
  async mediaSid({ app, owner }) {
    const body = { url: 'https://shop.example/photo.jpg' };
    return (await app.post(`/v1/accounts/${owner.accountSid}/media`, body, bearer(owner.key))).body.sid;
  },
};
