// A service that is killed under an open console, and comes back.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../server/test/harness/browser.ts';
import { builtConsole } from '../../server/test/harness/console.ts';
import { sharedLifetime } from '../../server/test/harness/lifetime.ts';
import { freePort } from '../../server/test/harness/ports.ts';
import { until } from '../../server/test/harness/until.ts';
import { call, credentialsIn, dataFolder, startGodwit } from '../../server/test/process/godwit.ts';
import { isHome, signIn } from './stage.ts';
import { visitorIn } from './visitor.ts';

const lifetime = sharedLifetime();
let browser: Browser | undefined;
before(async () => {
  await builtConsole(); // so that the service finds it
  browser = await launchBrowser();
});
after(() => browser?.close());

const template = { name: 'hello_world', language: 'en' };

suite('a console whose service is killed and started again', () => {
  test('says so, comes back by itself, and has missed no event', async () => {
    const env = {
      DATA_DIR: await dataFolder(lifetime),
      PORT: String(await freePort()),
      SIMULATOR_PORT: '0',
      PAYMENT_SIMULATOR_PORT: '0',
    };
    const first = await startGodwit(lifetime, env);
    const { accountSid, key } = credentialsIn(first.text());
    const at = `${first.url}/v1/accounts/${accountSid}`;
    const [, email, password] = /Sign in +(\S+) +(\S+)/.exec(first.text())!;
    const send = async (to: string) => {
      const headers = { 'idempotency-key': to };
      const body = { to, type: 'template', template };
      assert.equal((await call(`${at}/messages`, { method: 'POST', key, headers, body })).status, 201);
    };
    const { page, leave } = await visitorIn(browser!, { url: first.url, now: new Date() });
    await page.goto(`${first.url}/console/sign-in`);
    await signIn(page, email!, password);
    await isHome(page);
    await page.goto(`${first.url}/console/sandbox/${accountSid}/events`);
    await send('+33612008801');
    await page.getByRole('row', { name: 'message.queued' }).first().waitFor();

    await first.stop('SIGKILL');
    await page.locator('[data-live=lost]').waitFor();
    const second = await startGodwit(lifetime, env);
    assert.equal(second.url, first.url);
    await send('+33612008802');
    await page.locator('[data-live=lost]').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'message.queued' }).nth(1).waitFor();

    // Reports of the provider still come in: what is shown reaches what there is, and has no hole in it.
    const shown = await until('what is shown is the newest', async () => {
      const { body } = await call(`${at}/events?sort=-sequence&limit=1`, { key });
      const texts = await page.locator('tbody tr td:first-child').allTextContents();
      const sequences = texts.map((text) => Number(text.replaceAll(/\D/g, '')));
      return sequences[0] === body.data[0].sequence ? sequences : null;
    });
    assert.ok(shown.length > 1);
    assert.deepEqual(
      shown,
      shown.map((_, index) => shown[0]! - index),
    );
    await leave();
    await second.stop('SIGTERM');
  });
});
