// What people look after for themselves, in a real browser: password, second factors, sessions. The authenticator is the
// browser's own virtual one; nothing else is made up.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { totpCode } from '../../server/src/modules/identity/mfa/totp.ts';
import { tell } from '../../server/src/modules/notifications/fixtures.ts';
import { newSid } from '../../server/src/platform/ids.ts';
import { bearer } from '../../server/test/harness/app.ts';
import { goodPassword, withPassword } from '../../server/test/harness/sign-in.ts';
import { renewCodes, stepUpDialog, withCode } from './second-factors.ts';
import { isHome, sharedStage, signIn, withAuthenticator } from './stage.ts';
import { type Visitor, violations } from './visitor.ts';

const stage = sharedStage();
const { visitor, signedIn, home } = stage;

const isOwnPage = (page: Page) => page.getByRole('heading', { name: 'Your sign-in', level: 1 }).waitFor();
const codes = (page: Page) => page.getByRole('status').filter({ hasText: 'Recovery codes' });
const factor = (page: Page, name: string) => page.getByRole('row', { name });

/** Somebody at the page about themselves, by the address it had before there was a console. */
async function atOwnPage(email: string): Promise<Visitor & Awaited<ReturnType<typeof withAuthenticator>>> {
  const made = await visitor();
  const device = await withAuthenticator(made);
  await made.page.goto(`${stage.app.url}/account`);
  await signIn(made.page, email);
  await isOwnPage(made.page);
  made.troubles(); // that nobody has signed in is told by a 401, which browsers write down
  return { ...made, ...device };
}

async function addPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await codes(page).waitFor();
}

async function addApp(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name of the new factor').fill(name);
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  return await finishApp(page);
}

async function finishApp(page: Page): Promise<string> {
  const secret = (await page.locator('[data-app-secret]').textContent())!;
  assert.match(secret, /^[A-Z2-7]{32}$/);
  await page.getByLabel('Code of the app').fill(totpCode(secret, stage.app.clock.now()));
  await page.getByRole('button', { name: 'Finish' }).click();
  return secret;
}

