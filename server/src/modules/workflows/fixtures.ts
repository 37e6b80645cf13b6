import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { definitionSample } from './resources/samples.ts';

export const fixtures: Fixtures = {
  async workflowSid({ app, owner }) {
    const body = { name: 'Ask for the order', definition: definitionSample };
    return (await app.post(`/v1/accounts/${owner.accountSid}/workflows`, body, bearer(owner.key))).body.sid;
  },
};
