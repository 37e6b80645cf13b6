// What an account has at the provider and what its messages carry, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { sharedStage } from './stage.ts';
import { isTooWide } from './visitor.ts';

const stage = sharedStage();
const { signedIn, home } = stage;
const hostile = `<img src=x onerror=alert(1)> \u202Eevil ${'😀'.repeat(20)}`;

/** Lets the provider do what falls due, until the service knows of it. */
async function untilTold(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await until(what, async () => {
    stage.app.clock.advance(100);
    await stage.app.simulator.control.advance(10_000);
    return isSo();
  });
}

suite('templates', () => {
  const name = 'parcel_today';
  const one = async () => (await stage.app.get(`${stage.app.at}/templates?name=${name}`)).body.data[0];

  test('are written beside what the customer would see, refused at their field, reviewed, edited and deleted', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/templates`);
    await page.getByRole('link', { name: 'New template' }).click();
    const preview = page.locator('[data-preview=template]');
    await page.getByLabel('Name', { exact: true }).fill('Not a name');
    await page.getByLabel('Language').fill('en');
    await page.getByLabel('Text', { exact: true }).fill(`Hello *{{first_name}}*, ${hostile} is here.`);
    await page.getByLabel('Example for {{first_name}}').fill('<b>Ines</b>');
    await page.getByRole('button', { name: 'Add a button' }).click();
    await page.getByLabel('On the button').fill('Later, please');
    await preview.locator('strong', { hasText: '<b>Ines</b>' }).waitFor();
    await preview.getByText('<img src=x onerror=alert(1)>').waitFor();
    await preview.getByRole('button', { name: 'Later, please' }).waitFor();
    await page.getByRole('button', { name: 'Submit it for review' }).click();
    await page.locator('input[aria-invalid=true]').waitFor();
    troubles(); // a refusal is written down by browsers
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Submit it for review' }).click();
    await page.getByRole('heading', { name: `${name} (en)`, level: 1 }).waitFor();
    await untilTold('it was approved', async () => (await one()).status === 'APPROVED');
    await page.locator('dd [data-state=APPROVED]').waitFor();
    await page.getByRole('row', { name: 'Draft' }).waitFor();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    assert.equal(await page.getByLabel('Example for {{first_name}}').inputValue(), '<b>Ines</b>');
    await page.getByLabel('Footer').fill('The depot');
    await page.getByRole('button', { name: 'Submit the edit' }).click();
    await untilTold('the edit was taken', async () => JSON.stringify(await one()).includes('The depot'));
    await preview.getByText('The depot').waitFor();
    await untilTold('nothing is pending', async () => (await one()).pendingChange === null);
    assert.deepEqual(troubles(), []);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
    await untilTold('it is gone', async () => (await one()) === undefined);
    await page.getByRole('link', { name }).waitFor({ state: 'detached' });
    await leave();
  });
  test('are found by status, category and language, and read again at the provider', async () => {
    const { page, troubles, leave } = await signedIn(undefined, { viewport: { width: 360, height: 740 } });
    await page.goto(`${home('sandbox')}/templates`);
    await page.getByLabel('Category').selectOption('MARKETING');
    await page.getByLabel('Status').selectOption('APPROVED');
    await page.getByRole('link', { name: 'spring_offer' }).first().waitFor();
    await page.getByLabel('Language').fill('fr');
    await page.keyboard.press('Enter');
    await page.waitForURL(/language=fr/);
    await page.getByRole('row', { name: /spring_offer fr/ }).waitFor();
    await page.getByLabel('Status').selectOption('REJECTED');
    await page.getByText('No template fits.').waitFor();
    assert.match(page.url(), /category=MARKETING/);
    await page.getByRole('button', { name: 'Read them at the provider' }).click();
    await page.getByRole('link', { name: 'They are being read' }).click();
    await page.locator('dd [data-state=SUCCEEDED]').waitFor();
    assert.equal(await isTooWide(page), false);
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('are changed by nobody who may only read them', async () => {
    const { email } = await withPassword(stage.app, { roles: ['VIEWER'] });
    const { page, leave } = await signedIn(email);
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('link', { name: 'hello_world' }).first().click();
    await page.getByRole('heading', { name: /^hello_world/, level: 1 }).waitFor();
    for (const act of ['Edit', 'Delete', 'Read them at the provider', 'New template'])
      assert.equal(await page.getByText(act, { exact: true }).count(), 0, act);
    await leave();
  });
});
