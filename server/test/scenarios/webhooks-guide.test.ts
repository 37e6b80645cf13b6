// The guide's examples are pasted by people; so they are pasted here.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp } from '../harness/app.ts';
import { person } from '../harness/people.ts';
import { freePort } from '../harness/ports.ts';
import { onThisMachine } from '../harness/webhooks.ts';

const guide = new URL('../../../docs/webhooks.md', import.meta.url);
const bin = fileURLToPath(new URL('../../bin/godwit.js', import.meta.url));
const missing = ['bash', 'curl', 'sed', 'python3'].filter((tool) => spawnSync(tool, ['--version']).error);

test('every example of the guide runs as it stands, in order', {
  skip: missing.length > 0 && `needs ${missing}`,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all', env: { ...onThisMachine, SIMULATOR_PORT: '0' } });
  app.clock.set(new Date()); // the guide's receiver looks at its own clock
  const stepUpToken = await (await person(app)).stepUp('WEBHOOK_ENDPOINT_CREATE');
  const folder = await mkdtemp(join(tmpdir(), 'godwit-guide-'));
  context.after(() => rm(folder, { recursive: true }));
  const [, ...blocks] = [...(await readFile(guide, 'utf8')).matchAll(/```sh\n([\s\S]*?)```/g)].map(
    (match) => match[1]!,
  );
  // In the background the process itself takes the place of the shell, so that it is the one that is ended.
  const run = `"${process.execPath}" "${bin}" "$@"`;
  const godwit = `npx() { shift; if [ "$BASH_SUBSHELL" -gt 0 ]; then exec ${run}; else ${run}; fi; }`;
  const end = 'end() { kill $RECEIVER $LISTEN; } 2>/dev/null; trap "end 2>/dev/null || true" EXIT';
  const moving = setInterval(() => app.clock.set(new Date()), 200);
  context.after(() => clearInterval(moving));
  const { code, out, errors } = await new Promise<{ code: number; out: string; errors: string }>(
    (resolve) => {
      const env = {
        ...process.env,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        URL: app.url,
        KEY: app.sandboxKey,
        AC: app.accountSid,
        STEP_UP: stepUpToken,
        DATA_DIR: folder,
      };
      void freePort().then((port) => {
        const script = ['set -euo pipefail', end, godwit, ...blocks].join('\n');
        const options = { env: { ...env, HOOK_PORT: String(port) }, cwd: folder, timeout: 60_000 };
        execFile('bash', ['-c', script], options, (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout, errors: stderr }),
        );
      });
    },
  );
  assert.equal(code, 0, `${out}\n${errors}`);
  assert.ok(!out.includes('"error":{"code":"V'), out);
  assert.match(out, /"status":"active"/);
  assert.match(out, /genuine\nforged\n/);
  assert.match(out, /message\.failed\n/);
  assert.match(out, /^2$/m);
  assert.match(out, /message\.read +EV\w+ {2}200/);
});
