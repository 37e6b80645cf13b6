// What the console is built from, and the stamp that changes with any of it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
export const workspace = join(checkout, 'console');

// The lock names the versions of everything that is bundled; an installation from elsewhere may lack it.
const single = ['console/index.html', 'console/build.ts', 'console/package.json', 'package-lock.json'];
const folders = ['console/src', 'sdk/typescript/src'];

/**
 * Changes with the name or content of any source. They are read one after the other: hundreds of small files cost several times as much
 * when each is asked for by way of a thread, and every start reads them.
 */
export function stampOfSources(): string {
  const names = [...single, ...folders.flatMap(filesBelow)].sort();
  const hash = createHash('sha256');
  for (const name of names) {
    const content = contentOf(name);
    hash.update(`${name}\0${content?.length ?? 'absent'}\0`);
    if (content) hash.update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(checkout.length).replaceAll('\\', '/'));
}

function contentOf(name: string): Buffer | null {
  try {
    return readFileSync(join(checkout, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
