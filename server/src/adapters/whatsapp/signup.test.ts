// A signup from its page at the simulated provider to a token, and what the token is worth.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sandboxToken, simulatorAppId, startSimulator } from '../../../../simulator/src/index.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Answered, answerOf } from '../../modules/provider/index.ts';
import { createProvider } from './provider.ts';

const lifetime = sharedLifetime();
const provider = createProvider();
lifetime.after(async () => provider.close());
let nowMs = Date.parse('2026-08-21T10:00:00.000Z');
const simulator = await startSimulator({
  port: 0,
  appSecret: 'app-secret',
  verifyToken: 'verify-token',
  callbackUrl: null,
  seed: 'signup',
  clock: { now: () => new Date(nowMs) },
  instant: true,
});
lifetime.after(() => simulator.stop());
const { control } = simulator;

const place = { baseUrl: simulator.url, apiVersion: 'v25.0' };
const app = { ...place, appId: simulatorAppId, appSecret: 'app-secret' };
const redirectUri = 'http://localhost:9/provider/signup/return';
const [businessId, wabaId, sisterId] = ['200000000000001', '104000200030001', '104000200030002'];
const phoneNumbers = [{ id: '106000300040005', number: '33180001000', name: 'Depot' }];
const first = { ...place, accessToken: sandboxToken({ businessId, wabaId, phoneNumbers }) };
await provider.listPhoneNumbers(first, wabaId, null);
await provider.listPhoneNumbers(
  { ...place, accessToken: sandboxToken({ businessId, wabaId: sisterId, phoneNumbers: [] }) },
  sisterId,
  null,
);

const asked = {
  client_id: simulatorAppId,
  redirect_uri: redirectUri,
  state: 'the-state',
  extras: JSON.stringify({ setup: { whatsAppBusinessAccount: { ids: [wabaId] } } }),
};
const dialog = (change: object = {}) =>
  fetch(`${simulator.url}/v25.0/dialog/oauth?${new URLSearchParams({ ...asked, ...change })}`);
const answer = (given: object) =>
  fetch(`${simulator.url}/dialog/oauth`, {
    method: 'POST',
    body: new URLSearchParams({ ...asked, ...given }),
    redirect: 'manual',
  });
const backFrom = (answered: Response) => new URL(answered.headers.get('location')!);
const codeFor = async (account: string) =>
  backFrom(await answer({ answer: 'continue', account })).searchParams.get('code')!;
const failureIn = (answered: Answered<unknown>) => (answered.ok ? null : answered.failure.code);

suite('the signup page', () => {
  test('offers the account it was opened for first, then the others of its business, and somebody else’s', async () => {
    const page = await dialog();
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
    const offered = [...(await page.text()).matchAll(/name="account" value="(\d+)"( checked)?/g)];
    assert.deepEqual(
      offered.map(([, id, checked]) => [id, checked !== undefined]),
      [
        [wabaId, true],
        [sisterId, false],
        ['109000000000009', false],
      ],
    );
  });

  test('shows nothing for another app or an address that is none, and reads nothing as markup', async () => {
    assert.equal((await dialog({ client_id: '1' })).status, 400);
    assert.equal((await dialog({ redirect_uri: 'javascript:alert(1)' })).status, 400);
    const page = await (await dialog({ state: '"><script>alert(1)</script>' })).text();
    assert.doesNotMatch(page, /<script>/);
    assert.equal((await answer({ answer: 'continue', account: '104999999999999' })).status, 400);
  });

  test('sends who cancels back with a refusal and the state', async () => {
    const back = backFrom(await answer({ answer: 'cancel', account: wabaId }));
    assert.equal(`${back.origin}${back.pathname}`, redirectUri);
    assert.deepEqual(
      ['error', 'state', 'code'].map((name) => back.searchParams.get(name)),
      ['access_denied', 'the-state', null],
    );
  });
});

