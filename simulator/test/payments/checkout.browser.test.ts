// The hosted pages in a real browser: what a payer sees and does.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../../server/test/harness/browser.ts';
import { sharedLifetime } from '../../../server/test/harness/lifetime.ts';
import { startPaymentKit, topUp } from './harness.ts';

const lifetime = sharedLifetime();
const kit = await startPaymentKit(lifetime);

suite('the checkout page', () => {
  let browser: Browser;
  let shop = '';
  // Where payers come from and go back to.
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<h1>${request.url!.startsWith('/paid') ? 'Thank you' : 'Shop'}</h1>`);
  });
  before(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    server.closeAllConnections();
    server.close();
  });

  const session = (more: object = {}) =>
    kit.session({
      success_url: `${shop}/paid?session={CHECKOUT_SESSION_ID}`,
      cancel_url: `${shop}/cancelled`,
      ...more,
    });
  const open = async (url: string): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000); // out of reach, on the busiest machine
    await page.goto(url);
    return page;
  };
  // Waits for what is to be seen: a click does not wait for the page it leads to.
  const sees = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const isTold = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  const pay = async (page: Page, number: string) => {
    await page.getByLabel('Card number').fill(number);
    await page.getByLabel('Expiry').fill('12/30');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Name on card').fill('Ines "O\'Neil" <b>Meyer</b>');
    await page.getByRole('button', { name: 'Pay' }).click();
  };
  const charged = (id: string) => kit.control.charges(id).length;
  const named = (reference: string) => ({ payment_intent_data: { metadata: { reference } } });

  test('takes a card and leads to the success page; markup in names is text', async () => {
    const name = '<img src=x onerror=alert(1)> & "Top-up"';
    const [line] = topUp.line_items;
    const { id, url } = await session({
      ...named('plain'),
      line_items: [{ ...line!, price_data: { ...line!.price_data, product_data: { name } } }],
    });
    const page = await open(url!);
    await sees(page, 'Pay €25.00');
    assert.match(
      (await page.locator('tbody td').first().textContent())!,
      /^<img src=x onerror=alert\(1\)> & "Top-up"/,
    );
    await pay(page, '4242 4242 4242 4242');
    await page.waitForURL(`${shop}/paid?session=${id}`);
    await sees(page, 'Thank you');
    assert.equal(charged('plain'), 1);
    const { customer_details: details } = await kit.stripe.checkout.sessions.retrieve(id);
    assert.equal(details!.name, 'Ines "O\'Neil" <b>Meyer</b>');
    await page.goto(url!);
    await sees(page, 'Already paid');
    await page.close();
  });

  test('tells what is wrong with a card, and takes another', async () => {
    const { url } = await session(named('declined'));
    const page = await open(url!);
    await pay(page, '4242 4242 4242 4241');
    await page.locator('#number-mistake', { hasText: 'Your card number is invalid.' }).waitFor();
    assert.equal(await page.getByLabel('Card number').getAttribute('aria-describedby'), 'number-mistake');
    assert.equal(await page.getByLabel('Name on card').inputValue(), 'Ines "O\'Neil" <b>Meyer</b>');
    assert.equal(await page.getByLabel('Security code').inputValue(), '');
    await pay(page, '4000000000009995');
    await isTold(page, 'Your card has insufficient funds.');
    await pay(page, '4242424242424242');
    await page.waitForURL(/\/paid/);
    assert.equal(charged('declined'), 1);
    await page.close();
  });

  test('asks the bank by 3-D Secure: failed it says so, completed it is paid', async () => {
    const { url } = await session(named('3ds'));
    const page = await open(url!);
    await pay(page, '4000000000003220');
    await page.waitForURL(/\/3ds\//);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await page.waitForURL(url!);
    await isTold(page, 'We are unable to authenticate your payment method.');
    assert.equal(charged('3ds'), 0);
    await pay(page, '4000002500003155');
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await page.waitForURL(/\/paid/);
    assert.equal(charged('3ds'), 1);
    await page.close();
  });

  test('charges once when two tabs pay, also when one of them waits for the bank', async () => {
    const { url } = await session(named('tabs'));
    const [first, second, third] = [await open(url!), await open(url!), await open(url!)];
    await pay(first, '4000000000003220');
    await first.waitForURL(/\/3ds\//);
    await pay(second, '4242424242424242');
    await second.waitForURL(/\/paid/);
    await first.getByRole('button', { name: 'Complete authentication' }).click();
    await first.getByRole('heading', { name: 'Already paid' }).waitFor();
    await pay(third, '4242424242424242');
    await sees(third, 'Already paid');
    assert.equal(charged('tabs'), 1);
    for (const page of [first, second, third]) await page.close();
  });

  test('lets nobody pay once it has expired, not even who was about to', async () => {
    const { url } = await session({ ...named('expired'), expires_at: kit.nowS() + 1800 });
    const [page, waiting] = [await open(url!), await open(url!)];
    await pay(waiting, '4000000000003220');
    await waiting.waitForURL(/\/3ds\//);
    await kit.control.advance(1_800_000);
    await pay(page, '4242424242424242');
    await sees(page, 'This link has expired');
    await waiting.getByRole('button', { name: 'Complete authentication' }).click();
    await waiting.getByRole('heading', { name: 'This link has expired' }).waitFor();
    assert.equal(charged('expired'), 0);
    await page.getByRole('link', { name: 'Back without paying' }).click();
    await page.waitForURL(`${shop}/cancelled`);
    for (const each of [page, waiting]) await each.close();
  });
});
