import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import {
  signHs256,
  signRs256,
  startHostileProvider,
  unsigned,
} from '../../../../test/harness/hostile-provider.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { activate, activeProvider, stage, suspend } from '../../../../test/harness/providers.ts';
import { type SsoBrowser, ssoBrowser, type Visit } from '../../../../test/harness/sso-browser.ts';
import { sweepSsoRequests } from './crons.ts';

let app: TestApp;
let owner: Person;
let idp: Awaited<ReturnType<typeof startHostileProvider>>;
let providerId: string;
const lifetime = sharedLifetime();

before(async () => {
  app = await startTestApp(lifetime, { env: { ALLOW_PRIVATE_WEBHOOKS: 'true' } });
  owner = await person(app);
  idp = await startHostileProvider(lifetime, () => app.clock.now());
  providerId = (await made({ justInTime: true })).id;
});
beforeEach(() => {
  idp.reset();
  app.clock.advance(10_000); // the limit per address refills
});

const made = (more: object = {}, admin = owner) =>
  activeProvider(app, admin, {
    protocol: 'OIDC',
    publicConfig: { issuer: idp.issuer, clientId: 'godwit', ...more },
  });

type Step = { redirectUri: string; answer: Record<string, string>; asked: URLSearchParams };

async function begin(browser: SsoBrowser, id = providerId, query?: string): Promise<Step> {
  const visit = await browser.request(browser.start(id, query));
  assert.equal(visit.status, 302, visit.text);
  return idp.authorize(visit.headers.get('location')!);
}

const finish = (browser: SsoBrowser, { redirectUri, answer }: Step, more: Record<string, string> = {}) =>
  browser.request(`${redirectUri}?${new URLSearchParams({ ...answer, ...more })}`);

async function signIn(id = providerId, browser = ssoBrowser(app)): Promise<Visit> {
  return finish(browser, await begin(browser, id));
}

const userOf = async (visit: Visit) => {
  const cookie = visit.headers.get('set-cookie')!.split(';')[0]!;
  return (await app.get('/v1/auth/session', { authorization: undefined, cookie })).body;
};

const failures = () => app.count(`audit_entries where action = 'sign_in.failed'`);

function assertRefused(visit: Visit): void {
  assert.equal(visit.status, 401, visit.text);
  const { requestId: _, ...error } = JSON.parse(visit.text).error;
  assert.deepEqual([error.code, error.details], ['AUTHENTICATION_ERROR', undefined]);
  assert.equal(visit.headers.get('set-cookie'), null);
}

suite('an honest sign-in', () => {
  test('asks with PKCE, a nonce and a state of its own, and ends in a session of the provider', async () => {
    const browser = ssoBrowser(app);
    const step = await begin(browser);
    assert.equal(step.asked.get('code_challenge_method'), 'S256');
    assert.equal(step.asked.get('response_type'), 'code');
    assert.equal(step.asked.get('scope'), 'openid email profile');
    assert.equal(step.redirectUri, `${app.url}/v1/auth/sso/${providerId}/callback`);
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(step.asked.get(name)!.length >= 43);
    const done = await finish(browser, step);
    assert.deepEqual([done.status, done.headers.get('location')], [302, '/v1/auth/session']);
    assert.match(
      done.headers.get('set-cookie')!,
      /__Host-godwit-session-sandbox=.*Secure; HttpOnly; SameSite=Lax/,
    );
    const session = await userOf(done);
    assert.deepEqual([session.methods, session.environment], [['oidc'], 'sandbox']);
    assert.equal(session.user.email, 'alice@example.com');
    const rows = await app.sql('select provider_id from sessions where id = $1', [session.id]);
    assert.deepEqual(rows, [{ provider_id: providerId }]);
  });

  test('comes back to the same person by the subject, whatever has become of the address', async () => {
    idp.claims = { sub: 'carol', email: 'carol@example.com' };
    const first = await userOf(await signIn());
    idp.claims = { sub: 'carol', email: 'new-name@example.com' };
    assert.equal((await userOf(await signIn())).userSid, first.userSid);
    idp.claims = { sub: 'mallory', email: 'carol@example.com' };
    assertRefused(await signIn());
  });

  test('finds the provider by its key within an account or an organization, and nowhere else', async () => {
    const { providerKey } = (await app.get(`${app.at}/identity/providers/${providerId}`)).body;
    const browser = ssoBrowser(app);
    for (const query of [`accountSid=${app.accountSid}`, `organization=${owner.organizationId}`]) {
      const visit = await browser.request(browser.start(providerKey, `environment=sandbox&${query}`));
      assert.equal(visit.status, 302);
    }
    const stranger = await app.newAccount();
    for (const query of ['', `accountSid=${stranger.accountSid}`]) {
      assertRefused(await browser.request(browser.start(providerKey, `environment=sandbox&${query}`)));
    }
  });

  test('leads back only to a path of our own origin', async () => {
    const browser = ssoBrowser(app);
    for (const bad of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'evil',
      '/a\nb',
      '/a\\b',
    ]) {
      const query = `returnTo=${encodeURIComponent(bad)}`;
      assert.equal((await browser.request(browser.start(providerId, query))).status, 400, bad);
    }
    const query = `environment=sandbox&returnTo=${encodeURIComponent('/console?tab=ü#top')}`;
    const done = await finish(browser, await begin(browser, providerId, query));
    assert.equal(done.headers.get('location'), '/console?tab=%C3%BC#top');
  });

  test('reads the address from the provider’s userinfo where the token has none', async () => {
    idp.claims = { sub: 'dave', email: undefined, email_verified: undefined };
    idp.userInfo = { sub: 'dave', email: 'dave@example.com', email_verified: true };
    assert.equal((await userOf(await signIn())).user.email, 'dave@example.com');
  });
});

