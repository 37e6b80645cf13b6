// `npm start` on a checkout of its own: how soon the console can be used, and how much later the service is ready where it is built beside.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { endProgram } from '../../stage.ts';
import { copyCheckout } from './fresh-checkout.ts';
import { timesRow } from './visit.ts';

const rounds = 5;
// What never comes must not be waited for; what comes, comes within it on the busiest machine.
const patienceMs = 180_000;

export async function start({ stage, say }: Context): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-start-'));
  const checkout = join(folder, 'checkout');
  let running: ChildProcess | undefined;
  const end = async () => {
    if (running) await endProgram(running);
    await rm(folder, { recursive: true, force: true });
  };
  stage.alsoEnds(end);
  const onStarted = (child: ChildProcess) => {
    running = child;
  };
  try {
    say('copying the checkout');
    await copyCheckout(checkout);
    // What Node keeps of compiled sources is gone with the folder; PostgreSQL, which is no administrator, has a place in it too.
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'tmp'));
    const starting = { checkout, tmp: join(folder, 'tmp'), onStarted };
    say('the first start');
    const first = await startOnce({ ...starting, data: join(folder, 'first') }, { untilUsable: true });
    say('a later start');
    const later = await startOnce({ ...starting, data: join(folder, 'first') }, { untilUsable: true });
    const built = join(checkout, 'console/dist');
    const kept = join(folder, 'dist');
    const ready: Record<'built' | 'stale', number[]> = { built: [], stale: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const console of round % 2 === 0 ? (['built', 'stale'] as const) : (['stale', 'built'] as const)) {
        say(`round ${round + 1} of ${rounds}: console ${console}`);
        if (console === 'stale') await rename(built, kept);
        const data = join(folder, `${console}-${round}`);
        const { readyMs } = await startOnce({ ...starting, data });
        ready[console].push(readyMs);
        await rm(data, { recursive: true });
        if (console === 'built') continue;
        await rm(built, { recursive: true, force: true });
        await rename(kept, built);
      }
    }
    return [
      { ...once('console usable after the first start', first.usableMs!), mostLongestMs: 12_000 },
      once('console usable after a later start', later.usableMs!),
      {
        ...once('console usable after that start was ready', later.usableMs! - later.readyMs),
        mostLongestMs: 100,
      },
      timesRow('ready on an empty folder, console built', ready.built),
      timesRow('ready on an empty folder, console to be built', ready.stale),
      {
        ...once('ready later by what the console takes (medians)', median(ready.stale) - median(ready.built)),
        mostLongestMs: 200,
      },
    ];
  } finally {
    await end();
  }
}

const once = (name: string, longestMs: number): Row => ({ ...emptyRow, name, perSecond: 0, longestMs });

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

type Starting = { checkout: string; data: string; tmp: string; onStarted(child: ChildProcess): void };

/** From the command until the service says that it is ready, and until the console is served. */
async function startOnce({ checkout, data, tmp, onStarted }: Starting, { untilUsable = false } = {}) {
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    env: {
      ...process.env,
      ...{ DATA_DIR: data, TMPDIR: tmp, PORT: '0', SIMULATOR_PORT: '0', NODE_ENV: 'production' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStarted(child);
  try {
    const { url, readyMs } = await untilReady(child, began);
    if (!untilUsable) return { readyMs };
    return { readyMs, usableMs: await untilServed(url, began) };
  } finally {
    await endProgram(child);
  }
}

/** The banner tells of it. Everything else is read and dropped, so that it never blocks. */
function untilReady(child: ChildProcess, began: number): Promise<{ url: string; readyMs: number }> {
  return new Promise((done, fail) => {
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-4_000);
    });
    setTimeout(() => fail(new Error(`not ready in time: ${said}`)), patienceMs).unref();
    child.once('exit', (code) => fail(new Error(`npm start ended with ${code}: ${said}`)));
    createInterface(child.stdout!).on('line', (line) => {
      const [, url] = /(http:\/\/[\w.]+:\d+)\/console/.exec(line) ?? [];
      if (url === undefined) return;
      done({ url, readyMs: performance.now() - began });
    });
  });
}

async function untilServed(url: string, began: number): Promise<number> {
  while (performance.now() - began < patienceMs) {
    const answer = await fetch(`${url}/console`);
    const page = await answer.text();
    if (answer.ok && page.includes('<script')) return performance.now() - began;
    await sleep(20);
  }
  throw new Error('the console was not there in time');
}
