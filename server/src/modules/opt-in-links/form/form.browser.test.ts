// The form in a real browser: as people fill it in, with and without script, by keyboard, on a phone and enlarged.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../../../test/harness/browser.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { verifyConsents } from '../../consent/index.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { newAddress, type OptInApp, startOptInApp } from '../opt-in.test-data.ts';

const organization = 'Böhm & <b>Söhne</b>';
const consentText = 'Yes,  <script>alert(1)</script> & "offers" — <img src=x onerror=alert(1)> É\u00a0!';

let app: OptInApp;
let browser: Browser;
let axe: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startOptInApp(lifetime);
  await app.sql('update organizations set name = $1', [organization]);
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

/** A visitor with an address of their own; the page has been there for as long as people take. */
async function visit(
  path: string,
  options: BrowserContextOptions = {},
  address = newAddress(),
): Promise<Page> {
  const extraHTTPHeaders = { 'x-forwarded-for': address };
  const context = await browser.newContext({ locale: 'en-GB', extraHTTPHeaders, ...options });
  const page = await context.newPage();
  page.on('dialog', () => assert.fail('markup ran as a script'));
  await page.goto(app.url + path);
  app.clock.advance(5_000);
  return page;
}

const leave = (page: Page) => page.context().close();

/** What the rules for accessible pages have against this one. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run()',
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const isTooWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** The text as it is on the screen: spaces that are not shown are not in it. */
async function seen(page: Page, selector: string): Promise<string> {
  await page.locator(selector).waitFor();
  return page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).innerText`);
}

async function typeAndTab(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Tab');
}

/** 320 pixels wide, as a small phone is; or as much as is left of 1280 when everything is four times as large. */
const phone = { viewport: { width: 320, height: 568 } };
const enlarged = { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 };

const ways: { name: string; options: BrowserContextOptions; thanks: string }[] = [
  { name: 'with script, in English, on a phone', options: phone, thanks: 'Thank you' },
  {
    name: 'without script, in French, enlarged to 400 %',
    options: { ...enlarged, locale: 'fr-FR', javaScriptEnabled: false },
    thanks: 'Merci',
  },
  {
    name: 'with script, in French, in the dark',
    options: { ...enlarged, locale: 'fr-CA', colorScheme: 'dark' },
    thanks: 'Merci',
  },
  {
    name: 'without script, in English',
    options: { ...phone, javaScriptEnabled: false },
    thanks: 'Thank you',
  },
];

suite('by the keyboard alone', () => {
  for (const { name, options, thanks } of ways) {
    test(`the form is completed, and the record says what was shown: ${name}`, async () => {
      const { path } = await app.link({ consentText });
      const page = await visit(`${path}?fbclid=IwAR0`, options);
      const shown = await seen(page, 'label[for=agreed]');
      assert.equal(shown, consentText);
      assert.ok((await page.title()).includes(organization));
      assert.equal(await page.locator('#agreed').isChecked(), false);
      assert.equal(await isTooWide(page), false);
      if (options.javaScriptEnabled !== false) assert.deepEqual(await violations(page), []);

      // First nothing but the button: what is wrong takes the focus, and leads to the field.
      for (let i = 0; i < 4; i += 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('#problem:focus').waitFor();
      assert.equal(await isTooWide(page), false);
      if (options.javaScriptEnabled !== false) assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('#phone:focus').waitFor();
      const number = newPhone();
      await typeAndTab(page, number);
      await typeAndTab(page, '<i>Ada</i>');
      await page.keyboard.press('Enter');
      await page.locator('#problem:focus').waitFor();
      assert.deepEqual(
        [await page.inputValue('#phone'), await page.inputValue('#name')],
        [number, '<i>Ada</i>'],
      );
      await page.locator('#agreed').focus();
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('h1', { hasText: thanks }).waitFor();
      assert.equal(await seen(page, 'blockquote'), consentText);
      assert.equal(await isTooWide(page), false);
      if (options.javaScriptEnabled !== false) assert.deepEqual(await violations(page), []);
      const { contact, consents } = await app.consents(number);
      assert.equal(contact.displayName, '<i>Ada</i>');
      assert.deepEqual(
        consents.map((one: { evidence: { wording: string } }) => one.evidence.wording),
        [shown],
      );
      for await (const report of verifyConsents(app.database)) assert.equal(report.broken, null);
      await leave(page);
    });
  }
});

test('a double click, going back and loading again leave one record and one receipt', async () => {
  const { path } = await app.link();
  const page = await visit(path);
  const number = newPhone();
  const fill = async () => {
    await page.fill('#phone', number);
    await page.check('#agreed');
  };
  await fill();
  await page.locator('button').dblclick();
  const receipt = await seen(page, '#receipt');
  await page.reload();
  assert.equal(await seen(page, '#receipt'), receipt);
  await page.goBack();
  await page.locator('#phone').waitFor();
  app.clock.advance(5_000);
  await fill();
  await page.locator('button').click();
  await page.locator('#receipt').waitFor();
  assert.equal((await app.consents(number)).consents.length, 1);
  await leave(page);
});

suite('after five forms of an address', () => {
  const busy = async (path: string) => {
    const address = newAddress();
    for (let i = 0; i < 5; i += 1)
      await app.submit(path, { phone: newPhone() }, { 'x-forwarded-for': address });
    return address;
  };
  const send = async (page: Page, number: string) => {
    await page.fill('#phone', number);
    await page.check('#agreed');
    await page.locator('button').click();
    await page.locator('#problem').waitFor();
    await page.waitForLoadState('load'); // with it the script runs, if any does
  };

  test('the browser does the work it is asked for, and the form is taken', async () => {
    const { path } = await app.link();
    const page = await visit(path, {}, await busy(path));
    const number = newPhone();
    await send(page, number);
    assert.deepEqual(await violations(page), []);
    await page.locator('button').click();
    await page.locator('#receipt').waitFor();
    assert.equal((await app.consents(number)).consents.length, 1);
    await leave(page);
  });

  test('without script the page says what else helps, and keeps what was entered', async () => {
    const { path } = await app.link();
    const page = await visit(path, { javaScriptEnabled: false }, await busy(path));
    const number = newPhone();
    await send(page, number);
    await page.getByText('try again in 10 minutes').waitFor();
    assert.equal(await page.inputValue('#phone'), number);
    app.clock.advance(600_000);
    await page.locator('button').click();
    await page.locator('#receipt').waitFor();
    await leave(page);
  });
});

test('a link that leads nowhere is a page anybody can read', async () => {
  const page = await visit('/v1/opt-in/nobody', { locale: 'fr-FR' });
  await page.locator('h1', { hasText: 'Ce formulaire n’est pas disponible' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await leave(page);
});
