import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

// Glyphs and edges come out the same on every machine: drawn by the processor, in one profile of colours, at their own width.
const drawnAlike = [
  '--disable-gpu',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
];

type Options = {
  /** Has only the fonts that it comes with, and draws the same pixels wherever it comes packed. */
  drawsAlike?: boolean;
};

/** A headless Chromium that comes with `npm ci`: no system package, no download, root or not. */
export async function launchBrowser({ drawsAlike = false }: Options = {}): Promise<Browser> {
  const args = ['--disable-background-networking', '--disable-dev-shm-usage'];
  if (drawsAlike) args.push(...drawnAlike);
  // The packed browser is for Linux on x64; elsewhere people have a Chrome of their own.
  if (`${process.platform}-${process.arch}` !== 'linux-x64')
    return chromium.launch({ channel: 'chrome', args });
  const folder = await unpackedBrowser();
  // Not the package's own arguments: they switch off web security, which tests want to see at work,
  // and run everything in one process, which falls over when a page is closed.
  const options: LaunchOptions = {
    executablePath: join(folder, 'chromium'),
    args,
    chromiumSandbox: false, // It cannot start as root, nor in most containers.
    env: {
      ...process.env,
      HOME: folder,
      FONTCONFIG_FILE: join(folder, drawsAlike ? ownFonts : allFonts),
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    },
  };
  // Of some hundred starts side by side one was seen to crash before it had opened a page.
  return chromium.launch(options).catch(() => chromium.launch(options));
}

const allFonts = 'fonts.conf';
const ownFonts = 'own-fonts.conf';

// One folder a user: others cannot run what root unpacked, and what others unpacked is not to be trusted. It is told by its name
// what is written into it beside the browser: one that lies there since before a change is left alone.
async function unpackedBrowser(): Promise<string> {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `godwit-browser-${packedVersion()}-fonts-${uid}`);
  if (!existsSync(folder)) await unpackAs(folder);
  if ((await stat(folder)).uid !== uid) throw new Error(`${folder} belongs to another user`);
  return folder;
}

function packedVersion(): string {
  const manifest = new URL('../../package.json', import.meta.resolve('@sparticuz/chromium'));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

// Test files run side by side: each unpacks for itself, and the first to finish gives the folder its name.
async function unpackAs(folder: string): Promise<void> {
  const own = await mkdtemp(`${folder}-`);
  await unpackInto(own);
  const packed = `${folder}/fonts`;
  const writeFonts = (name: string, folders: string[]) =>
    writeFile(join(own, name), fontsConf(folders, `${folder}/cache-of-${name}`));
  await writeFonts(allFonts, [packed, '/usr/share/fonts']);
  await writeFonts(ownFonts, [packed]);
  await rename(own, folder).catch(async (error) => {
    await rm(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
}

// The package unpacks into the temporary folder of its process, and adds the shared libraries a bare
// machine lacks only when it believes to run on Lambda: so it gets a process in which both are so.
async function unpackInto(folder: string): Promise<void> {
  const script = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath();';
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
  });
}

function fontsConf(folders: string[], cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((folder) => `  <dir>${folder}</dir>`).join('\n')}
  <cachedir>${cache}</cachedir>
</fontconfig>
`;
}
