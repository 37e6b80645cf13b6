// A service that another user of this machine can start, wherever the checkout lies: that user may not be able to enter the
// folders above it, and their rights are nobody's business but their owner's.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Lifetime } from '../harness/lifetime.ts';
import { atEnd, checkout, launcher } from './godwit.ts';

const run = promisify(execFile);
type User = { uid: number; gid: number };
type Place = { cwd: string; command: [string, string] };

/** How the user runs the service: from the checkout, or from a copy of it in a folder that is open to everybody. */
export async function placeFor(lifetime: Lifetime, user: User): Promise<Place> {
  const inPlace: Place = { cwd: checkout, command: [process.execPath, launcher] };
  const works = run(process.execPath, [launcher, '--help'], { ...user, cwd: checkout });
  return works.then(
    () => inPlace,
    () => copiedPlace(lifetime),
  );
}

async function copiedPlace(lifetime: Lifetime): Promise<Place> {
  const copy = await mkdtemp(join(tmpdir(), 'godwit-checkout-'));
  atEnd(lifetime, () => rm(copy, { recursive: true, force: true }));
  for (const part of ['package.json', 'server', 'simulator', ...(await packages())]) {
    await mkdir(dirname(join(copy, part)), { recursive: true });
    await cp(join(checkout, part), join(copy, part), { recursive: true, verbatimSymlinks: true });
  }
  await cp(process.execPath, join(copy, 'node'));
  await run('chmod', ['-R', 'a+rX', copy]);
  return { cwd: copy, command: [join(copy, 'node'), join(copy, 'server', 'bin', 'godwit.js')] };
}

/**
 * What is installed for the service to run: without what only its developers or the console
 * need, and without the Nodes, of which one is enough.
 */
async function packages(): Promise<string[]> {
  const { packages: locked } = JSON.parse(await readFile(join(checkout, 'package-lock.json'), 'utf8'));
  return Object.keys(locked).filter(
    (path) =>
      path.startsWith('node_modules/') &&
      !locked[path].dev &&
      !/\/node-(bin-)?[a-z]+-/.test(path) &&
      !/\/(@?rolldown|vite|lucide-react|@?tailwindcss|lightningcss)/.test(path) &&
      existsSync(join(checkout, path)),
  );
}
