import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { type Lies, softwarePasskey } from '../../../../test/harness/authenticator.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';

const minute = 60_000;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const action = 'API_KEY_CREATE';
type Passkey = ReturnType<typeof softwarePasskey>;

const begin = (who: Person) =>
  app.post(
    `${app.at}/identity/mfa/enrollments`,
    { method: 'WEBAUTHN', providerKey: 'passkey', displayName: 'Laptop' },
    who.headers,
  );

async function register(who: Person, passkey: Passkey, lies: Lies = {}) {
  const { body } = await begin(who);
  const response = passkey.create(body.publicKey, lies);
  const path = `${app.at}/identity/mfa/enrollments/${body.id}/complete`;
  return app.post(path, { ceremonyRef: body.ceremonyRef, response }, who.headers);
}

async function withPasskey() {
  const who = await person(app, { factor: 'none' });
  const passkey = softwarePasskey(app.url);
  const reply = await register(who, passkey);
  assert.equal(reply.status, 201, reply.text);
  return { who, passkey };
}

const ask = async (who: Person, headers: object = who.headers, forAction = action) =>
  (await app.post(`${app.at}/identity/mfa/verification-options`, { action: forAction }, headers)).body;
const prove = (who: Person, assertion: string, more: object = {}, headers: object = who.headers) =>
  app.post(`${app.at}/identity/step-up`, { action, method: 'WEBAUTHN', assertion, ...more }, headers);

suite('a passkey', () => {
  test('is enrolled, listed, and proves its person for one action', async () => {
    const { who, passkey } = await withPasskey();
    const listed = await app.get(`${app.at}/identity/mfa/credentials`, who.headers);
    const [credential] = listed.body.data;
    assert.deepEqual(
      [credential.method, credential.displayName, credential.usable, credential.backedUp],
      ['WEBAUTHN', 'Laptop', true, false],
    );
    const options = await ask(who);
    assert.deepEqual(
      options.publicKey.allowCredentials.map(({ id }: { id: string }) => id),
      [passkey.id],
    );
    assert.equal(options.publicKey.userVerification, 'required');
    assert.equal(options.publicKey.rpId, 'localhost');
    const reply = await prove(who, passkey.get(options.publicKey), { challenge: options.challenge });
    assert.equal(reply.status, 201, reply.text);
    const body = { name: 'Made by hand', scopes: ['contacts:read'], stepUpToken: reply.body.stepUpToken };
    assert.equal((await app.post(`${app.at}/api-keys`, body, who.headers)).status, 201);
  });

  test('that never counts is as good as one that does', async () => {
    const { who, passkey } = await withPasskey();
    for (let use = 0; use < 2; use += 1) {
      const { publicKey } = await ask(who);
      assert.equal((await prove(who, passkey.get(publicKey, { counter: 0 }))).status, 201);
    }
  });

  test('is not offered twice to the same person', async () => {
    const { who, passkey } = await withPasskey();
    const { body } = await begin(who);
    assert.deepEqual(
      body.publicKey.excludeCredentials.map(({ id }: { id: string }) => id),
      [passkey.id],
    );
    assert.equal((await register(who, passkey)).status, 400);
  });

  test('of one person cannot be claimed by another', async () => {
    const { passkey } = await withPasskey();
    const thief = await person(app, { factor: 'none' });
    const reply = await register(thief, passkey);
    assert.deepEqual([reply.status, reply.body.error.details[0].path], [400, 'response']);
  });
});

