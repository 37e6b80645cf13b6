// What the console hears of, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../server/test/harness/until.ts';
import { sharedStage } from './stage.ts';

const stage = sharedStage();
const { signedIn, home } = stage;

const streams = async () =>
  Number(/^godwit_live_streams (\d+)$/m.exec((await stage.app.get('/metrics')).text)?.[1]);
const send = async (to: string) => {
  const template = { name: 'hello_world', language: 'en' };
  const { body, text } = await stage.app.post(`${stage.app.at}/messages`, { to, type: 'template', template });
  assert.ok(body.sid, text);
  return body.sid as string;
};
const settle = async () => {
  stage.app.clock.advance(1_000);
  await stage.app.simulator.control.advance(0);
};
const rows = (page: Page, text: string) => page.getByRole('row', { name: text });
/** What a page asks of the service from now on. */
const askedBy = (page: Page) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/v1/')) asked.push(pathname);
  });
  return asked;
};

suite('an open console', () => {
  test('shows what happens as it happens, in every tab by one stream, and asks nothing while nothing does', async () => {
    const { page, context, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/messages`);
    await page.getByText('No message fits.').or(page.getByRole('table')).first().waitFor();
    const other = await context.newPage();
    await other.goto(`${home('sandbox')}/messages`);
    await other.getByText('No message fits.').or(other.getByRole('table')).first().waitFor();
    await until('the tabs listen', async () => (await streams()) === 1);
    const quiet = askedBy(page);
    const sid = await send('+33612007701');
    for (const tab of [page, other]) await rows(tab, '+33612007701').waitFor();
    assert.equal(await streams(), 1, 'for both tabs');
    assert.ok(quiet.length > 0 && quiet.every((path) => path.endsWith('/messages')), quiet.join(' '));

    await page.goto(`${home('sandbox')}/messages/${sid}`);
    await page.locator('dd [data-state]').waitFor();
    await until('it is read', async () => {
      await settle();
      return (await page.locator('dd [data-state=read]').count()) > 0;
    });
    assert.deepEqual(troubles(), []);
    await leave();
    await until('nobody listens any more', async () => (await streams()) === 0);
  });

  test('keeps the environments apart: what happens in one is asked for by no page of the other', async () => {
    const { page, context, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/events`);
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    const live = await context.newPage();
    await live.goto(`${home('live')}/events`);
    await live.getByText('No event fits.').waitFor();
    await until('both listen', async () => (await streams()) === 2);
    const asked = askedBy(live);
    await send('+33612007702');
    await rows(page, 'message.queued').first().waitFor();
    assert.deepEqual(asked, []);
    await live.getByText('No event fits.').waitFor();
    await leave();
  });
});
