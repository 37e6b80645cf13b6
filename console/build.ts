// Builds the console into a folder: `index.html`, files named by their hash, and each of them compressed once and for all.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

export const base = '/console/';

export async function buildInto(folder: string): Promise<void> {
  await build({
    root: import.meta.dirname,
    base,
    configFile: false,
    mode: 'production',
    logLevel: 'error',
    plugins: [react(), tailwind()],
    build: {
      outDir: folder,
      // Every browser that has passkeys and `light-dark()`; older ones are told by a blank page in any case.
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // Nothing is written into the page: the policy allows no inline script and no `data:` but for images.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  await compressAll(join(folder, 'assets'));
}

// Smaller than this, an answer fits into one packet either way.
const worthCompressing = 512;

async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name));
      if (content.length < worthCompressing || !/\.(js|css|svg)$/.test(name)) return;
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(content),
        promisify(gzip)(content, { level: 9 }),
      ]);
      await writeFile(join(folder, `${name}.br`), br);
      await writeFile(join(folder, `${name}.gz`), gz);
    }),
  );
}