suite('every attack on the callback gets the one refusal, and no session', () => {
  const attacks: [string, (browser: SsoBrowser) => Promise<Visit>][] = [
    [
      'a state nobody began',
      async (browser) => finish(browser, await begin(browser), { state: 'x'.repeat(43) }),
    ],
    ['a state begun by another browser', async (browser) => finish(ssoBrowser(app), await begin(browser))],
    [
      'a state begun by another browser that has a sign-in of its own under way',
      async (browser) => {
        const victim = ssoBrowser(app);
        await begin(victim);
        return finish(victim, await begin(browser));
      },
    ],
    [
      'a state that has expired',
      async (browser) => {
        const step = await begin(browser);
        app.clock.advance(10 * 60_000);
        return finish(browser, step);
      },
    ],
    [
      'a state brought to another provider',
      async (browser) => {
        const other = await made({ justInTime: true });
        idp.claims = { sub: 'newcomer', email: 'newcomer@example.com' };
        const step = await begin(browser);
        return finish(browser, { ...step, redirectUri: other.urls.redirectUri });
      },
    ],
    [
      'the issuer of another provider (mix-up)',
      async (browser) => finish(browser, await begin(browser), { iss: 'https://honest.example' }),
    ],
    [
      'a missing issuer from a provider that promised to send it',
      async (browser) => {
        idp.metadata = { authorization_response_iss_parameter_supported: true };
        return finish(browser, await begin(browser));
      },
    ],
    [
      'an error of the provider',
      async (browser) => finish(browser, await begin(browser), { error: 'access_denied' }),
    ],
    [
      'a code the provider does not know',
      async (browser) => finish(browser, await begin(browser), { code: 'x' }),
    ],
  ];
  for (const [what, attack] of attacks) {
    test(what, async () => {
      const browser = ssoBrowser(app);
      assertRefused(await attack(browser));
      assert.ok(!browser.isSignedIn());
    });
  }

  const tokens: [string, (claims: Record<string, unknown>) => string][] = [
    ['another nonce', (claims) => idp.honestToken({ ...claims, nonce: 'another' })],
    ['no nonce', ({ nonce: _, ...claims }) => idp.honestToken(claims)],
    ['another audience', (claims) => idp.honestToken({ ...claims, aud: 'somebody-else' })],
    [
      'several audiences and another party',
      (claims) => idp.honestToken({ ...claims, aud: ['godwit', 'x'], azp: 'x' }),
    ],
    ['another issuer', (claims) => idp.honestToken({ ...claims, iss: 'https://honest.example' })],
    ['no signature', unsigned],
    ['a signature with the client secret', (claims) => signHs256('godwit', claims)],
    ['a signature of somebody else', (claims) => signRs256(idp.stranger, claims)],
    [
      'a signature by an unknown key',
      (claims) => signRs256(idp.stranger, claims, { alg: 'RS256', kid: 'two' }),
    ],
    [
      'an algorithm that was not agreed',
      (claims) => signRs256(idp.stranger, claims, { alg: 'PS256', kid: 'one' }),
    ],
    [
      'an end in the past',
      (claims) => idp.honestToken({ ...claims, iat: idp.seconds() - 600, exp: idp.seconds() - 60 }),
    ],
    ['no end', ({ exp: _, ...claims }) => idp.honestToken(claims)],
    ['a beginning in the future', (claims) => idp.honestToken({ ...claims, nbf: idp.seconds() + 600 })],
    ['no subject', ({ sub: _, ...claims }) => idp.honestToken(claims)],
    ['a subject too long to keep', (claims) => idp.honestToken({ ...claims, sub: 'x'.repeat(600) })],
    ['nothing at all', () => ''],
    ['no token', () => 'a.b.c'],
  ];
  for (const [what, idToken] of tokens) {
    test(`a token with ${what}`, async () => {
      const before = await failures();
      idp.idToken = idToken;
      const browser = ssoBrowser(app);
      assertRefused(await signIn(providerId, browser));
      assert.ok(!browser.isSignedIn());
      assert.equal(await failures(), before + 1, 'it is written down');
    });
  }

  test('an answer sent twice works once, and its code is asked for once', async () => {
    const browser = ssoBrowser(app);
    const step = await begin(browser);
    assert.equal((await finish(browser, step)).status, 302);
    assertRefused(await finish(browser, step));
    assert.equal(idp.calls.token, 1);
  });

  test('of 20 copies of one answer at once exactly one signs in', async () => {
    const browser = ssoBrowser(app);
    const step = await begin(browser);
    const visits = await Promise.all(Array.from({ length: 20 }, () => finish(browser, step)));
    assert.equal(visits.filter(({ status }) => status === 302).length, 1);
    assert.equal(idp.calls.token, 1);
  });

  test('userinfo about somebody else', async () => {
    idp.claims = { sub: 'erin', email: undefined };
    idp.userInfo = { sub: 'frank', email: 'frank@example.com', email_verified: true };
    assertRefused(await signIn());
  });
});

