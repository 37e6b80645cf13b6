import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';
import { migrationsOf } from '../harness/number-migrations.ts';

test('every example of the guide runs as it stands, twice: the number is at the destination', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const migrations = await migrationsOf(app);
  const folder = await mkdtemp(join(tmpdir(), 'godwit-'));
  context.after(() => rm(folder, { recursive: true }));
  const tokens: string[] = [];
  for (let i = 0; i < 4; i += 1) tokens.push((await migrations.stepUp()).stepUpToken);
  const [list, next] = [join(folder, 'tokens'), join(folder, 'next')];
  await writeFile(list, tokens.map((token) => `${token}\n`).join(''));
  await writeFile(next, `head -n 1 ${list}; sed -i 1d ${list}\n`);
  const env = { URL: app.url!, KEY: app.sandboxKey, AC: app.accountSid, STEP_UP: `bash ${next}` };
  const { code, out, errors } = await pasteTwice('docs/number-migrations.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.equal(out.match(/^WB\w{26}$/gm)?.length, 2, out);
});
