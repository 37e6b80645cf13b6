// Media in a folder. Files arrive by rename, so that a name never stands for half a file.
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { MediaStore } from '../../modules/media/index.ts';

export function folderStore(folder: string): MediaStore {
  const pathOf = (key: string) => join(folder, key);
  return {
    async put(key, file) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true });
      await rename(file.path, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error;
        return copyAcross(file.path, path);
      });
      await syncFolder(dirname(path));
    },
    async open(key, range) {
      const file = await open(pathOf(key));
      return file.createReadStream(range);
    },
    async borrow(key) {
      return { path: pathOf(key), release: async () => {} };
    },
    async *list(inside) {
      for (const path of await filesBelow(pathOf(inside))) yield relative(folder, path).replaceAll(sep, '/');
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async check() {
      await mkdir(folder, { recursive: true });
      const path = join(folder, `.check-${randomUUID()}`);
      await (await open(path, 'wx')).close();
      await rm(path);
    },
  };
}

/** Of those that arrive meanwhile, whole ones only. */
async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    },
  );
  const files = found.filter((entry) => entry.isFile() && !entry.name.endsWith(half));
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

const half = '.half';

/** Between file systems nothing can be renamed: copied under another name first, then renamed. */
async function copyAcross(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${randomUUID()}${half}`;
  try {
    await copyFile(from, unfinished);
    const file = await open(unfinished, 'r+');
    await file.sync().finally(() => file.close());
    await rename(unfinished, to);
    await rm(from, { force: true });
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** A rename is safe from a crash once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  // Some file systems cannot flush a folder; they order renames themselves.
  await folder
    .sync()
    .catch(() => {})
    .finally(() => folder.close());
}
