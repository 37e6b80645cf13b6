import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import idpLibrary from '@boxyhq/saml20';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { activeProvider, suspend } from '../../../../test/harness/providers.ts';
import {
  type Asked,
  assertionXml,
  encoded,
  honest,
  readRequest,
  responseXml,
  type Said,
  signed,
} from '../../../../test/harness/saml-provider.ts';
import { type SsoBrowser, ssoBrowser, type Visit } from '../../../../test/harness/sso-browser.ts';
import { certificate, otherPrivateKey, privateKey } from './saml.test-data.ts';

let app: TestApp;
let owner: Person;
let providerId: string;
const lifetime = sharedLifetime();

before(async () => {
  app = await startTestApp(lifetime);
  owner = await person(app);
  providerId = (await made()).id;
});
beforeEach(() => app.clock.advance(10_000)); // the limit per address refills

const made = (more: object = {}) =>
  activeProvider(app, owner, {
    protocol: 'SAML',
    publicConfig: {
      entryPoint: 'https://idp.example.com/sso',
      idpEntityId: 'https://idp.example.com',
      certificates: [certificate],
      justInTime: true,
      emailDomains: ['example.com'],
      ...more,
    },
  });

async function begin(browser: SsoBrowser, id = providerId): Promise<Asked> {
  const visit = await browser.request(browser.start(id));
  assert.equal(visit.status, 302, visit.text);
  assert.match(visit.headers.get('set-cookie')!, /^__Host-godwit-sso-form=.*SameSite=None/);
  return readRequest(visit.headers.get('location')!);
}

function post(browser: SsoBrowser, { acsUrl, relayState }: Asked, xml: string): Promise<Visit> {
  const body = new URLSearchParams({ SAMLResponse: encoded(xml), RelayState: relayState });
  return browser.request(acsUrl, { method: 'POST', body });
}

const key = { key: privateKey };
const good = (said: Said) => signed(responseXml(said), 'Assertion', key);

type Write = (said: Said) => string;

async function attempt(write: Write = good, browser = ssoBrowser(app), name?: string): Promise<Visit> {
  const asked = await begin(browser);
  return post(browser, asked, write(honest(asked, app.clock.now(), name)));
}

function assertRefused(visit: Visit): void {
  assert.equal(visit.status, 401, visit.text);
  const { error } = JSON.parse(visit.text);
  assert.deepEqual([error.code, error.details], ['AUTHENTICATION_ERROR', undefined]);
  assert.equal(visit.headers.get('set-cookie'), null);
}

const sessionOf = async (visit: Visit) => {
  assert.equal(visit.status, 303, visit.text);
  const cookie = visit.headers.get('set-cookie')!.split(';')[0]!;
  return (await app.get('/v1/auth/session', { authorization: undefined, cookie })).body;
};

suite('an honest assertion', () => {
  test('of an identity provider nobody here wrote signs a person in', async () => {
    const start = app.clock.now();
    app.clock.set(new Date()); // the library goes by the real time
    const browser = ssoBrowser(app);
    const asked = await begin(browser);
    const response = await idpLibrary.default.createSAMLResponse({
      audience: asked.entityId,
      issuer: 'https://idp.example.com',
      acsUrl: asked.acsUrl,
      requestId: asked.id,
      claims: { email: 'bob@example.com', raw: { email: 'bob@example.com' } },
      privateKey,
      publicKey: certificate,
    });
    const session = await sessionOf(await post(browser, asked, response));
    assert.deepEqual([session.methods, session.user.email], [['saml'], 'bob@example.com']);
    app.clock.set(start);
  });

  test('signed alone or with the whole answer signs in, and the same name is the same person', async () => {
    const first = await sessionOf(await attempt());
    const both = (said: Said) => signed(good(said), 'Response', key);
    assert.equal((await sessionOf(await attempt(both))).userSid, first.userSid);
    assert.deepEqual(first.methods, ['saml']);
  });

  test('the metadata tells a provider where to send it', async () => {
    const { text, headers } = await app.get(`/v1/auth/sso/${providerId}/metadata`, {
      authorization: undefined,
    });
    assert.equal(headers.get('content-type'), 'application/samlmetadata+xml');
    assert.ok(text.includes(`entityID="${app.url}/v1/auth/sso/${providerId}/metadata"`));
    assert.ok(text.includes(`Location="${app.url}/v1/auth/sso/${providerId}/acs"`));
    assert.ok(text.includes('WantAssertionsSigned="true"'));
    for (const unknown of ['nothing', '00000000-0000-7000-8000-000000000000']) {
      assert.equal((await app.get(`/v1/auth/sso/${unknown}/metadata`)).status, 404);
    }
  });
});

