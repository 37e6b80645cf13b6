import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of docs/plans.md runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const masterKey = generateMasterKey();
  const app = await startTestApp(context, { env: { MASTER_KEY: masterKey } });
  const cwd = await mkdtemp(join(tmpdir(), 'godwit-guide-'));
  context.after(() => rm(cwd, { recursive: true }));
  const env = {
    URL: app.url,
    KEY: app.sandboxKey,
    AC: app.accountSid,
    DATABASE_URL: app.databaseUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: cwd,
  };
  const { code, out, errors } = await pasteTwice('docs/plans.md', { env, cwd });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.doesNotMatch(out, /^\{"error":/m);
  assert.match(out, /growth {2}100000 messages a month, 50 sends a second/);
  assert.match(out, /has the plan tiny\./);
  for (const left of [2, 1, 0]) assert.ok(out.includes(`"messagesLeft":${left}`), out);
});
