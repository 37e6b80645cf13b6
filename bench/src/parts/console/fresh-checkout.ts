// A checkout as `npm ci` leaves it: every source, the packages, and nothing that was built or stored.
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownCheckout } from '../../stage.ts';

/** Copies this one, with what is not committed yet. */
export async function copyCheckout(to: string): Promise<void> {
  for (const name of await sources()) await cp(join(ownCheckout, name), join(to, name));
  const places = ['', 'server', 'simulator', 'bench', 'sdk/typescript', 'console'];
  for (const place of places) {
    const packages = join(ownCheckout, place, 'node_modules');
    if (await exists(packages)) await linkPackages(packages, join(to, place, 'node_modules'));
  }
}

async function sources(): Promise<string[]> {
  const asked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', asked, { cwd: ownCheckout, maxBuffer: 2 ** 26 });
  const names = stdout.split('\0').filter((name) => name !== '');
  const there = await Promise.all(names.map((name) => exists(join(ownCheckout, name))));
  return names.filter((_, at) => there[at]);
}

/**
 * A link to each package. Links, by which workspaces find one another and commands are found, are made anew as they are: they must lead
 * into the copy, for whoever follows them into this checkout starts its service and finds its console built.
 */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.isDirectory() && /^(@|\.bin$)/.test(entry.name)) await linkPackages(source, target);
    else await symlink(source, target);
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