const evil = (said: Said): Said => ({
  ...said,
  assertionId: '_evil',
  nameId: 'mallory',
  email: 'mallory@example.com',
});
const inObject = (xml: string) =>
  `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${xml}</ds:Object>`;
const signedAssertion = (said: Said) => signed(assertionXml(said), 'Assertion', key);

suite('every other assertion gets the one refusal, and no session', () => {
  const attacks: [string, Write][] = [
    ['unsigned', (said) => responseXml(said)],
    ['signed by somebody else', (said) => signed(responseXml(said), 'Assertion', { key: otherPrivateKey })],
    ['with only the answer around it signed', (said) => signed(responseXml(said), 'Response', key)],
    ['changed after it was signed', (said) => good(said).replace('>alice<', '>mallory<')],
    ['signed with SHA-1', (said) => signed(responseXml(said), 'Assertion', { ...key, weak: true })],
    [
      'wrapped: a forged one before the signed one',
      (said) => responseXml(said, assertionXml(evil(said)) + signedAssertion(said)),
    ],
    [
      'wrapped: a forged one after the signed one',
      (said) => responseXml(said, signedAssertion(said) + assertionXml(evil(said))),
    ],
    [
      'wrapped: the signed one inside a forged one',
      (said) =>
        responseXml(
          said,
          assertionXml(evil(said)).replace(
            '</saml:Assertion>',
            `${inObject(signedAssertion(said))}</saml:Assertion>`,
          ),
        ),
    ],
    [
      'wrapped: the signed one inside the signature of a forged one',
      (said) => {
        const [, signature] = /(<Signature[\s\S]*<\/Signature>)/.exec(signedAssertion(said))!;
        const bare = assertionXml(said);
        const holder = signature!.replace('</Signature>', `<Object>${bare}</Object></Signature>`);
        return responseXml(
          said,
          assertionXml(evil(said)).replace('</saml:Issuer>', `</saml:Issuer>${holder}`),
        );
      },
    ],
    [
      'wrapped: a forged one that took the identity of the signed one',
      (said) => {
        const forged = assertionXml({ ...evil(said), assertionId: said.assertionId });
        return responseXml(said, forged + inObject(signedAssertion(said)));
      },
    ],
    [
      'wrapped: the signed one among extensions',
      (said) =>
        responseXml(
          said,
          `<samlp:Extensions>${signedAssertion(said)}</samlp:Extensions>${assertionXml(evil(said))}`,
        ),
    ],
    [
      'expired',
      (said) => good({ ...said, notOnOrAfter: new Date(app.clock.now().getTime() - 61_000).toISOString() }),
    ],
    ['without an end', (said) => good({ ...said, notOnOrAfter: null })],
    [
      'not valid yet',
      (said) => good({ ...said, notBefore: new Date(app.clock.now().getTime() + 120_000).toISOString() }),
    ],
    [
      'confirmed too long ago',
      (said) => good({ ...said, confirmedUntil: new Date(app.clock.now().getTime() - 61_000).toISOString() }),
    ],
    ['confirmed without an end', (said) => good({ ...said, confirmedUntil: null })],
    [
      'confirmed by other means',
      (said) => good({ ...said, method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }),
    ],
    ['for another audience', (said) => good({ ...said, audience: 'https://other.example' })],
    ['for every audience', (said) => good({ ...said, audience: null })],
    ['for another recipient', (said) => good({ ...said, recipient: 'https://other.example/acs' })],
    ['sent to another destination', (said) => good({ ...said, destination: 'https://other.example/acs' })],
    ['of another issuer', (said) => good({ ...said, issuer: 'https://evil.example' })],
    ['that nobody asked for', (said) => good({ ...said, inResponseTo: null })],
    ['that answers another request', (said) => good({ ...said, inResponseTo: '_another' })],
    [
      'with a passing name',
      (said) => good({ ...said, nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    ],
    ['with no name', (said) => good({ ...said, nameId: '' })],
    ['with a comment inside the name', (said) => good(said).replace('>alice<', '>al<!-- x -->ice<')],
    ['with a document type', (said) => `<!DOCTYPE x [<!ENTITY e "alice">]>${good(said)}`],
    ['with a failure inside', (said) => responseXml(said, '').replace(':Success', ':Requester')],
    ['that is no XML', () => 'hello'],
    ['that is no answer', (said) => signedAssertion(said)],
  ];
  for (const [what, write] of attacks) {
    test(what, async () => {
      const before = await app.count(`audit_entries where action = 'sign_in.failed'`);
      const browser = ssoBrowser(app);
      assertRefused(await attempt(write, browser));
      assert.ok(!browser.isSignedIn());
      assert.equal(await app.count(`users where email = 'mallory@example.com'`), 0);
      assert.equal(await app.count(`audit_entries where action = 'sign_in.failed'`), before + 1);
    });
  }
});

suite('an assertion works once', () => {
  test('posted again, by the same browser or another', async () => {
    const browser = ssoBrowser(app);
    const asked = await begin(browser);
    const xml = good(honest(asked, app.clock.now()));
    assert.equal((await post(browser, asked, xml)).status, 303);
    assertRefused(await post(browser, asked, xml));
    const victim = ssoBrowser(app);
    const another = await begin(victim);
    assertRefused(await post(victim, another, xml));
  });

  test('of 20 copies at once exactly one signs in', async () => {
    const browser = ssoBrowser(app);
    const asked = await begin(browser);
    const xml = good(honest(asked, app.clock.now()));
    const visits = await Promise.all(Array.from({ length: 20 }, () => post(browser, asked, xml)));
    assert.equal(visits.filter(({ status }) => status === 303).length, 1);
  });

  test('its identity is spent, also for another request', async () => {
    const assertionId = '_the-same';
    assert.equal((await attempt((said) => good({ ...said, assertionId }))).status, 303);
    assertRefused(await attempt((said) => good({ ...said, assertionId })));
  });

  test('a browser that did not ask cannot use it', async () => {
    const asked = await begin(ssoBrowser(app));
    const xml = good(honest(asked, app.clock.now()));
    assertRefused(await post(ssoBrowser(app), asked, xml));
  });

  test('a request made to one provider is not answered by another', async () => {
    const other = await made();
    const browser = ssoBrowser(app);
    const asked = await begin(browser);
    const { assertionConsumer: acsUrl, entityId } = other.urls;
    const said = honest({ ...asked, acsUrl, entityId }, app.clock.now(), 'dora');
    assertRefused(await post(browser, { ...asked, acsUrl }, good(said)));
  });
});

suite('whom a provider may let in', () => {
  test('an address outside its domains makes nobody', async () => {
    assertRefused(await attempt((said) => good({ ...said, nameId: 'eve', email: 'eve@evil.example' })));
  });

  test('somebody who is there is linked by an address of its domains', async () => {
    const { userSid, email } = await person(app, { roles: ['VIEWER'] });
    const { id } = await made({ justInTime: false, linkByVerifiedEmail: true });
    const browser = ssoBrowser(app);
    const asked = await begin(browser, id);
    const said = { ...honest(asked, app.clock.now(), 'known'), email };
    assert.equal((await sessionOf(await post(browser, asked, good(said)))).userSid, userSid);
  });

  test('nobody once it is suspended in the middle of a sign-in', async () => {
    const { id } = await made();
    const browser = ssoBrowser(app);
    const asked = await begin(browser, id);
    await suspend(app, owner, id);
    assertRefused(await post(browser, asked, good(honest(asked, app.clock.now()))));
  });
});

suite('the form', () => {
  test('must be a form, with its fields given once', async () => {
    const { acsUrl, relayState } = await begin(ssoBrowser(app));
    const send = async (body: string, type: string) =>
      JSON.parse(
        (await app.send('POST', acsUrl.slice(app.url.length), { body, headers: { 'content-type': type } }))
          .text,
      );
    const json = await send(
      JSON.stringify({ SAMLResponse: 'x', RelayState: relayState }),
      'application/json',
    );
    assert.deepEqual(json.error.details, [
      { path: 'Content-Type', issue: 'must be application/x-www-form-urlencoded' },
    ]);
    const twice = await send(
      `SAMLResponse=x&SAMLResponse=y&RelayState=${relayState}`,
      'application/x-www-form-urlencoded',
    );
    assert.deepEqual(twice.error.details, [{ path: 'SAMLResponse', issue: 'must be given once' }]);
  });
});
