// What the console is built from, and the stamp that changes with any of it.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
export const workspace = join(checkout, 'console');

// The lock names the versions of everything that is bundled; an installation from elsewhere may lack it.
const single = ['console/index.html', 'console/build.ts', 'console/package.json', 'package-lock.json'];
const folders = ['console/src', 'sdk/typescript/src'];

/** Changes with the name or content of any source. */
export async function stampOfSources(): Promise<string> {
  const listed = await Promise.all(folders.map(filesBelow));
  const names = [...single, ...listed.flat()].sort();
  const contents = await Promise.all(names.map((name) => readFile(join(checkout, name)).catch(orNothing)));
  const hash = createHash('sha256');
  for (const [at, name] of names.entries()) {
    const content = contents[at];
    hash.update(`${name}\0${content?.length ?? 'absent'}\0`);
    if (content) hash.update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(checkout, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(checkout.length).replaceAll('\\', '/'));
}

function orNothing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
