import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { activate, activeProvider, stage, suspend } from '../../../../test/harness/providers.ts';
import { startSession } from '../sessions/sessions.ts';
import { certificate } from '../sso/saml.test-data.ts';

let app: TestApp;
let owner: Person;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  owner = await person(app);
});

const at = () => `${app.at}/identity/providers`;
const saml = (more: object = {}) => ({
  protocol: 'SAML',
  publicConfig: {
    entryPoint: 'https://idp.example.com/sso',
    idpEntityId: 'https://idp.example.com',
    certificates: [certificate],
    ...more,
  },
});
const detailsOf = (reply: { body: { error: { details: { path: string }[] } } }) =>
  reply.body.error.details.map(({ path }) => path).sort();

suite('a configuration is refused with the path of what is wrong', () => {
  const cases: [string, object, string[]][] = [
    ['an unknown key', { protocol: 'TOTP', publicConfig: { digits: 8 } }, ['publicConfig.digits']],
    [
      'what is missing',
      { protocol: 'OIDC', publicConfig: {} },
      ['publicConfig.clientId', 'publicConfig.issuer'],
    ],
    [
      'an issuer without https',
      { protocol: 'OIDC', publicConfig: { issuer: 'http://id.example.com', clientId: 'x' } },
      ['publicConfig.issuer'],
    ],
    [
      'an issuer inside our network',
      { protocol: 'OIDC', publicConfig: { issuer: 'https://169.254.169.254', clientId: 'x' } },
      ['publicConfig.issuer'],
    ],
    [
      'an entry point without https',
      saml({ entryPoint: 'http://idp.example.com' }),
      ['publicConfig.entryPoint'],
    ],
    ['no certificate', saml({ certificates: ['MIIB'] }), ['publicConfig.certificates[0]']],
    ['a link by e-mail without domains', saml({ linkByVerifiedEmail: true }), ['publicConfig.emailDomains']],
    [
      'ownership for a group',
      { protocol: 'SCIM', publicConfig: { groupRoles: { Bosses: 'OWNER' } } },
      ['publicConfig.groupRoles.Bosses'],
    ],
    [
      'ownership for new people',
      saml({ justInTime: true, emailDomains: ['example.com'], defaultRole: 'OWNER' }),
      ['publicConfig.defaultRole'],
    ],
    ['a default role for nobody', saml({ defaultRole: 'VIEWER' }), ['publicConfig.defaultRole']],
    [
      'a credential read from elsewhere',
      {
        protocol: 'OIDC',
        publicConfig: { issuer: 'https://id.example.com', clientId: 'x' },
        credentialRef: 'env:SECRET',
      },
      ['credentialRef'],
    ],
    ['a credential nobody needs', { ...saml(), credentialRef: 'secret' }, ['credentialRef']],
  ];
  for (const [what, provider, paths] of cases) {
    test(what, async () => {
      const reply = await stage(app, owner, provider as never);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(detailsOf(reply), paths);
    });
  }
});

