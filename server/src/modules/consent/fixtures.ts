import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { fixtures as contacts } from '../contacts/fixtures.ts';

export const fixtures: Fixtures = {
  async consentSid(given) {
    const { app, owner } = given;
    const path = `/v1/accounts/${owner.accountSid}/contacts/${await contacts.contactSid!(given)}/consents`;
    const body = { purpose: 'MARKETING', source: 'API', status: 'OPTED_IN' };
    return (await app.post(path, body, bearer(owner.key))).body.sid;
  },
  async suppressionSid(given) {
    const { app, owner } = given;
    const path = `/v1/accounts/${owner.accountSid}/contacts/${await contacts.contactSid!(given)}/suppressions`;
    const body = { reason: 'COMPLAINT', scope: 'ALL', source: 'test' };
    return (await app.post(path, body, bearer(owner.key))).body.sid;
  },
};
