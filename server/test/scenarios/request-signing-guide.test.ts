// The guide's examples are pasted by people; so they are pasted here, and a second time.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestApp } from '../harness/app.ts';

const guide = new URL('../../../docs/request-signing.md', import.meta.url);
const missing = ['bash', 'curl', 'openssl', 'sed'].filter((tool) => spawnSync(tool, ['--help']).error);

test('every example of the guide runs as it stands, as often as it is pasted', {
  skip: missing.length > 0 && `needs ${missing}`,
}, async (context) => {
  const app = await startTestApp(context);
  const [, ...blocks] = [...(await readFile(guide, 'utf8')).matchAll(/```sh\n([\s\S]*?)```/g)].map(
    (match) => match[1]!,
  );
  const seconds = Math.floor(app.clock.now().getTime() / 1000);
  const script = ['set -euo pipefail', `date() { echo ${seconds}; }`, ...blocks, ...blocks].join('\n');
  const env = { ...process.env, URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { env });
  assert.equal(stderr, '');
  assert.ok(!stdout.includes('"error":'), stdout);
  const [example] = /515f758a[0-9a-f]{56}/.exec(blocks.join()) ?? [];
  assert.equal(stdout.split(`${example} `).length - 1, 2, stdout);
  assert.equal(stdout.match(/"principal":\{"type":"api_key"/g)?.length, 2, stdout);
  assert.equal(stdout.match(/"object":"list"/g)?.length, 2, stdout);
});
