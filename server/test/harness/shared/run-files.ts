// Runs test files one after another in this process, each taken from a queue that other processes take from as well.
// Loading the service costs more than most files do with it; so it is loaded once a process and not once a file.
import { mkdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beginDeadline } from '../deadline.ts';

const standIn = new URL('./node-test.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== standIn
      ? { url: standIn, shortCircuit: true }
      : next(specifier, context),
});

/** `queue` is a directory: `files.json` lists the files, and who can make the directory of a number has that file. */
export async function runFiles(queue: string): Promise<void> {
  const { runFile } = (await import(standIn)) as typeof import('./node-test.ts');
  const files: string[] = JSON.parse(readFileSync(join(queue, 'files.json'), 'utf8'));
  let current = '';
  // The runner fails this process for it, and knows nothing of files.
  const tell = (error: unknown) => console.error(`Nobody caught this in ${current}:`, error);
  process.on('uncaughtExceptionMonitor', tell).on('unhandledRejection', tell);
  for (const [at, file] of files.entries()) {
    if (!taken(join(queue, String(at)))) continue;
    current = relative(process.cwd(), file);
    beginDeadline(current);
    await runFile(current, () => import(pathToFileURL(file).href));
  }
}

function taken(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
