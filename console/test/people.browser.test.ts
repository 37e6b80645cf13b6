// The people an account writes to, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { withPassword } from '../../server/test/harness/sign-in.ts';
import { sharedStage } from './stage.ts';
import { isTooWide } from './visitor.ts';

const stage = sharedStage();
const { signedIn, home } = stage;

suite('contacts', () => {
  const name = '<img src=x onerror=alert(1)> Inès';

  test('are made, found by a part of their name, and led from there to the composer', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Number', { exact: true }).fill('not a number');
    await page.getByRole('button', { name: 'Create the contact' }).click();
    await page.locator('input[name=phone][aria-invalid=true]').waitFor();
    troubles(); // a refusal is written down by browsers
    await page.getByLabel('Number', { exact: true }).fill('+33612007701');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create the contact' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByLabel('Name or number').fill('nobody of that name');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Nobody fits.').waitFor();
    await page.getByLabel('Name or number').fill('ines');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name }).click();
    await page.getByRole('link', { name: 'Write to them' }).click();
    await page.locator('input[type=tel]').waitFor();
    assert.equal(await page.locator('input[type=tel]').inputValue(), '+33612007701');
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('show what they agreed to with its record, and what stands against writing to them until it is lifted', async () => {
    const { body: ines } = await stage.app.get(`${stage.app.at}/contacts?q=ines`);
    const { page, troubles, leave } = await signedIn(undefined, { viewport: { width: 360, height: 740 } });
    await page.goto(`${home('sandbox')}/contacts/${ines.data[0].sid}`);
    await page.locator('[data-purpose=MARKETING] [data-consent=UNKNOWN]').waitFor();
    await page.getByRole('button', { name: 'Record a consent' }).click();
    await page.getByLabel('In these words').fill('Yes, write me');
    await page.getByRole('button', { name: 'Record it' }).click();
    await page.locator('[data-purpose=MARKETING] [data-consent=OPTED_IN]').waitFor();
    const row = page.getByRole('row', { name: 'DASHBOARD' });
    await row.locator('summary').click();
    await row.getByText('"wording": "Yes, write me"').waitFor();
    await page.getByText('Nothing does, and nothing did.').waitFor();
    await page.getByRole('button', { name: 'Leave them alone' }).click();
    await page.locator('[data-suppression=active]').getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('button', { name: 'Yes, lift it' }).click();
    await page.locator('[data-suppression=over]').waitFor();
    assert.equal(await isTooWide(page), false);
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('are changed by nobody who may only read them', async () => {
    const { email } = await withPassword(stage.app, { roles: ['VIEWER'] });
    const { page, leave } = await signedIn(email);
    const { body } = await stage.app.get(`${stage.app.at}/contacts?q=ines`);
    await page.goto(`${home('sandbox')}/contacts/${body.data[0].sid}`);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    for (const act of ['Record a consent', 'Leave them alone', 'Write to them'])
      assert.equal(await page.getByText(act).count(), 0, act);
    await leave();
  });
});
