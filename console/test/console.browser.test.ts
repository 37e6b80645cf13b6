// Every page of the console in a real browser, against a whole service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { builtConsole } from '../../server/test/harness/console.ts';
import { beginDeadline } from '../../server/test/harness/deadline.ts';
import { withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { colours, type Language, languages, openPage, speak, stepTo } from './screens/drawing.ts';
import { type Furnished, furnish, innerPages, openPages } from './screens/furnished.ts';
import { markup, poison } from './screens/hostile.ts';
import { isHome, sharedStage } from './stage.ts';
import { isTooWide, type Visitor, violations } from './visitor.ts';

const stage = sharedStage();
const { visitor, signedIn, home } = stage;

suite('every page, light and dark, in English and French', () => {
  const smallWindows = [
    { width: 360, height: 740 },
    { width: 640, height: 400 }, // 1280 enlarged to 200 %
  ];
  // Pages that show what people or the provider wrote.
  const full = [
    ...['contacts', 'contact', 'merges', 'merge', 'merge-with-whom', 'merge-preview', 'segments', 'segment'],
    ...['templates', 'template', 'media', 'one-media', 'contents', 'content', 'flows', 'flow'],
    ...['senders', 'sender', 'pools', 'pool', 'wabas', 'waba', 'portfolios', 'security'],
    ...['why-not', 'approvals', 'approval'],
  ];
  let furnishing: Promise<Furnished> | undefined;
  const furnished = () => {
    furnishing ??= furnish(stage.app);
    return furnishing;
  };

  test('is in the dark what it is in the light, but for its colours', async () => {
    // So the rules for accessible pages that look at no colour need not be asked twice. Nothing but `light-dark()` tells the two apart, and
    // it stands for colours only.
    const { html, assets } = (await builtConsole()).files;
    const texts = [html, ...[...assets.values()].map(({ content }) => content.toString())];
    assert.deepEqual(
      texts.filter((text) => text.includes('prefers-color-scheme')),
      [],
    );
    const chosen = texts.flatMap((text) => [...text.matchAll(/\[data-theme[^{]*\{([^}]*)\}/g)]);
    assert.deepEqual(chosen.map(([, declared]) => declared).sort(), [
      'color-scheme:dark',
      'color-scheme:light',
    ]);
  });
  test('is accessible, within its policy, without a word of the browser, and asks nobody else', async () => {
    const inside = Object.values(innerPages(stage.app.accountSid, await furnished()));
    const stranger = await visitor();
    const member = await signedIn();
    // The session of the other environment is opened once.
    await member.page.goto(home('live'));
    await isHome(member.page);
    member.troubles();

    const look = async ({ page, troubles }: Visitor, path: string, language: Language) => {
      // There are many pages, and a busy machine may take its time for each.
      beginDeadline();
      const { pathname, search } = new URL(page.url());
      assert.equal(pathname + search, path.replace(/#.*/, ''));
      assert.equal(await page.locator('html').getAttribute('lang'), language, path);
      for (const colorScheme of colours) {
        await page.emulateMedia({ colorScheme });
        const found = await violations(page, { onlyColours: colorScheme === 'dark' });
        assert.deepEqual(found, [], `${path} ${language} ${colorScheme}`);
      }
      assert.deepEqual(troubles(), [], `${path} ${language}`);
    };
    for (const language of languages) {
      await stranger.page.goto(stage.app.url + openPages['sign-in']);
      await speak(stranger, language);
      for (const path of Object.values(openPages)) {
        await openPage(stranger.page, stage.app.url + path);
        await look(stranger, path, language);
      }
    }
    // In English each is opened by its address, in French gone to from another, as people do. Both ways load the same files.
    for (const path of inside) {
      await openPage(member.page, stage.app.url + path);
      await look(member, path, 'en');
    }
    await speak(member, 'fr');
    await openPage(member.page, home('sandbox'));
    for (const path of inside) {
      await stepTo(member.page, path);
      await look(member, path, 'fr');
    }
    await stranger.leave();
    await member.leave();
  });
  test('shows hostile names as text and stays within a small window', async () => {
    const name = `<img src=x onerror=alert(1)> \u202Eevil ${'W'.repeat(60)} ${'😀'.repeat(20)}`;
    const other = await stage.app.newAccount();
    await stage.app.sql('update accounts set name = $2 where sid = $1', [other.accountSid, name]);
    const ada = await withPassword(stage.app, { accountSid: other.accountSid });
    await stage.app.sql('update users set display_name = $2 where sid = $1', [
      ada.userSid,
      name.slice(0, 128),
    ]);
    for (const viewport of smallWindows) {
      const { page, troubles, leave } = await signedIn(ada.email, { viewport });
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      assert.equal(await isTooWide(page), false, `${viewport.width}`);
      assert.deepEqual(troubles(), []);
      await leave();
    }
  });
  test('shows whatever was written into any field as text, and stays within a small window', async () => {
    const made = await visitor();
    const { context, page, troubles, leave } = made;
    await poison(context);
    await stage.enter(made);
    const all = innerPages(stage.app.accountSid, await furnished());
    const tooWide: string[] = [];
    for (const name of full) {
      beginDeadline();
      await stepTo(page, all[name]!);
      await until(`${name} shows what was written`, () =>
        page.evaluate<boolean>(`document.querySelector('main')?.innerText.includes('${markup}') ?? false`),
      );
      for (const viewport of smallWindows) {
        await page.setViewportSize(viewport);
        if (await isTooWide(page)) tooWide.push(`${name} ${viewport.width}`);
      }
      assert.equal(await page.locator('img[src=x]').count(), 0, name);
      assert.deepEqual(troubles(), [], name);
    }
    assert.deepEqual(tooWide, []);
    await leave();
  });
});
