// The guide's examples are pasted by people; so they are pasted here.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestApp } from '../harness/app.ts';

const guide = new URL('../../../docs/conversations.md', import.meta.url);
const missing = ['bash', 'curl', 'sed', 'grep'].filter((tool) => spawnSync(tool, ['--version']).error);

test('every example of the guide runs as it stands, in order', {
  skip: missing.length > 0 && `needs ${missing}`,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const blocks = [...(await readFile(guide, 'utf8')).matchAll(/```sh\n([\s\S]*?)```/g)].map(
    (match) => match[1]!,
  );
  const env = {
    ...process.env,
    URL: app.url,
    SIM: app.simulator.url,
    KEY: app.sandboxKey,
    AC: app.accountSid,
  };
  // The first block names the reader's own URL, key and account.
  const script = ['set -uo pipefail', ...blocks.slice(1)].join('\n');
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { env, timeout: 60_000 });
  assert.equal(stderr, '');
  assert.ok(!stdout.includes('"error":{'), stdout);
  assert.match(stdout, /"body":"Where is my order\?"/);
  assert.match(stdout, /"accepted":true/);
  assert.match(stdout, /"status":"closed"/);
  assert.match(stdout, /"inboxSid":null,"status":"open"/);
});