suite('an assertion is refused', () => {
  const attacks: Record<string, Lies> = {
    'from another origin': { origin: 'http://localhost:1' },
    'from a look-alike origin': { origin: 'https://localhost.example.com' },
    'for another relying party': { rpId: 'example.com' },
    'over another challenge': { challenge: Buffer.alloc(32, 7).toString('base64url') },
    'over a challenge that is no base64url': { challenge: 'a challenge\u0000' },
    'that is a registration': { type: 'webauthn.create' },
    'made inside a frame of another site': { crossOrigin: true },
    'without its person being recognized': { userVerified: false },
    'without its person being there': { userPresent: false, userVerified: false },
    'signed with another key': { foreignKey: true },
    'of an unknown authenticator': { id: Buffer.alloc(32, 1).toString('base64url') },
  };
  for (const [how, lies] of Object.entries(attacks)) {
    test(how, async () => {
      const { who, passkey } = await withPasskey();
      const { publicKey } = await ask(who);
      const reply = await prove(who, passkey.get(publicKey, lies));
      assert.deepEqual([reply.status, reply.body.error.code], [401, 'AUTHENTICATION_ERROR'], reply.text);
      assert.equal(await app.count(`step_up_tokens where user_sid = '${who.userSid}'`), 0);
      // The honest passkey is unharmed.
      assert.equal((await prove(who, passkey.get((await ask(who)).publicKey))).status, 201);
    });
  }

  test('when it is replayed, also 50 times at once', async () => {
    const { who, passkey } = await withPasskey();
    const { publicKey } = await ask(who);
    const assertion = passkey.get(publicKey);
    const replies = await Promise.all(Array.from({ length: 50 }, () => prove(who, assertion)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    const next = passkey.get((await ask(who)).publicKey);
    assert.equal((await prove(who, next)).status, 201, 'the copies were no guesses');
    app.clock.advance(15 * minute);
    assert.equal((await prove(who, assertion)).status, 401);
  });

  test('when its counter goes back or stands still', async () => {
    const { who, passkey } = await withPasskey();
    assert.equal((await prove(who, passkey.get((await ask(who)).publicKey, { counter: 9 }))).status, 201);
    for (const counter of [9, 8, 0]) {
      assert.equal((await prove(who, passkey.get((await ask(who)).publicKey, { counter }))).status, 401);
    }
    assert.equal((await prove(who, passkey.get((await ask(who)).publicKey, { counter: 10 }))).status, 201);
  });

  test('after its challenge has stood for five minutes', async () => {
    const { who, passkey } = await withPasskey();
    const first = await ask(who);
    app.clock.advance(5 * minute - 1);
    assert.equal((await prove(who, passkey.get(first.publicKey))).status, 201);
    const second = await ask(who);
    app.clock.advance(5 * minute);
    assert.equal((await prove(who, passkey.get(second.publicKey))).status, 401);
  });

  test('once a wrong answer has spent its challenge', async () => {
    const { who, passkey } = await withPasskey();
    const { publicKey } = await ask(who);
    assert.equal((await prove(who, passkey.get(publicKey, { foreignKey: true }))).status, 401);
    assert.equal((await prove(who, passkey.get(publicKey))).status, 401);
  });

  test('for a challenge given for another action, session or person', async () => {
    const { who, passkey } = await withPasskey();
    const other = await withPasskey();
    const elsewhere = await who.signInAgain();
    const otherAction = await ask(who, who.headers, 'API_KEY_ROTATE');
    const otherSession = await ask(who, elsewhere.headers);
    const otherPerson = await ask(other.who);
    for (const { publicKey } of [otherAction, otherSession, otherPerson]) {
      assert.equal((await prove(who, passkey.get(publicKey))).status, 401);
    }
  });

  test('when the challenge it names is not the one it signed', async () => {
    const { who, passkey } = await withPasskey();
    const [first, second] = [await ask(who), await ask(who)];
    const assertion = passkey.get(first.publicKey);
    assert.equal((await prove(who, assertion, { challenge: second.challenge })).status, 401);
  });
});

suite('a registration is refused', () => {
  const certificate = new Map<string, unknown>([
    ['alg', -7],
    ['sig', Buffer.alloc(70)],
    ['x5c', [Buffer.alloc(300)]],
  ]);
  const attacks: Record<string, Lies> = {
    'from another origin': { origin: 'http://localhost:1' },
    'for another relying party': { rpId: 'example.com' },
    'over another challenge': { challenge: Buffer.alloc(32, 7).toString('base64url') },
    'that is an assertion': { type: 'webauthn.get' },
    'made inside a frame of another site': { crossOrigin: true },
    'without its person being recognized': { userVerified: false },
    'that brings a certificate nobody asked for': { attestation: { fmt: 'packed', statement: certificate } },
    'that brings an attestation of another kind': {
      attestation: { fmt: 'fido-u2f', statement: certificate },
    },
  };
  for (const [how, lies] of Object.entries(attacks)) {
    test(how, async () => {
      const who = await person(app, { factor: 'none' });
      const reply = await register(who, softwarePasskey(app.url), lies);
      assert.deepEqual([reply.status, reply.body.error.details[0].path], [400, 'response'], reply.text);
      assert.equal(await app.count(`mfa_credentials where user_sid = '${who.userSid}'`), 0);
    });
  }
});
