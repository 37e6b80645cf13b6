// A business account is connected anew in a real browser: begun by the API, continued on the provider's page, ended on ours; and
// everything people do on the way instead.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { bearer, startTestApp, type TestApp } from '../harness/app.ts';
import { launchBrowser } from '../harness/browser.ts';
import { strangersWaba, why } from '../harness/connections.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { type Person, person } from '../harness/people.ts';
import { until } from '../harness/until.ts';

let app: TestApp;
let browser: Browser;
let owner: Person;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { role: 'all', simulator: true });
  owner = await person(app, { accountSid: app.accountSid });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

type Waba = { sid: string; providerWabaId: string; senders: { sid: string }[] };

const pass = async (ms: number) => {
  app.clock.advance(ms);
  await app.simulator.control.advance(0); // the provider's clock is ours: it does what has fallen due
};
const settled = <T>(what: string, look: () => Promise<T | undefined>) =>
  until(what, async () => {
    await pass(100);
    return look();
  });
const get = async (path: string) => (await app.get(`${app.at}${path}`, bearer(app.sandboxKey))).body;
const connectionOf = async ({ sid }: Waba) => (await get(`/wabas/${sid}`)).connection;
const operation = (sid: string) => get(`/operations/${sid}`);

async function send({ senders }: Waba) {
  const template = { name: 'hello_world', language: 'en' };
  const body = { from: senders[0]!.sid, to: '+33612003400', type: 'template', template };
  return app.post(`${app.at}/messages`, body, bearer(app.sandboxKey));
}

async function delivered(waba: Waba): Promise<void> {
  const sent = await send(waba);
  assert.equal(sent.status, 201, sent.text);
  await settled('it was delivered', async () => {
    const { status } = await get(`/messages/${sent.body.sid}`);
    return ['delivered', 'read'].includes(status) || undefined;
  });
}

/** A disconnected account whose reconnect waits for somebody. */
async function waiting() {
  const key = bearer(app.sandboxKey);
  const made = await app.post(`${app.at}/wabas`, { name: 'Depot' }, key);
  const waba: Waba = made.body;
  await delivered(waba); // the simulator hears of an account with the first call for it
  await app.post(`${app.at}/wabas/${waba.sid}/disconnect`, { reason: 'By mistake' }, key);
  const { headers } = await owner.signInAgain();
  const stepUpToken = await owner.stepUp('WABA_RECONNECT', headers);
  const begun = await app.post(`${app.at}/wabas/${waba.sid}/reconnect`, { ...why, stepUpToken }, headers);
  assert.equal(begun.status, 202, begun.text);
  return { waba, operationSid: begun.body.sid as string, url: begun.body.nextAction.url as string };
}

async function open(url: string): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await page.goto(url);
  await sees(page, 'Connect a business account');
  return page;
}
const sees = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const connected = (waba: Waba) =>
  settled('it is connected', async () => (await connectionOf(waba)).state === 'CONNECTED' || undefined);

suite('somebody who signs up at the provider', () => {
  test('continues, and the account is connected and sends its first message', async () => {
    const { waba, operationSid, url } = await waiting();
    assert.notEqual((await send(waba)).status, 201);
    const page = await open(url);
    await press(page, 'Continue');
    await sees(page, 'The account is being connected');
    await connected(waba);
    assert.equal((await operation(operationSid)).state, 'SUCCEEDED');
    await delivered(waba);
    await page.context().close();
  });

  test('cancels and changes their mind: the new link works', async () => {
    const { waba, operationSid, url } = await waiting();
    const page = await open(url);
    await press(page, 'Cancel');
    await sees(page, 'You left the signup');
    assert.equal((await connectionOf(waba)).state, 'DISCONNECTED');
    const { nextAction } = await operation(operationSid);
    assert.notEqual(nextAction.url, url);
    await page.goto(nextAction.url);
    await press(page, 'Continue');
    await sees(page, 'The account is being connected');
    await connected(waba);
    await page.context().close();
  });

  test('takes 31 seconds to come back: it was too long, and nothing has changed', async () => {
    const { waba, operationSid, url } = await waiting();
    const page = await open(url);
    await press(page, 'Continue, but take your time');
    await pass(31_000);
    await page.getByRole('link', { name: 'Back to the app' }).click();
    await sees(page, 'That took too long');
    const { state, result } = await operation(operationSid);
    assert.deepEqual([state, result.lastSignup.code], ['WAITING', 'ONBOARDING_CODE_EXPIRED']);
    assert.equal((await connectionOf(waba)).state, 'DISCONNECTED');
    await page.context().close();
  });

  test('chooses the account of another business: it is not connected, and what they gave is dropped', async () => {
    const { waba, operationSid, url } = await waiting();
    const page = await open(url);
    await page.locator(`input[value="${strangersWaba}"]`).check();
    await press(page, 'Continue');
    await sees(page, 'You chose another account');
    assert.equal((await operation(operationSid)).result.lastSignup.outcome, 'other_account');
    assert.equal((await connectionOf(waba)).state, 'DISCONNECTED');
    await page.context().close();
  });

  test('opens the link twice: the first to continue connects the account, the second is told nothing', async () => {
    const { waba, url } = await waiting();
    const [first, second] = [await open(url), await open(url)];
    await press(first, 'Continue');
    await sees(first, 'The account is being connected');
    await press(second, 'Continue');
    await sees(second, 'This link does not work');
    await connected(waba);
    for (const page of [first, second]) await page.context().close();
  });

  test('goes back in the browser and continues again: nothing happens twice', async () => {
    const { waba, operationSid, url } = await waiting();
    const page = await open(url);
    await press(page, 'Continue');
    await sees(page, 'The account is being connected');
    await connected(waba);
    const ended = await operation(operationSid);
    await page.goBack();
    await press(page, 'Continue');
    await sees(page, 'This link does not work');
    await page.reload();
    await sees(page, 'This link does not work');
    assert.deepEqual(await operation(operationSid), ended);
    await page.context().close();
  });
});

test('messages of which no report came are settled by a reconcile', async () => {
  const key = bearer(app.sandboxKey);
  const waba: Waba = (await app.post(`${app.at}/wabas`, { name: 'Depot' }, key)).body;
  await delivered(waba);
  app.simulator.control.change('wabas', waba.providerWabaId, { subscribed: false });
  const { body: message } = await send(waba);
  await settled('the provider has it', async () => {
    const accepted = app.simulator.control.messagesWithOpaque(message.sid);
    return accepted.length > 0 || undefined;
  });
  await pass(60_000);
  const begun = await app.post(`${app.at}/wabas/${waba.sid}/reconcile-subscription`, why, key);
  const ended = await settled('the reconcile has ended', async () => {
    const found = await operation(begun.body.sid);
    return found.finishedAt === null ? undefined : found;
  });
  assert.deepEqual([ended.state, ended.result.resubscribed], ['SUCCEEDED', true]);
  assert.deepEqual(ended.result.messages, { asked: 1, settled: 1 });
  assert.ok(['delivered', 'read'].includes((await get(`/messages/${message.sid}`)).status));
});
