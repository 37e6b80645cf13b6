// What an account has at the provider and what its messages carry, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mp3, mp4 } from '../../server/src/modules/media/examine/files.test-data.ts';
import { fixtures } from '../../server/src/modules/templates/fixtures.ts';
import { formOf } from '../../server/test/harness/media.ts';
import { withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { tinyPng } from '../../simulator/test/tiny-files.ts';
import { enteredWithCode, freshCode, withCode } from './second-factors.ts';
import { sharedStage } from './stage.ts';
import { isTooWide, violations } from './visitor.ts';

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

suite('numbers', () => {
  test('tell what they need, show the card behind them and change it, and share the work in a pool', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/senders`);
    await page.getByRole('button', { name: 'New number' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Depot Lyon');
    await page.getByRole('button', { name: 'Connect the number' }).click();
    await page.getByRole('row', { name: 'Depot Lyon' }).getByRole('link').click();
    await page.getByText('Nothing: messages can leave from it.').waitFor();
    await page.getByRole('button', { name: 'Edit the profile' }).click();
    await page.getByLabel('About').fill(hostile);
    await page.getByRole('button', { name: 'Save the profile' }).click();
    await page.locator('dd', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
    const sid = new URL(page.url()).pathname.split('/').at(-1)!;
    await stage.app.sql("update senders set status = 'FLAGGED', quality = 'RED' where sid = $1", [sid]);
    await page.reload();
    for (const need of ['connection', 'quality']) await page.locator(`[data-need=${need}]`).waitFor();
    await page.getByRole('button', { name: 'Read it at the provider' }).click();
    await page.getByText('Nothing: messages can leave from it.').waitFor();

    await page.goto(`${home('sandbox')}/pools`);
    await page.getByRole('button', { name: 'New pool' }).click();
    await page.getByLabel('Name').fill(hostile);
    await page.getByRole('button', { name: 'Create the pool' }).click();
    await page.getByText('Nobody is in it yet.').waitFor();
    await page.getByLabel('Sender', { exact: true }).selectOption(sid);
    await page.getByRole('button', { name: 'Add it' }).click();
    const member = page.getByRole('row', { name: 'Depot Lyon' });
    await member.getByLabel('Weight').fill('3');
    await member.getByLabel('Priority').fill('2');
    await member.getByRole('button', { name: 'Save' }).click();
    await until('the share is kept', async () => {
      const { body } = await stage.app.get(`${stage.app.at}/sender-pools`);
      const [{ weight, priority }] = body.data[0].members;
      return weight === 3 && priority === 2;
    });
    await member.getByRole('button', { name: 'Take it out' }).click();
    await member.getByRole('button', { name: 'Yes, take it out' }).click();
    await page.getByText('Nobody is in it yet.').waitFor();
    assert.deepEqual(troubles(), []);
    await page.getByRole('button', { name: 'Delete the pool' }).click();
    await page.getByRole('button', { name: 'Yes, delete the pool' }).click();
    await page.getByText('There is no pool yet.').waitFor();
    await leave();
  });
  test('belong to business accounts, which are subscribed again, disconnected and connected anew with a second factor', async () => {
    const { body: made } = await stage.app.post(`${stage.app.at}/wabas`, { name: hostile });
    const ada = await withPassword(stage.app, { factor: 'totp' });
    const { page, leave } = await enteredWithCode(stage, ada);
    await page.goto(`${home('sandbox')}/portfolios`);
    await page.locator('meter').first().waitFor();
    await page.goto(`${home('sandbox')}/wabas`);
    await page.getByRole('link', { name: hostile.slice(0, 20) }).click();
    await page.getByRole('button', { name: 'Subscribe again' }).click();
    await page.getByLabel('Case').fill('CASE-1');
    await page.getByLabel('Reason').fill('Reports stopped');
    await page.getByRole('button', { name: 'Subscribe again' }).click();
    await page.getByRole('link', { name: 'It is on its way' }).waitFor();
    await untilTold('it has come to its end', async () => {
      const { body } = await stage.app.get(`${stage.app.at}/wabas/${made.sid}`);
      return body.connection.operationSid === null;
    });
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByLabel('Reason').fill('Only a trial');
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await withCode(page, await freshCode(stage, ada));
    await page.locator('dd [data-state=DISCONNECTED]').first().waitFor();
    await page.getByRole('button', { name: 'Connect anew' }).click();
    await page.getByLabel('Case').fill('CASE-2');
    await page.getByLabel('Reason').fill('It was no trial');
    await page.getByRole('button', { name: 'Connect anew' }).click();
    await withCode(page, await freshCode(stage, ada));
    await page.getByRole('link', { name: 'It is on its way' }).click();
    await page.locator('dd [data-state=WAITING]').waitFor();
    await leave();
  });
});

suite('what messages carry', () => {
  test('files are uploaded, seen to be ready, looked at, heard and deleted; what is no picture is refused with its reasons', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/media`);
    const upload = async (name: string, buffer: Buffer) => {
      await page.getByRole('button', { name: 'New file' }).click();
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer });
      await page.getByRole('button', { name: 'Upload it' }).click();
      await page.getByRole('link', { name }).click();
    };
    await upload('broken.png', Buffer.from('<script>alert(1)</script>'));
    await page.locator('dd [data-state=REJECTED]').waitFor();
    await page.getByText('UNSUPPORTED_TYPE').or(page.getByText('TYPE_MISMATCH')).first().waitFor();
    await page.getByRole('link', { name: 'Media' }).click();
    await upload('shop.png', tinyPng);
    await page.locator('dd [data-state=READY]').waitFor();
    await until('the picture is painted', () =>
      page
        .getByRole('img', { name: 'shop.png' })
        .evaluate((img) => (img as never as { naturalWidth: number }).naturalWidth > 0),
    );
    assert.equal(await page.getByRole('link', { name: 'Download' }).getAttribute('download'), 'shop.png');
    const opened = async (bytes: Buffer, filename: string, mime: string) => {
      const { body, type } = formOf(bytes, {}, { filename, mime });
      const sent = await stage.app.send('POST', `${stage.app.at}/media`, {
        body,
        headers: { 'content-type': type },
      });
      assert.equal(sent.status, 202, sent.text);
      const other = await page.context().newPage();
      await other.goto(`${home('sandbox')}/media/${sent.body.sid}`);
      return other;
    };
    // Long enough that it is not loaded before somebody wants to hear it.
    const song = await opened(mp3(13_000), 'song.mp3', 'audio/mpeg');
    await song.getByRole('button', { name: 'Load it' }).click();
    await song.locator('audio[src^="blob:"]').waitFor();
    await until('it can be heard', () =>
      song.locator('audio').evaluate((audio) => (audio as never as { duration: number }).duration > 300),
    );
    assert.deepEqual(await violations(song), []);
    // A film of nothing: what the browser cannot play is said, and can be kept.
    const film = await opened(mp4(), 'film.mp4', 'video/mp4');
    await film.getByText('Your browser cannot play it. Download it instead.').waitFor();
    assert.equal(await film.getByRole('link', { name: 'Download' }).getAttribute('download'), 'film.mp4');
    assert.deepEqual(troubles(), []);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, delete it for good' }).click();
    await page.getByRole('heading', { name: 'Media', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'shop.png' }).waitFor({ state: 'detached' });
    await leave();
  });
  test('contents are written, filled in, edited and deleted, and flows are read and forgotten', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contents`);
    await page.getByRole('button', { name: 'New content' }).click();
    await page.getByLabel('Name').fill(hostile);
    await page.getByLabel('Type').selectOption('location');
    await page.getByLabel('location, as JSON').fill('no JSON');
    await page.getByRole('button', { name: 'Save the content' }).click();
    await page.getByText('This is no JSON object.').waitFor();
    await page.getByLabel('Type').selectOption('text');
    await page.getByLabel('Text', { exact: true }).fill('Hello {{name}}, <b>come</b>.');
    await page.getByRole('button', { name: 'Save the content' }).click();
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.getByLabel('name', { exact: true }).fill('Ines');
    await page.getByRole('button', { name: 'Fill it in' }).click();
    await page.locator('[data-filled]', { hasText: 'Hello Ines, <b>come</b>.' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Text', { exact: true }).fill('Good-bye.');
    await page.getByRole('button', { name: 'Save the content' }).click();
    await page.getByText('"body": "Good-bye."').waitFor();
    assert.deepEqual(troubles(), []);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await page.getByText('There is no content yet.').waitFor();

    const owner = { accountSid: stage.app.accountSid, livemode: false, key: stage.app.sandboxKey };
    await fixtures.flowSid!({ app: stage.app, owner } as never);
    await page.goto(`${home('sandbox')}/flows?status=DRAFT`);
    await page.getByText('No flow fits.').waitFor();
    await page.getByLabel('Status').selectOption('PUBLISHED');
    await page.getByRole('link', { name: 'Survey' }).click();
    await page.locator('dd [data-state=PUBLISHED]').waitFor();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.getByRole('button', { name: 'Yes, forget it here' }).click();
    await page.getByText('No flow fits.').waitFor();
    await leave();
  });
});
