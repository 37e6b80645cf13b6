// A link in a real browser: to the service's page, through 3-D Secure and back, and wherever else people go.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { bearer } from '../../../../test/harness/app.ts';
import { launchBrowser } from '../../../../test/harness/browser.ts';
import { taxedBy } from '../../../../test/harness/invoices.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { readPdf, rowsOf } from '../../../../test/harness/pdf.ts';
import type { MoneyWire } from '../../../platform/money.ts';
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

/** As people write an amount of the two decimals that payments have. */
const shown = ({ amountMinor, currency, scale }: MoneyWire) => {
  assert.equal(scale, 2);
  return `${(Number(amountMinor) / 100).toFixed(2)} ${currency}`;
};

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
  test('gets a receipt whose PDF says what its JSON says: number, names, net, every tax and the total', async () => {
    await taxedBy(app.wallet, 'two_rates');
    const { paymentIntentId: id, hostedUrl } = await app.topUp({ amountMinor: '4321' });
    const page = await open(hostedUrl);
    await type(page, '4242424242424242');
    await sees(page, 'Paid');
    const seen = await page.locator('.amount').textContent();
    await page.close();

    const { receiptSid } = await app.becomes(id, 'succeeded');
    const path = `${app.at}/billing/receipts/${receiptSid}`;
    const { body: receipt } = await app.get(path);
    const answer = await fetch(app.url + path, {
      headers: { ...bearer(app.sandboxKey), accept: 'application/pdf' },
    });
    assert.equal(answer.headers.get('content-type'), 'application/pdf');
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), receipt.document.pdfSha256);

    const { issuer, recipient } = JSON.parse(receipt.document.json);
    assert.deepEqual([receipt.net, receipt.total].map(shown), ['43.21 USD', '49.68 USD']);
    assert.equal(seen, shown(receipt.total));
    const taxes = receipt.taxLines.map((tax: { name: string; ratePpm: number; amount: MoneyWire }) => [
      `${tax.name} ${tax.ratePpm / 10_000} %`,
      shown(tax.amount),
    ]);
    assert.deepEqual(
      taxes.map(([, amount]: string[]) => amount),
      ['2.16 USD', '4.31 USD'],
    );
    const rows = rowsOf(await readPdf(bytes));
    const from = (label: string) => rows.findIndex(([first]) => first === label);
    assert.deepEqual(rows.slice(from('Number'), from('Number') + 3), [
      ['Number', receipt.number],
      ['Issued', receipt.createdAt],
      ['Reference', receiptSid],
    ]);
    assert.deepEqual(rows[from('From') + 1], [issuer.name, recipient.name]);
    const { brand, last4 } = receipt.card;
    for (const row of [
      ['Payment', id],
      ['Card', `${brand} …${last4}`],
    ])
      assert.deepEqual(rows[from(row[0]!)], row);
    const totals = [['Net', shown(receipt.net)], ...taxes, ['Total', shown(receipt.total)]];
    assert.deepEqual(rows.slice(from('Net'), from('Net') + totals.length), totals);
  });
});