suite('whom a provider may let in', () => {
  test('nobody new, unless it makes people just in time', async () => {
    const { id } = await made();
    idp.claims = { sub: 'grace', email: 'grace@example.com' };
    assertRefused(await signIn(id));
    assert.equal(await app.count(`users where email = 'grace@example.com'`), 0);
  });

  test('new people with the default role, once, where its maker could give it', async () => {
    const { id } = await made({ justInTime: true, defaultRole: 'DEVELOPER' });
    idp.claims = { sub: 'heidi', email: 'heidi@example.com', name: 'Heidi' };
    const { userSid, user } = await userOf(await signIn(id));
    await signIn(id);
    assert.equal(user.displayName, 'Heidi');
    const bindings = await app.sql(
      'select role, scope_kind, account_sid, environment, source from role_bindings where principal_ref = $1',
      [userSid],
    );
    const binding = {
      role: 'DEVELOPER',
      scope_kind: 'ACCOUNT',
      account_sid: app.accountSid,
      environment: 'sandbox',
    };
    assert.deepEqual(bindings, [{ ...binding, source: `directory:${id}` }]);
  });

  test('new people of its domains only, and with an address nobody disputes', async () => {
    const { id } = await made({ justInTime: true, emailDomains: ['corp.example'] });
    for (const claims of [
      { email: 'ivan@example.com' },
      { email: 'ivan@corp.example', email_verified: false },
      { email: 'ivan@corp.example.evil.example' },
      { email: 'not an address' },
      { email: undefined },
    ]) {
      idp.claims = { sub: 'ivan', ...claims };
      assertRefused(await signIn(id));
    }
    idp.claims = { sub: 'ivan', email: 'ivan@corp.example', email_verified: undefined };
    assert.equal((await signIn(id)).status, 302);
  });

  test('somebody who is there, by a verified address, and only when told to', async () => {
    const { userSid, email } = await person(app, { roles: ['VIEWER'] });
    idp.claims = { sub: 'judy', email };
    assertRefused(await signIn((await made({ justInTime: true })).id));
    const { id } = await made({ linkByVerifiedEmail: true });
    for (const email_verified of [false, undefined, 'yes']) {
      idp.claims = { sub: 'judy', email, email_verified };
      assertRefused(await signIn(id));
    }
    idp.claims = { sub: 'judy', email: email.toUpperCase() };
    assert.equal((await userOf(await signIn(id))).userSid, userSid);
    idp.claims = { sub: 'not-judy', email };
    assertRefused(await signIn(id));
  });

  test('an owner only where an owner activated it', async () => {
    const admin = await person(app, { roles: ['ADMIN'] });
    const boss = await person(app);
    idp.claims = { sub: 'boss', email: boss.email };
    const staged = await stage(app, admin, {
      protocol: 'OIDC',
      publicConfig: { issuer: idp.issuer, clientId: 'godwit', linkByVerifiedEmail: true },
    });
    assert.equal(staged.status, 201, staged.text);
    const { id } = staged.body;
    await activate(app, admin, id);
    assertRefused(await signIn(id));
    await suspend(app, owner, id);
    await activate(app, owner, id);
    assert.equal((await userOf(await signIn(id))).userSid, boss.userSid);
  });

  test('nobody who was deactivated', async () => {
    idp.claims = { sub: 'kate', email: 'kate@example.com' };
    const { userSid } = await userOf(await signIn());
    await app.sql(`update users set status = 'DEACTIVATED' where sid = $1`, [userSid]);
    assertRefused(await signIn());
  });

  test('nobody once it is suspended, also not in the middle of a sign-in', async () => {
    const { id } = await made({ justInTime: true });
    const browser = ssoBrowser(app);
    const step = await begin(browser, id);
    await suspend(app, owner, id);
    assertRefused(await finish(browser, step));
    assertRefused(await browser.request(browser.start(id)));
  });
});