suite('the life of a provider', () => {
  test('it is staged, activated, suspended and activated again, and each step is in the audit chain', async () => {
    const staged = await stage(app, owner, saml());
    assert.equal(staged.status, 201, staged.text);
    const { id } = staged.body;
    assert.equal(staged.body.state, 'STAGED');
    assert.equal(staged.headers.get('location'), `${at()}/${id}`);
    assert.equal((await suspend(app, owner, id)).status, 409);
    assert.equal((await activate(app, owner, id)).body.state, 'ACTIVE');
    assert.equal((await activate(app, owner, id)).status, 409);
    assert.equal((await suspend(app, owner, id)).body.state, 'SUSPENDED');
    const again = await activate(app, owner, id);
    assert.deepEqual([again.body.state, again.body.directoryToken], ['ACTIVE', null]);
    const entries = await app.sql<{ action: string }>(
      'select action from audit_entries where resource = $1 order by sequence',
      [id],
    );
    assert.deepEqual(
      entries.map(({ action }) => action.replace('identity_provider.', '')),
      ['created', 'verified', 'activated', 'suspended', 'sessions_ended', 'verified', 'activated'],
    );
  });

  test('a key is taken once in an organization, and free in another', async () => {
    assert.equal((await stage(app, owner, { ...saml(), providerKey: 'okta' })).status, 201);
    const second = await stage(app, owner, { ...saml(), providerKey: 'okta' });
    assert.deepEqual([second.status, second.body.error.code], [409, 'CONFLICT']);
    const { accountSid } = await app.newAccount();
    const elsewhere = await person(app, { accountSid });
    assert.equal((await stage(app, elsewhere, { ...saml(), providerKey: 'okta' })).status, 201);
  });

  test('whoever has access sees them, in either environment; another organization does not', async () => {
    const { body } = await stage(app, owner, saml());
    for (const key of [app.sandboxKey, app.liveKey]) {
      const list = await app.get(`${at()}?limit=100`, { authorization: `Bearer ${key}` });
      assert.ok(list.body.data.some(({ id }: { id: string }) => id === body.id));
    }
    const stranger = await app.newAccount();
    const reply = await app.get(`/v1/accounts/${stranger.accountSid}/identity/providers/${body.id}`, {
      authorization: `Bearer ${stranger.sandboxKey}`,
    });
    assert.equal(reply.status, 404);
  });

  test('a certificate that has expired or is not valid yet keeps it from being activated', async () => {
    const start = app.clock.now();
    const { body } = await stage(app, owner, saml());
    for (const [moment, issue] of [
      ['2020-01-01T00:00:00Z', 'is not valid yet'],
      ['2090-01-01T00:00:00Z', 'has expired'],
    ] as const) {
      app.clock.set(moment);
      const admin = await person(app);
      const reply = await activate(app, admin, body.id);
      assert.equal(reply.status, 409, reply.text);
      assert.deepEqual(reply.body.error.details, [{ path: 'publicConfig.certificates[0]', issue }]);
    }
    app.clock.set(start);
    assert.equal((await app.get(`${at()}/${body.id}`)).body.state, 'STAGED');
  });

  test('an issuer that cannot be reached keeps it from being activated, without a word about why inside', async () => {
    const publicConfig = { issuer: 'https://nowhere.invalid', clientId: 'godwit' };
    const { body } = await stage(app, owner, { protocol: 'OIDC', publicConfig });
    const reply = await activate(app, owner, body.id);
    assert.equal(reply.status, 409, reply.text);
    assert.deepEqual(reply.body.error.details, [
      {
        path: 'publicConfig.issuer',
        issue: 'its discovery document cannot be used: The host name could not be resolved.',
      },
    ]);
  });

  test('one that cannot be verified leaves the step-up token as good as before', async () => {
    const publicConfig = { issuer: 'https://nowhere.invalid', clientId: 'godwit' };
    const { body } = await stage(app, owner, { protocol: 'OIDC', publicConfig });
    const stepUpToken = await owner.stepUp('IDENTITY_PROVIDER_ACTIVATE');
    const ask = (id: string) =>
      app.post(`${at()}/${id}/activate`, { reason: 'For a test', stepUpToken }, owner.headers);
    assert.equal((await ask(body.id)).body.error.code, 'CONFLICT');
    const good = await stage(app, owner, { protocol: 'TOTP', publicConfig: {} });
    assert.equal((await ask(good.body.id)).status, 200);
    const another = await stage(app, owner, { protocol: 'TOTP', publicConfig: {} });
    assert.equal((await ask(another.body.id)).body.error.code, 'STEP_UP_REQUIRED');
  });

  test('a credential that was never stored keeps it from being activated', async () => {
    const publicConfig = { issuer: 'https://id.example.com', clientId: 'godwit' };
    const { body } = await stage(app, owner, { protocol: 'OIDC', publicConfig, credentialRef: 'missing' });
    assert.deepEqual(detailsOf(await activate(app, owner, body.id)), ['credentialRef']);
  });
});