async function askForKey(page: Page, name: string): Promise<void> {
  await page.goto(`${home('sandbox')}/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create the key' }).click();
  await stepUpDialog(page).waitFor();
}

suite('a passkey', () => {
  test('is added, shown for an API key, and signs in beside the password', async () => {
    const ada = await withPassword(stage.app);
    const { page, context, troubles, leave } = await atOwnPage(ada.email);
    const [cookie] = await context.cookies(stage.app.url);
    assert.deepEqual(
      [cookie!.name, cookie!.httpOnly, cookie!.secure, cookie!.sameSite],
      ['__Host-godwit-session-sandbox', true, true, 'Lax'],
    );
    await page.getByText('You have no second factor').waitFor();
    await addPasskey(page);
    assert.equal(await codes(page).getByRole('listitem').count(), 10);
    const code = (await codes(page).getByRole('listitem').first().textContent())!;
    await factor(page, 'Passkey').getByText('In use').waitFor();
    await codes(page).getByRole('button', { name: 'I have kept them' }).click();
    await codes(page).waitFor({ state: 'detached' });
    assert.equal((await page.content()).includes(code), false, 'they are nowhere any more');

    await askForKey(page, 'From the page');
    await stepUpDialog(page).getByRole('button', { name: 'Use a passkey' }).click();
    const key = (await page.locator('[data-secret=Key]').textContent())!;
    assert.equal((await stage.app.get(`${stage.app.at}/contacts`, bearer(key))).status, 200);
    const [used] = await stage.app.sql<{ action: string; method: string }>(
      'select action, method from step_up_tokens where used_at is not null and user_sid = $1',
      [ada.userSid],
    );
    assert.deepEqual(used, { action: 'API_KEY_CREATE', method: 'WEBAUTHN' });

    await page.getByRole('button', { name: 'Test person' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, ada.email);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await isHome(page);
    const open = await stage.app.sql<{ methods: string[] }>(
      'select methods from sessions where revoked_at is null and user_sid = $1',
      [ada.userSid],
    );
    // The other one is of before there was a passkey.
    assert.deepEqual(open.map(({ methods }) => methods.join(' ')).sort(), ['password', 'password webauthn']);
    // Asking who is there before anybody is, and acts that first ask for a second factor, are refused as they should.
    assert.deepEqual(
      troubles().filter((text) => !/status of 40[13]/.test(text)),
      [],
    );
    await leave();
  });
  test('that does not recognize its person makes no key', async () => {
    const grace = await withPassword(stage.app);
    const { page, recognize, leave } = await atOwnPage(grace.email);
    await addPasskey(page);
    await recognize(false);
    await askForKey(page, 'Never made');
    const nextChallenge = page.waitForResponse((answer) => answer.url().endsWith('/verification-options'));
    await stepUpDialog(page).getByRole('button', { name: 'Use a passkey' }).click();
    await stepUpDialog(page).getByRole('alert').waitFor();
    assert.equal(await stage.app.count("api_keys where name = 'Never made'"), 0);
    await nextChallenge;
    await recognize(true);
    await stepUpDialog(page).getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('[data-secret=Key]').waitFor();
    await leave();
  });
});

suite('factors', () => {
  test('are added beside one that was shown, removed by one, and come with new recovery codes when asked for', async () => {
    const joan = await withPassword(stage.app);
    const before = await signedIn(joan.email);
    const { page, troubles, leave } = await atOwnPage(joan.email);
    await addPasskey(page);
    const first = await addApp(page, '<b>Phone</b>');
    await factor(page, '<b>Phone</b>').waitFor();
    assert.deepEqual(troubles(), []);

    // This session began before there was a factor: whoever sits there shows one first.
    const other = before.page;
    await other.goto(`${home('sandbox')}/security`);
    await other.getByLabel('Name of the new factor').fill('Tablet');
    await other.getByRole('button', { name: 'Add an authenticator app' }).click();
    await renewCodes(stage.app, joan.userSid);
    await withCode(other, totpCode(first, stage.app.clock.now()));
    const second = await finishApp(other);
    await factor(other, 'Tablet').waitFor();

    await factor(other, 'Phone').getByRole('button', { name: 'Remove' }).click();
    await other.getByRole('button', { name: 'Yes, remove it' }).click();
    await renewCodes(stage.app, joan.userSid);
    await withCode(other, totpCode(second, stage.app.clock.now()));
    await factor(other, 'Phone').waitFor({ state: 'detached' });

    await other.getByRole('button', { name: 'Make new recovery codes' }).click();
    await other.getByRole('button', { name: 'Yes, the old ones end now' }).click();
    await renewCodes(stage.app, joan.userSid);
    await withCode(other, totpCode(second, stage.app.clock.now()));
    await codes(other).waitFor();
    const [code] = await codes(other).getByRole('listitem').allTextContents();
    await before.leave();
    await leave();

    const later = await visitor();
    await later.page.goto(`${stage.app.url}/console/sign-in`);
    await signIn(later.page, joan.email);
    await later.page.getByLabel('Code').fill(code!);
    await later.page.getByLabel('From').selectOption({ label: 'Recovery codes' });
    await later.page.getByRole('button', { name: 'Confirm' }).click();
    await isHome(later.page);
    await later.leave();
  });
});

suite('sessions and the password', () => {
  test('are listed and ended, and a new password ends all but this one', async () => {
    const mary = await withPassword(stage.app);
    const other = await signedIn(mary.email);
    const { page, troubles, leave } = await signedIn(mary.email);
    const isOut = async (elsewhere: Page) => {
      await elsewhere.reload();
      await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor();
    };
    const openSessions = () =>
      stage.app.count(`sessions where revoked_at is null and user_sid = '${mary.userSid}'`);
    await page.getByRole('button', { name: 'Test person' }).click();
    await page.getByRole('link', { name: 'Your sign-in' }).click();
    await isOwnPage(page);
    await page.locator('[data-session=this]').waitFor();
    assert.equal(await openSessions(), 3);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('button', { name: 'Yes, end all others' }).click();
    await page.getByRole('button', { name: 'End', exact: true }).first().waitFor({ state: 'detached' });
    assert.equal(await openSessions(), 1);
    await isOut(other.page);

    await signIn(other.page, mary.email);
    await isHome(other.page);
    await page.reload();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' });
    await isOut(other.page);

    await signIn(other.page, mary.email);
    await isHome(other.page);
    const change = async (from: string, to: string) => {
      await page.getByLabel('Current password').fill(from);
      await page.getByLabel('New password').fill(to);
      await page.getByRole('button', { name: 'Change the password' }).click();
    };
    const chosen = 'snow on the way to Stockholm';
    troubles();
    await change('not the password', chosen);
    await page.getByText('is not the current password').waitFor();
    assert.match(troubles().join(), /status of 400/);
    await change(goodPassword, chosen);
    await page.getByText('The password is changed').waitFor();
    assert.equal(await page.getByLabel('New password').inputValue(), '');
    assert.equal(await openSessions(), 1);
    assert.deepEqual(troubles(), []);
    await page.locator('main').click();
    await page.keyboard.press('.');
    const asked = page.locator('[data-request="POST /v1/auth/password/change"]').first();
    await asked.locator('summary').click();
    assert.match((await asked.textContent())!, /"currentPassword":"…","newPassword":"…"/);

    // The session that asked goes on, with a new cookie and a new token for its writes.
    await page.goto(`${home('sandbox')}/security`);
    await isOut(other.page);
    await signIn(other.page, mary.email);
    await other.page.getByRole('alert').getByText('AUTHENTICATION_ERROR').waitFor();
    await signIn(other.page, mary.email, chosen);
    await isHome(other.page);
    await page.reload();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' });
    assert.equal(await openSessions(), 1);
    await other.leave();
    await leave();
  });
});

suite('notices', () => {
  test('are counted while they are unread, as they come, and read for oneself alone', async () => {
    const { accountSid, sandboxKey: key } = await stage.app.newAccount();
    const [noa, other] = [
      await withPassword(stage.app, { accountSid }),
      await withPassword(stage.app, { accountSid }),
    ];
    const told = (resource?: string) =>
      tell({ app: stage.app, owner: { accountSid, livemode: false, key } }, { resource });
    const { page, troubles, leave } = await signedIn(noa.email);
    const bell = (count: number) => page.locator(`[data-unread="${count}"]`);
    await bell(0).waitFor();
    const operation = newSid('OP', stage.app.clock.now());
    await told(operation);
    await told();
    await told();
    // What happens in the account is heard of, and what there is to know is asked for again.
    const triggered = await stage.app.post(
      `/v1/accounts/${accountSid}/events/trigger`,
      { type: 'segment.refreshed' },
      noa.headers,
    );
    assert.ok(triggered.status < 300, triggered.text);
    await bell(3).click();
    const list = page.getByRole('dialog', { name: 'Notices' });
    await list.locator('[data-notice=unread]').nth(2).waitFor();
    assert.equal(await list.locator('[data-notice=unread]').count(), 3);
    assert.deepEqual(await violations(page), []);
    const about = list.locator('[data-notice]', { hasText: operation });
    await about.getByRole('button', { name: 'I have read it' }).click();
    await list.locator('[data-notice=read]', { hasText: operation }).waitFor();
    await bell(2).waitFor();
    await list.getByRole('button', { name: 'I have read all of them' }).click();
    await bell(0).waitFor();
    await list.locator('[data-notice=unread]').first().waitFor({ state: 'detached' });
    assert.deepEqual(troubles(), []);
    await about.getByRole('link', { name: operation }).click();
    await list.waitFor({ state: 'detached' });
    assert.ok(page.url().endsWith(`/operations/${operation}`), page.url());
    await leave();
    const { body } = await stage.app.get(
      `/v1/accounts/${accountSid}/notifications?unread=true`,
      other.headers,
    );
    assert.equal(body.data.length, 3, 'others have marks of their own');
  });
});

suite('the way in', () => {
  test('lets nothing foreign in: no inline script, no frame, no other host', async () => {
    const { page, leave } = await visitor();
    const answer = await page.goto(`${stage.app.url}/account`);
    const policy = answer!.headers()['content-security-policy']!;
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "form-action 'none'",
    ])
      assert.ok(policy.includes(part), policy);
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
    await leave();
  });
  test('does the work it is asked for after failures, and lets the right password in', async () => {
    const ida = await withPassword(stage.app);
    for (let i = 0; i < 5; i += 1) {
      const wrong = { email: ida.email, password: 'not the password' };
      const { status } = await stage.app.post('/v1/auth/sign-in', wrong, { authorization: undefined });
      assert.equal(status, 401);
    }
    const { leave } = await signedIn(ida.email);
    await leave();
  });
});
