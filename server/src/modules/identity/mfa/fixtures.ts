import type { Fixtures } from '../../../../test/harness/fixtures.ts';
import { person } from '../../../../test/harness/people.ts';

export const fixtures: Fixtures = {
  async credentialId({ app, owner }) {
    return (await person(app, owner)).totp!.credentialId;
  },
  async enrollmentId({ app, owner }) {
    const newcomer = await person(app, { ...owner, factor: 'none' });
    const enrollment = { method: 'TOTP', providerKey: 'totp' };
    const path = `/v1/accounts/${owner.accountSid}/identity/mfa/enrollments`;
    return (await app.post(path, enrollment, newcomer.headers)).body.id;
  },
};
