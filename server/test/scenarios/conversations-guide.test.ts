import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of the guide runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const env = { URL: app.url, SIM: app.simulator.url, KEY: app.sandboxKey, AC: app.accountSid };
  const { code, out, errors } = await pasteTwice('docs/conversations.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.ok(!out.includes('"error":{'), out);
  assert.match(out, /"body":"Where is my order\?"/);
  assert.match(out, /"accepted":true/);
  assert.match(out, /"status":"closed"/);
  assert.match(out, /"inboxSid":null,"status":"open"/);
});
