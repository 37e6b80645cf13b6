// The examples of the documentation are pasted by people, and often twice; so they are pasted here, each block twice.
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = new URL('../../../', import.meta.url);
const bin = fileURLToPath(new URL('server/bin/godwit.js', checkout));

const tools = ['bash', 'curl', 'sed', 'grep', 'python3'];
const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error);
/** For `skip`: the examples need what every developer's machine has and a bare container may not. */
export const withoutTools = missing.length > 0 && `needs ${missing}`;

type Options = {
  env: Record<string, string>;
  cwd?: string;
  /** Runs before the first block. */
  setUp?: string;
  /** What the reader fills in: text of the page and what stands for it. */
  fillIn?: Record<string, string>;
  /** Blocks that contain one of these are for another occasion, such as installing the service. */
  leaveOut?: string[];
};

export type Pasted = { code: number | string; out: string; errors: string };

// In the background the process itself takes the place of the shell, so that it is the one that is ended.
const run = `"${process.execPath}" "${bin}" "$@"`;
const npx = `npx() { shift; if [ "$BASH_SUBSHELL" -gt 0 ]; then exec ${run}; else ${run}; fi; }`;
// A line in which the reader names their own key and account.
const ownNames = /^export .*….*$/gm;

/** Runs the shell blocks of a page in one shell, in order, each of them twice in a row. */
export async function pasteTwice(page: string, options: Options): Promise<Pasted> {
  const { env, cwd, setUp = '', fillIn = {}, leaveOut = [] } = options;
  const text = await readFile(new URL(page, checkout), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map((match) => match[1]!.replace(ownNames, ''))
    .filter((block) => !leaveOut.some((sign) => block.includes(sign)))
    .map((block) =>
      Object.entries(fillIn).reduce((one, [sign, value]) => one.replaceAll(sign, value), block),
    );
  const script = ['set -euo pipefail', npx, setUp, ...blocks.flatMap((block) => [block, block])].join('\n');
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  return new Promise((done) => {
    execFile(
      'bash',
      ['-c', script],
      { env: { ...process.env, ...env, PATH: path }, cwd, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 },
      (error, out, errors) =>
        done({ code: error === null ? 0 : (error.code ?? String(error.signal)), out, errors }),
    );
  });
}