suite('verification asks the provider itself', () => {
  const refusals: [string, Record<string, unknown>][] = [
    ['another issuer', { issuer: 'https://honest.example' }],
    ['no key set', { jwks_uri: undefined }],
    ['a token endpoint inside our network', { token_endpoint: 'http://169.254.169.254/latest' }],
    ['an authorization endpoint that is no web address', { authorization_endpoint: 'javascript:alert(1)' }],
    ['no code flow', { response_types_supported: ['id_token'] }],
    ['no S256', { code_challenge_methods_supported: ['plain'] }],
    ['no agreed algorithm', { id_token_signing_alg_values_supported: ['HS256'] }],
  ];
  for (const [what, metadata] of refusals) {
    test(`a discovery document with ${what} is refused`, async () => {
      const publicConfig = { issuer: idp.issuer, clientId: 'godwit' };
      const { body } = await stage(app, owner, { protocol: 'OIDC', publicConfig });
      idp.metadata = metadata;
      const reply = await activate(app, owner, body.id);
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'CONFLICT'], reply.text);
      assert.equal((await app.get(`${app.at}/identity/providers/${body.id}`)).body.state, 'STAGED');
    });
  }
});

suite('races and sweeps', () => {
  test('of sign-ins that end while the provider is suspended no session is left', async () => {
    const { id } = await made({ justInTime: true });
    const browsers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const browser = ssoBrowser(app);
        return { browser, step: await begin(browser, id) };
      }),
    );
    idp.claims = { sub: 'racer', email: 'racer@example.com' };
    const [suspension, ...visits] = await Promise.all([
      suspend(app, owner, id),
      ...browsers.map(({ browser, step }) => finish(browser, step)),
    ]);
    assert.equal(suspension.status, 200, suspension.text);
    assert.ok(visits.every(({ status }) => status === 302 || status === 401));
    assert.equal(await app.count(`sessions where provider_id = '${id}' and revoked_at is null`), 0);
  });

  test('what can no longer be answered is swept away, and nothing else', async () => {
    await begin(ssoBrowser(app));
    app.clock.advance(11 * 60_000);
    await begin(ssoBrowser(app));
    const { database, clock } = app;
    await sweepSsoRequests.run({ database, now: () => clock.now() } as never);
    assert.equal(await app.count('sso_requests'), 1);
  });
});
