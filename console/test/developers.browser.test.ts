// What developers look after, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { bearer } from '../../server/test/harness/app.ts';
import { person } from '../../server/test/harness/people.ts';
import { setPolicy, withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { startReceiver, wellBehaved } from '../../server/test/harness/webhooks.ts';
import { enteredWithCode, freshCode, stepUpDialog, withCode } from './second-factors.ts';
import { isHome, sharedStage, signIn, withAuthenticator } from './stage.ts';
import { violations } from './visitor.ts';

const stage = sharedStage();
const { signedIn, home } = stage;
suite('keys', () => {
  const secret = async (page: Page) => (await page.locator('[data-secret=Key]').textContent())!;
  const isTaken = async (key: string) =>
    (await stage.app.get(`${stage.app.at}/contacts`, bearer(key))).status === 200;

  test('are made with a second factor asked for in place, shown once, given a new secret, disabled and enabled', async () => {
    const ada = await withPassword(stage.app, { factor: 'totp' });
    const { page, leave } = await enteredWithCode(stage, ada);
    await page.goto(`${home('sandbox')}/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('<b>Orders</b>');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await withCode(page, '000000');
    await stepUpDialog(page).getByText('AUTHENTICATION_ERROR').waitFor();
    await withCode(page, await freshCode(stage, ada));
    await stepUpDialog(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'The key <b>Orders</b>' }).waitFor();
    const first = await secret(page);
    assert.equal(await isTaken(first), true);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.locator('[data-secret]').first().waitFor({ state: 'detached' });
    assert.equal((await page.content()).includes(first), false, 'it is nowhere any more');

    const row = page.getByRole('row', { name: 'Orders' });
    await row.getByRole('button', { name: 'New secret' }).click();
    await stepUpDialog(page).waitFor();
    await withCode(page, await freshCode(stage, ada));
    await page.locator('[data-secret=Key]').waitFor();
    const second = await secret(page);
    assert.deepEqual([await isTaken(first), await isTaken(second)], [false, true]);
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    assert.equal(await isTaken(second), false);
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.getByText('Active').waitFor();
    assert.equal(await isTaken(second), true);
    await leave();
  });
  test('are made by the touch of a passkey, where one is enrolled', async () => {
    const other = await stage.app.newAccount();
    const grace = await withPassword(stage.app, { accountSid: other.accountSid });
    await setPolicy(stage.app, grace.organizationId, { mfa_required_for_all_roles: true });
    const visitor = await stage.visitor();
    await withAuthenticator(visitor);
    const { page, leave } = visitor;
    await page.goto(`${stage.app.url}/console/sign-in`);
    await signIn(page, grace.email);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await isHome(page);
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('By touch');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await stepUpDialog(page).getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('[data-secret=Key]').waitFor();
    const [used] = await stage.app.sql<{ action: string; method: string }>(
      'select action, method from step_up_tokens where used_at is not null and account_sid = $1',
      [other.accountSid],
    );
    assert.deepEqual(used, { action: 'API_KEY_CREATE', method: 'WEBAUTHN' });
    await leave();
  });
  test('are not made by whoever has no second factor, who is told how to add one', async () => {
    const { page, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Never made');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await stepUpDialog(page).getByRole('link', { name: 'Add one' }).waitFor();
    await page.keyboard.press('Escape');
    await stepUpDialog(page).waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText('STEP_UP_REQUIRED').waitFor();
    assert.equal(await stage.app.count("api_keys where name = 'Never made'"), 0);
    await leave();
  });
});

suite('webhooks', () => {
  test('of a receiver that dies leave a gap, which is seen, sent again and seen to close', async () => {
    const receiver = await startReceiver(stage.lifetime);
    const ada = await withPassword(stage.app, { factor: 'totp' });
    const { page, leave } = await enteredWithCode(stage, ada);
    await page.goto(`${home('sandbox')}/webhooks`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Events').fill('contact.created');
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await withCode(page, await freshCode(stage, ada));
    await page.locator('[data-secret]', { hasText: /^whsec_/ }).waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('button', { name: 'Send the challenge' }).click();
    await page.locator('dd [data-state=active]').waitFor();
    await page.getByText('There is no gap').waitFor();

    await page.getByRole('button', { name: 'Set headers' }).click();
    await page.getByLabel('All of them, anew').fill('X-Team: <i>orders</i>\nAuthorization: Basic a:b');
    await page.getByRole('button', { name: 'Save' }).click();
    await withCode(page, await freshCode(stage, ada));
    await page.locator('[data-header="X-Team"]', { hasText: '********' }).waitFor();
    await page.getByRole('button', { name: 'Change the endpoint' }).click();
    await page.getByLabel('Requests at once').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    assert.deepEqual(await violations(page), []);
    await page.locator('main').click();
    await page.keyboard.press('.');
    const asked = page.locator('[data-request$="/headers"]').first();
    await asked.locator('summary').click();
    await asked.getByText('"value":"…"').first().waitFor();
    assert.doesNotMatch((await asked.textContent())!, /orders|Basic/);
    await page.keyboard.press('Escape');

    receiver.answer = (_received, response) => response.writeHead(500).end('<i>broken</i>');
    await stage.app.post(`${stage.app.at}/events/trigger`, { type: 'contact.created' });
    const sid = new URL(page.url()).pathname.split('/').at(-1)!;
    const path = `${stage.app.at}/webhooks/${sid}`;
    await until('it was tried', async () => {
      const { body } = await stage.app.get(`${path}/deliveries`);
      return body.data.some(({ lastStatus }: { lastStatus: number | null }) => lastStatus === 500);
    });
    await page.getByRole('button', { name: 'Try it with a ping' }).click();
    await page.locator('[data-report=refused]').waitFor();
    await page.reload();
    await page.locator('[data-gap]').waitFor();
    await page.getByRole('row', { name: /In all .*refused by it/ }).waitFor();
    const { body: changed } = await stage.app.get(path);
    assert.equal(changed.concurrencyCap, 2);
    const { headers } = receiver.received.at(-1)!;
    assert.deepEqual([headers['x-team'], headers.authorization], ['<i>orders</i>', 'Basic a:b']);
    const row = page.getByRole('row', { name: 'contact.created' });
    await row.locator('summary').click();
    await row.locator('[data-attempt="1"]', { hasText: '<i>broken</i>' }).waitFor();

    receiver.answer = wellBehaved;
    await page.locator('[data-gap]').getByRole('button', { name: 'again' }).click();
    await page.getByText('There is no gap').waitFor();
    await row.locator('[data-state=delivered]').waitFor();
    assert.equal(receiver.events().length, 2);
    await page.getByRole('button', { name: 'Disable for good' }).click();
    await page.getByRole('button', { name: 'Yes, disable it for good' }).click();
    await page.locator('dd [data-state=disabled]').waitFor();
    await leave();
  });
});

suite('the inspector', () => {
  test('shows what the page asked as a command that asks the same, whatever stands in it', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Number', { exact: true }).fill('+33612007799');
    await page.getByLabel('Name', { exact: true }).fill("D'Arc $(exit 1) `exit 1`");
    await page.getByRole('button', { name: 'Create the contact' }).click();
    await page.getByRole('heading', { name: "D'Arc", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    await page.keyboard.press('.');
    const asked = page.locator(`[data-request="POST ${stage.app.at}/contacts"]`);
    await asked.locator('summary', { hasText: '201' }).click();
    const curl = (await asked.locator('pre').textContent())!;
    await page.getByLabel('Written for').selectOption('TypeScript');
    await asked.getByText('await godwit.contacts.create({').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.goForward();
    await page.getByRole('heading', { name: "D'Arc", level: 1 }).waitFor();
    await page.keyboard.press('.');
    const opened = page.getByRole('dialog', { name: 'What this page asked' });
    await opened.locator('[data-told^=CT] summary').click();
    await opened.getByText('"displayName": "D\'Arc').waitFor();
    await opened.getByText('What happened to it').click();
    await opened.locator('[data-event="contact.created"] summary').click();
    await opened.getByText('"type": "contact.created"').waitFor();
    assert.deepEqual(troubles(), []);
    await leave();

    // As a shell reads it: nothing of it runs.
    const shell = 'curl() { printf "%s\\0" "$@"; }; KEY=gw_test_some; ';
    const { stdout } = await promisify(execFile)('bash', ['-c', shell + curl]);
    const [, method, url, , authorization, ...rest] = stdout.split('\0');
    assert.deepEqual(
      [method, url, authorization],
      ['POST', `${stage.app.url}${stage.app.at}/contacts`, 'Authorization: Bearer gw_test_some'],
    );
    assert.equal(JSON.parse(rest[rest.indexOf('-d') + 1]!).displayName, "D'Arc $(exit 1) `exit 1`");
  });
  test('remembers no proof of who somebody is', async () => {
    const ada = await withPassword(stage.app, { factor: 'totp' });
    const { page, leave } = await enteredWithCode(stage, ada);
    await page.goto(`${home('sandbox')}/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Seen');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const code = await freshCode(stage, ada);
    await withCode(page, code);
    await page.locator('[data-secret=Key]').waitFor();
    const key = (await page.locator('[data-secret=Key]').textContent())!;
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.locator('main').click();
    await page.keyboard.press('.');
    const opened = page.getByRole('dialog', { name: 'What this page asked' });
    await opened.locator('[data-request$="/identity/step-up"]').waitFor();
    for (const summary of await opened.locator('summary').all()) await summary.click();
    const told = (await opened.textContent())!;
    assert.ok(told.includes('"assertion":"…"') && told.includes('"stepUpToken":"…"'), told);
    assert.ok(!told.includes(code) && !told.includes(key), told);
    await leave();
  });
});

suite('what goes wrong', () => {
  test('can be asked again as a command, with what was sent', async () => {
    const { page, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Number', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Create the contact' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('VALIDATION_ERROR').waitFor();
    await alert.locator('summary').click();
    const curl = (await alert.locator('[data-reproduce] pre').textContent())!;
    assert.ok(curl.startsWith(`curl -X POST '${stage.app.url}${stage.app.at}/contacts'`), curl);
    assert.match(curl, /Bearer \$KEY[\s\S]*"12"/);
    await leave();
  });
  test('for want of a second person says who decides, leads them there, and tells when it is done', async () => {
    const [asking, third] = [
      await withPassword(stage.app, { factor: 'totp' }),
      await person(stage.app, { roles: [] }),
    ];
    const stepUpToken = await asking.stepUp('ROLE_BINDING_CREATE');
    const wanted = { principalType: 'USER', role: 'OWNER', scopeKind: 'ORGANIZATION', stepUpToken };
    const asked = await stage.app.post(
      `${stage.app.at}/role-bindings`,
      { ...wanted, principalRef: third.userSid },
      asking.headers,
    );
    assert.equal(asked.body.error.code, 'APPROVAL_REQUIRED', asked.text);
    const sid = asked.body.error.details[0].issue as string;

    // No page of today asks for it, so one is given the service's own refusal for something else.
    const { page, leave } = await enteredWithCode(stage, asking);
    await page.route(`**${stage.app.at}/contacts`, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 403, contentType: 'application/json', body: asked.text })
        : route.continue(),
    );
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Number', { exact: true }).fill('+33612007701');
    await page.getByRole('button', { name: 'Create the contact' }).click();
    const card = page.getByRole('alert').locator('[data-approval=PENDING]');
    await card.getByText(third.userSid).waitFor();
    await page.getByRole('alert').getByText('This waits for a second person').waitFor();
    const path = (await card.getByRole('link').getAttribute('href'))!;
    assert.ok(path.endsWith(`/approvals/${sid}`), path);
    assert.deepEqual(await violations(page), []);

    const other = await signedIn();
    await other.page.goto(`${home('sandbox')}/approvals`);
    const row = other.page.getByRole('row', { name: third.userSid });
    await row.locator('[data-state=PENDING]').waitFor();
    assert.deepEqual(await violations(other.page), []);
    await other.page.goto(stage.app.url + path);
    await other.page.getByLabel('Reason').fill('We spoke of it');
    assert.deepEqual(await violations(other.page), []);
    await other.page.getByRole('button', { name: 'Reject' }).waitFor();
    await other.page.getByRole('button', { name: 'Approve' }).click();
    await other.page.locator('dd [data-state=APPROVED]').waitFor();
    await other.page.getByText('We spoke of it').waitFor();
    await page.locator('[data-approval=APPROVED]').waitFor();
    assert.equal(
      await stage.app.count(`role_bindings where principal_ref = '${third.userSid}' and role = 'OWNER'`),
      1,
    );
    await other.leave();
    await leave();
  });
});

suite('events', () => {
  test('are found by type, a sample happens when asked for, and each is shown as it is told', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/events`);
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.getByLabel('Type').selectOption('template.approved');
    await page.getByText('No event fits.').waitFor();
    assert.match(page.url(), /type=template\.approved/);
    await page.getByRole('button', { name: 'Let a sample of template.approved happen' }).click();
    const row = page.getByRole('row', { name: 'template.approved' });
    await row.locator('summary').click();
    await row.getByText('"type": "template.approved"').waitFor();
    await row.getByRole('button', { name: 'Send it to its endpoints again' }).click();
    await row.getByText('Deliveries on their way: 0').waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('operations', () => {
  test('are seen to come to their end, with the items that failed', async () => {
    const content = 'phone,displayName\n+33612009901,Ines\nnot a number,<b>Nobody</b>\n';
    const { body } = await stage.app.post(`${stage.app.at}/contacts/import`, { format: 'csv', content });
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/operations`);
    await page.getByRole('row', { name: 'contact' }).getByRole('link').click();
    await page.getByRole('heading', { name: `Operation ${body.sid}` }).waitFor();
    await page.locator('dd [data-state=SUCCEEDED]').waitFor();
    await page.getByRole('row', { name: 'VALIDATION_ERROR' }).locator('[data-state=FAILED]').waitFor();
    assert.deepEqual(troubles(), []);
    await page.goto(`${home('sandbox')}/operations?state=CANCELED`);
    await page.getByText('No operation fits.').waitFor();
    await leave();
  });
});
