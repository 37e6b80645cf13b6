// A file that follows from others: written, or with --check only compared.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `path` is below the repository's root. */
export async function generated(path: string, text: string): Promise<void> {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  if (process.argv.includes('--check')) {
    console.log(`Not current: ${path}. Run "npm run generate".`);
    process.exitCode = 1;
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(`Wrote ${path}`);
}
