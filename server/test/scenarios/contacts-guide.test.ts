import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of the guide runs as it stands, in order and twice', {
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
  const { code, out, errors } = await pasteTwice('docs/contacts.md', { env, cwd });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.ok(!out.includes('"error":'), out);
  assert.match(out, /"status":"REVERTED"/);
  assert.match(out, /"resolution":"dismiss"/);
  assert.equal(out.match(/Every chain holds \(2 records\)/g)?.length, 4);
});
