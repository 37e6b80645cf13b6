// A person in a real browser: signs in by password, adds a passkey, steps up with it, makes a key, and signs in again
// with both. The authenticator is the browser's own virtual one; nothing else is made up.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { launchBrowser } from '../../../../test/harness/browser.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { asOperator } from '../../../main/process/keys.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { createOwner, generatePassword } from '../index.ts';
import { totpCode } from './totp.ts';

let app: TestApp;
let browser: Browser;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

async function owner(email: string) {
  const { password, passwordHash } = await generatePassword();
  const tenant = { accountSid: app.accountSid, livemode: false };
  const context = { database: app.database, clock: app.clock, log: silentLog };
  await app.database.write(tenant, asOperator(context, false), (t) =>
    createOwner(t, { email, displayName: 'Ada', passwordHash }),
  );
  return { email, password };
}

/** A page with a passkey in its pocket, that remembers what it complained about. */
async function openPage() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const recognize = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  return { page, context, complaints, recognize };
}

async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.goto(`${app.url}/account`);
  await page.fill('#sign-in [name=email]', email);
  await page.fill('#sign-in [name=password]', password);
  await page.click('#sign-in button:not([type])');
}

async function makeKey(page: Page, name: string): Promise<void> {
  await page.fill('#new-key [name=name]', name);
  await page.click('#new-key button');
  await page.click('#step-up-proof .passkey');
}

test('a person adds a passkey, steps up with it and makes an API key, and signs in with both', async () => {
  const ada = await owner('ada@example.com');
  const { page, context, complaints } = await openPage();
  await signIn(page, ada);
  await page.waitForSelector('#account:not([hidden])');
  const [cookie] = await context.cookies(app.url);
  assert.deepEqual(
    [cookie!.name, cookie!.httpOnly, cookie!.secure, cookie!.sameSite],
    ['__Host-godwit-session-sandbox', true, true, 'Lax'],
  );

  await page.click('#add-passkey button');
  await page.waitForSelector('#recovery:not([hidden])');
  assert.equal(await page.locator('#codes li').count(), 10);
  assert.equal(await page.locator('#factors li span').textContent(), 'Passkey (passkey)');

  await makeKey(page, 'From the page');
  await page.waitForSelector('#key:not([hidden])');
  const key = await page.locator('#key-text').textContent();
  assert.equal((await app.get(`${app.at}/contacts`, bearer(key!))).status, 200);
  const [used] = await app.sql<{ action: string; method: string }>(
    'select action, method from step_up_tokens where used_at is not null',
  );
  assert.deepEqual(used, { action: 'API_KEY_CREATE', method: 'WEBAUTHN' });

  await page.click('#sign-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  await signIn(page, ada);
  await page.click('#sign-in-proof .passkey');
  await page.waitForSelector('#account:not([hidden])');
  const [session] = await app.sql<{ methods: string[] }>(
    'select methods from sessions where revoked_at is null',
  );
  assert.deepEqual(session!.methods, ['password', 'webauthn']);
  // Asking who is there before anybody is, and acts that first ask for a second factor, are refused as they should.
  assert.deepEqual(
    complaints.filter((text) => !/status of 40[13]/.test(text)),
    [],
  );
});

test('a passkey that does not recognize its person makes no key', async () => {
  const grace = await owner('grace@example.com');
  const { page, recognize } = await openPage();
  await signIn(page, grace);
  await page.click('#add-passkey button');
  await page.waitForSelector('#recovery:not([hidden])');
  await recognize(false);
  await makeKey(page, 'Never made');
  await page.waitForSelector('#notice:not([hidden])');
  assert.equal(await app.count("api_keys where name = 'Never made'"), 0);
  await recognize(true);
  await page.click('#step-up-proof .passkey');
  await page.waitForSelector('#key:not([hidden])');
});

test('a person adds an authenticator app beside a passkey, after proving the passkey', async () => {
  const joan = await owner('joan@example.com');
  const { page } = await openPage();
  await signIn(page, joan);
  await page.click('#add-passkey button');
  await page.waitForSelector('#recovery:not([hidden])');
  await page.click('#add-app button');
  const secret = page.locator('#app-secret');
  await secret.filter({ hasText: /^[A-Z2-7]{32}$/ }).waitFor();
  await page.fill('#prove-app [name=code]', totpCode((await secret.textContent())!, app.clock.now()));
  await page.click('#prove-app button');
  await page.locator('#factors li').nth(1).waitFor();
});

test('the page lets nothing foreign in: no inline script, no frame, no other host', async () => {
  const { page } = await openPage();
  const answer = await page.goto(`${app.url}/account`);
  const policy = answer!.headers()['content-security-policy']!;
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ]) {
    assert.ok(policy.includes(part), policy);
  }
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const ran = await page.evaluate(`(() => {
    try {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.head.append(script);
    } catch {}
    return globalThis.ran ?? false;
  })()`);
  assert.equal(ran, false);
});

test('after failures the page does the work it is asked for, and lets the right password in', async () => {
  const mary = await owner('mary@example.com');
  for (let i = 0; i < 5; i += 1) {
    const wrong = { email: mary.email, password: 'not the password' };
    assert.equal((await app.post('/v1/auth/sign-in', wrong, { authorization: undefined })).status, 401);
  }
  const { page } = await openPage();
  await signIn(page, mary);
  await page.waitForSelector('#account:not([hidden])', { timeout: 60_000 });
});
