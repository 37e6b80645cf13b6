// A link in a real browser: to the service's page, through 3-D Secure and back, and wherever else people go.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../../../test/harness/browser.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type PayApp, startPayApp } from '../payments.test-data.ts';

let app: PayApp;
let browser: Browser;
const lifetime = sharedLifetime();
before(async () => {
  app = await startPayApp(lifetime);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

const open = async (url: string): Promise<Page> => {
  const page = await browser.newPage({ locale: 'en-GB' });
  page.setDefaultTimeout(120_000); // out of reach, on the busiest machine
  await page.goto(url);
  return page;
};
const sees = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
const isAsked = (page: Page) => page.getByLabel('Card number').waitFor();
async function type(page: Page, number: string) {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiry').fill('12/30');
  await page.getByLabel('Security code').fill('123');
  await page.getByLabel('Name on card').fill('Ines Meyer');
  await page.getByRole('button', { name: 'Pay' }).click();
}
async function charged(id: string, times: number) {
  if (times > 0) await app.becomes(id, 'succeeded');
  assert.equal(app.control.charges(id).length, times);
}

suite('whoever follows the link', () => {
  test('pays, is thanked, and cannot pay again: not by the link, not by going back, not in another tab', async () => {
    const { paymentIntentId: id, hostedUrl } = await app.topUp();
    const [page, otherTab] = [await open(hostedUrl), await open(hostedUrl)];
    await type(page, '4242424242424242');
    await sees(page, 'Paid');
    await charged(id, 1);
    await page.goBack();
    await page.goto(hostedUrl);
    await sees(page, 'Paid');
    await type(otherTab, '4242424242424242');
    await sees(otherTab, 'Already paid');
    await otherTab.goto(hostedUrl);
    await sees(otherTab, 'Paid');
    await charged(id, 1);
    await page.close();
    await otherTab.close();
  });
  test('pays by another card after a decline', async () => {
    const { paymentIntentId: id, hostedUrl } = await app.topUp();
    const page = await open(hostedUrl);
    await type(page, '4000000000000002');
    await page.getByRole('alert').waitFor();
    await charged(id, 0);
    await type(page, '4242424242424242');
    await sees(page, 'Paid');
    await charged(id, 1);
    await page.close();
  });
  test('passes 3-D Secure after failing it', async () => {
    const { paymentIntentId: id, hostedUrl } = await app.topUp();
    const page = await open(hostedUrl);
    await type(page, '4000000000003220');
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await page.getByRole('alert').waitFor();
    await charged(id, 0);
    await type(page, '4000000000003220');
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await sees(page, 'Paid');
    await charged(id, 1);
    await page.close();
  });
  test('finds the page again after closing the tab or leaving it unpaid', async () => {
    const { paymentIntentId: id, hostedUrl } = await app.topUp();
    const first = await open(hostedUrl);
    await isAsked(first);
    await first.close();
    const page = await open(`${hostedUrl}/returned`);
    await sees(page, 'Not paid yet');
    await page.getByRole('link', { name: 'Pay now' }).click();
    await type(page, '4242424242424242');
    await sees(page, 'Paid');
    await charged(id, 1);
    await page.close();
  });
  test('is told that it has expired, or that there is no such link', async () => {
    const { paymentIntentId: id, hostedUrl } = await app.topUp();
    app.control.expire(await app.sessionOf(id));
    const page = await open(hostedUrl);
    await sees(page, 'This link has expired');
    await page.goto(`${app.url}/pay/${'x'.repeat(32)}`);
    await sees(page, 'There is nothing here');
    await charged(id, 0);
    await page.close();
  });
});
