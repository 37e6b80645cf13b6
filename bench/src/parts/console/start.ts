// How soon after a start the console can be used: the first time, when it is built beside, and later.
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { ownCheckout } from '../../stage.ts';
import { untilServed } from './visit.ts';

const parts = ['package.json', 'server', 'simulator', 'sdk', 'console', 'docs'];
const withPackages = ['', 'server', 'simulator', 'sdk/typescript', 'console'];

export async function start(context: Context): Promise<Row[]> {
  const checkout = await freshCheckout();
  try {
    const [first, later] = [await startMs(context, checkout), await startMs(context, checkout)];
    return [
      {
        ...emptyRow,
        name: 'console usable after a first start',
        perSecond: 0,
        longestMs: first,
        mostLongestMs: 12_000,
      },
      { ...emptyRow, name: 'console usable after a later start', perSecond: 0, longestMs: later },
    ];
  } finally {
    await rm(checkout, { recursive: true, force: true });
  }
}

/** The sources as they come, with the packages of this checkout and nothing built. */
async function freshCheckout(): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), 'godwit-bench-checkout-'));
  for (const part of parts)
    await cp(join(ownCheckout, part), join(checkout, part), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
  for (const folder of withPackages)
    await symlink(join(ownCheckout, folder, 'node_modules'), join(checkout, folder, 'node_modules')).catch(
      () => {},
    );
  return checkout;
}

async function startMs({ stage, say }: Context, checkout: string): Promise<number> {
  say('a start');
  const began = performance.now();
  const godwit = await stage.startGodwit({ checkout, role: 'all', env: { SIMULATOR_PORT: '0' } });
  await untilServed(godwit.url);
  const tookMs = performance.now() - began;
  await godwit.stop();
  return tookMs;
}
