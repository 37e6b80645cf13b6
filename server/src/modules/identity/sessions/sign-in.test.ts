import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import {
  asBrowser,
  cookieOf,
  goodPassword,
  signIn,
  solve,
  withPassword,
} from '../../../../test/harness/sign-in.ts';
import { hashesMade } from '../passwords/password-hash.ts';

let app: TestApp;
const endings: (() => Promise<void>)[] = [];
before(async () => {
  app = await startTestApp({ after: (work) => endings.push(work) });
});
after(async () => {
  for (const end of endings.reverse()) await end();
});
// Everybody here comes from one address: each test begins when its failures are forgotten.
beforeEach(() => app.clock.advance(20 * 60_000));

const refused = (reply: { status: number; body: { error?: { code: string } } | null }) => [
  reply.status,
  reply.body?.error?.code,
];

suite('signing in', () => {
  test('a right password gives a session that may do what the roles say', async () => {
    const ada = await withPassword(app, { roles: ['VIEWER'] });
    const reply = await signIn(app, ada.email);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.status, 'signed_in');
    assert.equal(reply.body.session.user.sid, ada.userSid);
    assert.equal((await app.get(`${app.at}/users`, asBrowser(reply))).status, 200);
    const invited = await app.post(`${app.at}/users`, { email: 'x@example.com' }, asBrowser(reply));
    assert.deepEqual(refused(invited), [403, 'AUTHORIZATION_ERROR']);
  });
});