suite('a directory', () => {
  test('gets its token once with every activation, and loses it with the suspension', async () => {
    const first = await activeProvider(app, owner, { protocol: 'SCIM', publicConfig: {} });
    assert.match(first.directoryToken, /^gw_scim_[0-9a-z]{52}$/);
    const asks = (token: string) =>
      app.get('/scim/v2/ServiceProviderConfig', { authorization: `Bearer ${token}` });
    assert.equal((await asks(first.directoryToken)).status, 200);
    const stored = await app.sql<{ found: boolean }>(
      `select to_jsonb(p)::text like '%' || $1 || '%' as found from identity_providers p where id = $2`,
      [first.directoryToken.slice(8), first.id],
    );
    assert.deepEqual(stored, [{ found: false }]);
    await suspend(app, owner, first.id);
    assert.equal((await asks(first.directoryToken)).status, 401);
    const second = await activate(app, owner, first.id);
    assert.notEqual(second.body.directoryToken, first.directoryToken);
    assert.equal((await asks(first.directoryToken)).status, 401);
    assert.equal((await asks(second.body.directoryToken)).status, 200);
  });
});

suite('who may', () => {
  test('an administrator of one account cannot make a provider of the whole organization', async () => {
    const admin = await person(app, { roles: ['ADMIN'], scopeKind: 'ACCOUNT' });
    const reply = await stage(app, admin, saml());
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'AUTHORIZATION_ERROR']);
  });

  test('nobody gives roles in an environment where they hold none', async () => {
    const admin = await person(app, { roles: ['ADMIN'], environment: 'sandbox' });
    const groupRoles = { Developers: 'DEVELOPER' };
    const here = await stage(app, admin, { protocol: 'SCIM', publicConfig: { groupRoles } });
    assert.deepEqual(
      [here.status, here.body.roleEnvironment, here.body.roleAccountSid],
      [201, 'sandbox', app.accountSid],
    );
    for (const roleEnvironment of ['live', 'both']) {
      const reply = await stage(app, admin, {
        protocol: 'SCIM',
        publicConfig: { groupRoles, roleEnvironment },
      });
      assert.equal(reply.status, 403, reply.text);
      assert.deepEqual(detailsOf(reply), ['publicConfig.groupRoles.Developers']);
    }
  });

  test('every step needs the second factor for exactly that step', async () => {
    const { body } = await stage(app, owner, saml());
    for (const name of ['activate', 'suspend']) {
      for (const stepUpToken of ['', await owner.stepUp('IDENTITY_PROVIDER_CREATE')]) {
        const reply = await app.post(
          `${at()}/${body.id}/${name}`,
          { reason: 'x', stepUpToken },
          owner.headers,
        );
        assert.deepEqual([reply.status, reply.body.error.code], [403, 'STEP_UP_REQUIRED']);
        assert.equal(reply.body.error.details[0].issue, `IDENTITY_PROVIDER_${name.toUpperCase()}`);
      }
    }
    assert.equal((await app.get(`${at()}/${body.id}`)).body.state, 'STAGED');
  });
});

suite('suspension', () => {
  test('ends the sessions it authenticated at once, and no others', async () => {
    const provider = await activeProvider(app, owner, saml());
    const guest = await person(app, { roles: ['VIEWER'] });
    const { organizationId, userSid } = guest;
    const session = await app.database.system((s) =>
      startSession(s, app.clock.now(), {
        organizationId,
        userSid,
        livemode: false,
        methods: ['saml'],
        providerId: provider.id,
        address: '127.0.0.1',
        userAgent: 'test',
        absoluteTimeoutHours: 24,
      }),
    );
    const headers = { authorization: undefined, cookie: `__Host-godwit-session-sandbox=${session.token}` };
    assert.equal((await app.get(at(), headers)).status, 200);
    await suspend(app, owner, provider.id);
    assert.equal((await app.get(at(), headers)).status, 401);
    assert.equal((await app.get(at(), guest.headers)).status, 200);
  });

  test('of 50 activations at once exactly one succeeds', async () => {
    const { body } = await stage(app, owner, { protocol: 'SCIM', publicConfig: {} });
    const tokens: string[] = [];
    for (let i = 0; i < 50; i += 1) tokens.push(await owner.stepUp('IDENTITY_PROVIDER_ACTIVATE'));
    const replies = await Promise.all(
      tokens.map((stepUpToken) =>
        app.post(`${at()}/${body.id}/activate`, { reason: 'race', stepUpToken }, owner.headers),
      ),
    );
    const good = replies.filter(({ status }) => status === 200);
    assert.equal(good.length, 1);
    assert.ok(replies.every(({ status }) => status === 200 || status === 409 || status === 503));
  });
});
