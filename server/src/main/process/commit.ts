// Which revision of the service runs, as far as its repository stands beside it.
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));

/** Null where the service was installed without its repository. */
export async function checkedOutCommit(root = checkout): Promise<string | null> {
  try {
    const git = await gitFolder(join(root, '.git'));
    const head = (await readFile(join(git, 'HEAD'), 'utf8')).trim();
    const ref = /^ref: (.+)$/.exec(head)?.[1];
    return commitIn(ref === undefined ? head : await readRef(git, ref));
  } catch {
    return null; // nobody promised that there is a repository, or which form it has
  }
}

const commitIn = (text: string) => (/^[0-9a-f]{40,64}$/.test(text) ? text : null);

/** A second working tree has a file there that names the folder. */
async function gitFolder(path: string): Promise<string> {
  if ((await stat(path)).isDirectory()) return path;
  const named = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8'))![1]!;
  return resolve(path, '..', named);
}

async function readRef(git: string, ref: string): Promise<string> {
  const shared = await readFile(join(git, 'commondir'), 'utf8').then(
    (text) => resolve(git, text.trim()),
    () => git,
  );
  const loose = await readFile(join(shared, ref), 'utf8').catch(() => null);
  if (loose !== null) return loose.trim();
  const packed = await readFile(join(shared, 'packed-refs'), 'utf8');
  return packed
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`))!
    .split(' ')[0]!;
}
