import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { privacyOf } from '../../../test/harness/privacy.ts';
import { newPhone } from '../contacts/fixtures.ts';

export const fixtures: Fixtures = {
  async requestSid({ app, owner }) {
    const identifiers = [{ identifierType: 'phone_e164', value: newPhone() }];
    const { accountSid, key } = owner;
    const { body } = await app.post(`/v1/accounts/${accountSid}/contacts`, { identifiers }, bearer(key));
    return (await privacyOf(app, owner).restrict(body.sid)).sid;
  },
};
