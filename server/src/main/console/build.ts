// Builds the console into `console/dist/STAMP`. The folder appears under that name when everything is in it, so whoever sees
// it may use it, and two builders at once only waste time.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../platform/clock.ts';
import { stampOfSources, workspace } from './sources.ts';

const dist = join(workspace, 'dist');
export const folderOf = (stamp: string) => join(dist, stamp);
export const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

export type Build = { folder: string; wasBuilt: boolean };

/** Leaves a current build as it is. */
export async function buildIfStale(): Promise<Build> {
  const folder = folderOf(stampOfSources());
  await mkdir(dist, { recursive: true });
  for (;;) {
    if (await exists(folder)) return { folder, wasBuilt: false };
    if (await takeTurn()) break;
    await rest(200);
  }
  try {
    await buildAs(folder);
    return { folder, wasBuilt: true };
  } finally {
    await rm(turn, { force: true });
  }
}

async function buildAs(folder: string): Promise<void> {
  const unfinished = join(dist, `unfinished-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  const { buildInto } = (await import(pathToFileURL(join(workspace, 'build.ts')).href)) as {
    buildInto(folder: string): Promise<void>;
  };
  await buildInto(unfinished);
  await rename(unfinished, folder).catch(async (error) => {
    // Another one was faster.
    await rm(unfinished, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  });
  await removeOthers(folder);
}

/** Running services hold what they serve in memory, so older builds are of no use to anybody. */
async function removeOthers(folder: string): Promise<void> {
  const names = await readdir(dist);
  const old = names.filter((name) => {
    const [, pid] = /^unfinished-(\d+)$/.exec(name) ?? [];
    return join(dist, name) !== folder && join(dist, name) !== turn && !(pid && isAlive(Number(pid)));
  });
  await Promise.all(old.map((name) => rm(join(dist, name), { recursive: true, force: true })));
}

// Several services may start at once on a new checkout; one build is enough. The turn is of the process named in it.
const turn = join(dist, 'building');
// Another machine's processes, on a shared disk, cannot be asked whether they are alive.
const turnMs = 120_000;

async function takeTurn(): Promise<boolean> {
  try {
    await writeFile(turn, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await isAbandoned()) await rm(turn, { force: true });
    return false;
  }
}

async function isAbandoned(): Promise<boolean> {
  try {
    const [{ mtimeMs }, pid] = await Promise.all([stat(turn), readFile(turn, 'utf8')]);
    // It is empty for the moment between being made and being written.
    return systemClock.now().getTime() - mtimeMs > turnMs || (pid !== '' && !isAlive(Number(pid)));
  } catch {
    return false; // It has just been given back.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