suite('a code', () => {
  test('is exchanged for a token that names its account and opens it', async () => {
    const { accessToken } = answerOf(
      await provider.exchangeCode(app, { code: await codeFor(wabaId), redirectUri }),
    );
    assert.deepEqual(answerOf(await provider.debugToken(app, accessToken)), {
      valid: true,
      appId: simulatorAppId,
      wabaIds: [wabaId],
    });
    const { items } = answerOf(await provider.listPhoneNumbers({ ...place, accessToken }, wabaId, null));
    assert.deepEqual(
      items.map(({ id }) => id),
      ['106000300040005'],
    );
  });

  test('works once, for 30 seconds, and for who knows where it was sent', async () => {
    const code = await codeFor(wabaId);
    const elsewhere = { code, redirectUri: 'http://localhost:9/elsewhere' };
    assert.equal(failureIn(await provider.exchangeCode(app, elsewhere)), 'VALIDATION_ERROR');
    assert.ok((await provider.exchangeCode(app, { code, redirectUri })).ok);
    assert.equal(
      failureIn(await provider.exchangeCode(app, { code, redirectUri })),
      'ONBOARDING_CODE_EXPIRED',
    );

    const later = await answer({ answer: 'later', account: wabaId });
    const [, link] = /href="([^"]+)"/.exec(await later.text())!;
    const slow = new URL(link!.replaceAll('&amp;', '&')).searchParams.get('code')!;
    nowMs += 30_001;
    assert.equal(
      failureIn(await provider.exchangeCode(app, { code: slow, redirectUri })),
      'ONBOARDING_CODE_EXPIRED',
    );
  });

  test('whose answer is lost is not tried again: nobody knows whether it was used', async () => {
    control.addRule({ match: { path: 'access_token' }, behaviour: { answer: 'lost' }, count: 1 });
    const code = await codeFor(wabaId);
    assert.equal(
      failureIn(await provider.exchangeCode(app, { code, redirectUri })),
      'PROVIDER_RESULT_UNKNOWN',
    );
    control.clearRules();
  });
});

suite('a token', () => {
  test('that was revoked is refused and said to be invalid; the next signup makes one that works', async () => {
    assert.equal(control.revokeTokens(wabaId), true);
    assert.equal(failureIn(await provider.listPhoneNumbers(first, wabaId, null)), 'PROVIDER_TOKEN_INVALID');
    assert.equal(answerOf(await provider.debugToken(app, first.accessToken)).valid, false);
    const { accessToken } = answerOf(
      await provider.exchangeCode(app, { code: await codeFor(wabaId), redirectUri }),
    );
    assert.equal(answerOf(await provider.debugToken(app, accessToken)).valid, true);
    assert.ok((await provider.listPhoneNumbers({ ...place, accessToken }, wabaId, null)).ok);
  });

  test('of nobody, or looked at by another app, is told apart', async () => {
    assert.equal(answerOf(await provider.debugToken(app, 'nonsense')).valid, false);
    const stranger = { ...app, appSecret: 'wrong' };
    assert.equal(failureIn(await provider.debugToken(stranger, 'nonsense')), 'PROVIDER_TOKEN_INVALID');
  });
});

test('the apps that are told of an account are listed with where they are told', async () => {
  const accessToken = answerOf(
    await provider.exchangeCode(app, { code: await codeFor(sisterId), redirectUri }),
  ).accessToken;
  const connection = { ...place, accessToken };
  const apps = async () => answerOf(await provider.listSubscribedApps(connection, sisterId)).apps;
  control.change('wabas', sisterId, { otherAppIds: ['777'], overrideUrl: 'https://elsewhere.example/x' });
  assert.deepEqual(await apps(), [
    { appId: '777', overrideUrl: null },
    { appId: simulatorAppId, overrideUrl: 'https://elsewhere.example/x' },
  ]);
  await provider.unsubscribe(connection, sisterId);
  assert.deepEqual(await apps(), [{ appId: '777', overrideUrl: null }]);
  await provider.subscribe(connection, sisterId);
  assert.deepEqual((await apps())[1], { appId: simulatorAppId, overrideUrl: null });
});
