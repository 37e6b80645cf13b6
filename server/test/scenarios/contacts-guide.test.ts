// The guide's examples are pasted by people; so they are pasted here.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { startTestApp } from '../harness/app.ts';

const guide = new URL('../../../docs/contacts.md', import.meta.url);
const bin = fileURLToPath(new URL('../../bin/godwit.js', import.meta.url));
const missing = ['bash', 'curl', 'sed'].filter((tool) => spawnSync(tool, ['--version']).error);

test('every example of the guide runs as it stands, in order', {
  skip: missing.length > 0 && `needs ${missing}`,
}, async (context) => {
  const masterKey = generateMasterKey();
  const app = await startTestApp(context, { env: { MASTER_KEY: masterKey } });
  const folder = await mkdtemp(join(tmpdir(), 'godwit-guide-'));
  context.after(() => rm(folder, { recursive: true }));
  const [, ...blocks] = [...(await readFile(guide, 'utf8')).matchAll(/```sh\n([\s\S]*?)```/g)].map(
    (match) => match[1]!,
  );
  const godwit = `npx() { shift; "${process.execPath}" "${bin}" "$@"; }`;
  const { code, out, errors } = await new Promise<{ code: number; out: string; errors: string }>(
    (resolve) => {
      const env = {
        ...process.env,
        URL: app.url,
        KEY: app.sandboxKey,
        AC: app.accountSid,
        DATABASE_URL: app.databaseUrl,
        MASTER_KEY: masterKey,
        DATA_DIR: folder,
      };
      const script = ['set -euo pipefail', godwit, ...blocks].join('\n');
      execFile('bash', ['-c', script], { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout, errors: stderr }),
      );
    },
  );
  assert.deepEqual([code, errors], [0, ''], out);
  assert.ok(!out.includes('"error":'), out);
  assert.match(out, /"status":"REVERTED"/);
  assert.match(out, /"resolution":"dismiss"/);
  assert.equal(out.match(/Every chain holds \(1 records\)/g)?.length, 2);
});
