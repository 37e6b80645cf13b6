import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';
import { person } from '../harness/people.ts';
import { freePort } from '../harness/ports.ts';
import { onThisMachine } from '../harness/webhooks.ts';

test('every example of the guide runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all', env: { ...onThisMachine, SIMULATOR_PORT: '0' } });
  app.clock.set(new Date()); // the guide's receiver looks at its own clock
  const stepUpToken = await (await person(app)).stepUp('WEBHOOK_ENDPOINT_CREATE');
  const cwd = await mkdtemp(join(tmpdir(), 'godwit-guide-'));
  context.after(() => rm(cwd, { recursive: true }));
  const moving = setInterval(() => app.clock.set(new Date()), 200);
  context.after(() => clearInterval(moving));
  const env = {
    URL: app.url,
    KEY: app.sandboxKey,
    AC: app.accountSid,
    STEP_UP: stepUpToken,
    DATA_DIR: cwd,
    HOOK_PORT: String(await freePort()),
  };
  const setUp = 'end() { kill $RECEIVER $LISTEN; } 2>/dev/null; trap "end 2>/dev/null || true" EXIT';
  const { code, out, errors } = await pasteTwice('docs/webhooks.md', { env, cwd, setUp });
  assert.equal(code, 0, `${out}\n${errors}`);
  assert.doesNotMatch(out, /^\{"error":/m);
  const times = (form: RegExp) => out.match(form)?.length ?? 0;
  assert.ok(times(/"status":"active"/g) >= 2);
  for (const form of [/genuine\nforged\n/g, /message\.failed\n/g, /^2$/gm, /message\.read +EV\w+ {2}200/g])
    assert.equal(times(form), 2, `${form}\n${out}`);
});
