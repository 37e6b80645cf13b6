import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../../../test/harness/browser.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type MailingApp, startMailingApp } from '../../../../test/harness/outbox.ts';
import { person } from '../../../../test/harness/people.ts';

let app: MailingApp;
let browser: Browser;
const lifetime = sharedLifetime();
before(async () => {
  app = await startMailingApp(lifetime);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

const linkIn = (text: string) => /http:\/\/localhost:\d+\/\S+/.exec(text)![0];

test('the links of both mails lead to a page that does what they promise', async () => {
  const admin = await person(app);
  const email = 'lise@example.com';
  const invited = await app.post(`${app.at}/users`, { email }, admin.headers);
  assert.equal(invited.status, 201, invited.text);
  const page = await (await browser.newContext()).newPage();

  await page.goto(linkIn((await app.mailTo(email)).text));
  await page.fill('#invitation [name=displayName]', 'Lise');
  await page.fill('#invitation [name=password]', 'nuclear fission in Kungälv');
  assert.ok(!page.url().includes('token'), 'the token stays in no history');
  await page.click('#invitation button');
  await page.waitForSelector('#sign-in:not([hidden])');

  await page.goto(`${app.url}/account`);
  await page.fill('#sign-in [name=email]', email);
  await page.click('#forgot');
  await page.goto(linkIn((await app.mailTo(email, 2)).text));
  await page.fill('#password-reset [name=newPassword]', 'snow on the way to Stockholm');
  await page.click('#password-reset button');
  await page.waitForSelector('#sign-in:not([hidden])');

  await page.fill('#sign-in [name=email]', email);
  await page.fill('#sign-in [name=password]', 'snow on the way to Stockholm');
  await page.click('#sign-in button:not([type])');
  await page.locator('#who', { hasText: email }).waitFor();
  await page.locator('#notice', { hasText: 'no role' }).waitFor();
});
