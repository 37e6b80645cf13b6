import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of the page runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const env = { URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
  const fillIn = { 'http://127.0.0.1:8081': app.simulator.url };
  const { code, out, errors } = await pasteTwice('docs/simulator.md', { env, fillIn });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.ok(!out.includes('"error":{'), out);
  assert.match(out, /"count":1/);
  assert.match(out, /"body":"When does my order arrive\?"/);
});
