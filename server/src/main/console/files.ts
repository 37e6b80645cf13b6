// The console as it was built: one page, and files named by a hash of what is in them.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Asset, ConsoleFiles } from '../../platform/http/console.ts';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Null where nothing was built there. */
export async function readFiles(folder: string): Promise<ConsoleFiles | null> {
  const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
  if (html === null) return null;
  const names = await readdir(join(folder, 'assets'));
  const plain = names.filter((name) => extname(name) in types);
  const assets = await Promise.all(
    plain.map(async (name): Promise<[string, Asset]> => {
      const read = (suffix: string) =>
        names.includes(name + suffix) ? readFile(join(folder, 'assets', name + suffix)) : null;
      const [content, br, gzip] = await Promise.all([read(''), read('.br'), read('.gz')]);
      return [name, { type: types[extname(name)]!, content: content!, br, gzip }];
    }),
  );
  return { html, assets: new Map(assets) };
}
