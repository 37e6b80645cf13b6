// What the console looks like, held against pictures of it.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { until } from '../../server/test/harness/until.ts';
import {
  canCompare,
  compared,
  difference,
  nameOf,
  type Screen,
  shownScreens,
  storedPicture,
} from './screens/compared.ts';
import { type Furnished, furnish, innerPages, openPages } from './screens/furnished.ts';
import { sharedStage } from './stage.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Patterns of all addresses, as the router is told them. */
async function addresses(): Promise<RegExp[]> {
  const files = [
    '../src/router.tsx',
    ...(await readdir(at('../src/routes'))).map((name) => `../src/routes/${name}`),
  ];
  const texts = await Promise.all(files.map((name) => readFile(at(name), 'utf8')));
  const routes = texts.flatMap((text) => [
    ...text.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g),
  ]);
  return routes.map(([, parent, path]) => {
    const whole = parent === 'workspace' ? `/$environment/$account${path}` : path!;
    return new RegExp(`^/console${whole.replace(/\/$/, '').replaceAll(/\$\w+/g, '[^/]+')}/?$`);
  });
}

test('every address of the console is among the pages that are looked at and drawn', async () => {
  const some = new Proxy({}, { get: (_, name) => String(name) }) as Furnished;
  const pages = [...Object.values(openPages), ...Object.values(innerPages('AC1', some))];
  // These two only lead elsewhere.
  const shown = [...pages, '/console/', '/console/account'].map((page) => page.replace(/[?#].*/, ''));
  const routes = await addresses();
  assert.ok(routes.length > 40, `${routes.length}`);
  const missing = routes.filter((route) => !shown.some((page) => route.test(page)));
  assert.deepEqual(missing, []);
});

test('a screen on which one letter has another colour is not as stored', () => {
  const [screen] = compared as [Screen];
  const stored = storedPicture(screen);
  assert.equal(difference(screen, PNG.sync.write(stored)).pixels, 0);
  for (let y = 100; y < 108; y++)
    for (let x = 100; x < 106; x++) stored.data[(y * stored.width + x) * 4]! ^= 0x80;
  assert.equal(difference(screen, PNG.sync.write(stored)).pixels, 48);
});

suite('the console', { skip: !canCompare && 'the browser that draws them is for Linux on x64' }, () => {
  const stage = sharedStage({ drawsAlike: true });

  test('looks as it did, on twelve screens', async () => {
    assert.equal(compared.length, 12);
    const one = await furnish(stage.app);
    for await (const { screen, draw } of shownScreens(stage, one)) {
      let picture: Buffer = Buffer.alloc(0);
      await until(`${nameOf(screen)} looks as stored`, async () => {
        const found = difference(screen, await draw());
        picture = found.picture;
        return found.pixels === 0;
      }).catch(async (error) => {
        const folder = at('../../screens/');
        await mkdir(folder, { recursive: true });
        const file = `${folder}differs-${nameOf(screen)}.png`;
        await writeFile(file, picture);
        error.message += `; ${file} shows where it does not. Where that is meant: npm run screens -- --accept`;
        throw error;
      });
    }
  });
});
