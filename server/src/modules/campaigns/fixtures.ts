import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newPhone } from '../contacts/fixtures.ts';

export const fixtures: Fixtures = {
  /** A draft to one person. */
  async campaignSid({ app, owner }) {
    const at = `/v1/accounts/${owner.accountSid}`;
    const identifiers = [{ identifierType: 'phone_e164', value: newPhone() }];
    const { body: contact } = await app.post(`${at}/contacts`, { identifiers }, bearer(owner.key));
    const body = {
      name: 'Hello',
      audience: { contactSids: [contact.sid] },
      message: { type: 'template', template: { name: 'hello_world', language: 'en' } },
    };
    return (await app.post(`${at}/campaigns`, body, bearer(owner.key))).body.sid;
  },
};
