import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures, Given } from '../../../test/harness/fixtures.ts';

let made = 0;

/** A number nobody had before. */
export function newPhone(): string {
  made += 1;
  return `+3361${String(made).padStart(7, '0')}`;
}
const phone = (value = newPhone()) => ({ identifierType: 'phone_e164', value });

const post = async ({ app, owner }: Given, path: string, body: object) =>
  (await app.post(`/v1/accounts/${owner.accountSid}${path}`, body, bearer(owner.key))).body;

export const fixtures: Fixtures = {
  async contactSid(given) {
    return (await post(given, '/contacts', { identifiers: [phone()] })).sid;
  },
  async conflictId(given) {
    const [first, second] = [phone(), phone()];
    for (const identifier of [first, second]) await post(given, '/contacts', { identifiers: [identifier] });
    await post(given, '/contacts', { identifiers: [first, second] });
    const { app, owner } = given;
    const path = `/v1/accounts/${owner.accountSid}/contacts/conflicts`;
    return (await app.get(path, bearer(owner.key))).body.data[0].id;
  },
  async mergeId(given) {
    const [survivor, merged] = [
      await post(given, '/contacts', { identifiers: [phone()] }),
      await post(given, '/contacts', { identifiers: [phone()] }),
    ];
    const body = { mergeContactSid: merged.sid, reason: 'The same person' };
    return (await post(given, `/contacts/${survivor.sid}/merge`, body)).id;
  },
};
