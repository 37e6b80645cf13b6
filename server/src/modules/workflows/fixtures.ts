import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures, Given } from '../../../test/harness/fixtures.ts';
import { definitionSample } from './resources/samples.ts';

async function workflow({ app, owner }: Given): Promise<string> {
  const body = { name: 'Ask for the order', definition: definitionSample };
  return (await app.post(`/v1/accounts/${owner.accountSid}/workflows`, body, bearer(owner.key))).body.sid;
}

export const fixtures: Fixtures = {
  workflowSid: workflow,
  async testSid({ app, owner }) {
    const path = `/v1/accounts/${owner.accountSid}/workflows/${await workflow({ app, owner })}/test`;
    return (await app.post(path, { eventType: 'MESSAGE_RECEIVED' }, bearer(owner.key))).body.sid;
  },
};
