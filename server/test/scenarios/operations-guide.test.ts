// The guides' examples are pasted by people; so they are pasted here.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';

const missing = ['bash', 'curl', 'sed'].filter((tool) => spawnSync(tool, ['--version']).error);

type Ran = { code: number; out: string; errors: string };

for (const [guide, expected] of [
  ['operations', [/event: operation/, /"state":"SUCCEEDED"/, /"object":"operation_result"/]],
  ['contact-import', [/"dryRun":true/, /"created":1/, /"row","error","phone"/, /Inès Martin/]],
] as const) {
  test(`every example of docs/${guide}.md runs as it stands, in order`, {
    skip: missing.length > 0 && `needs ${missing}`,
  }, async (context) => {
    const app = await startTestApp(context, { role: 'all' });
    const text = await readFile(new URL(`../../../docs/${guide}.md`, import.meta.url), 'utf8');
    const [, ...blocks] = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!);
    const env = { ...process.env, URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
    const script = ['set -euo pipefail', ...blocks].join('\n');
    const { code, out, errors } = await new Promise<Ran>((done) => {
      execFile('bash', ['-c', script], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout, errors: stderr }),
      );
    });
    assert.deepEqual([code, errors], [0, ''], out);
    for (const form of expected) assert.match(out, form);
  });
}
