import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of the guide runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context);
  const env = { URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
  const { code, out, errors } = await pasteTwice('docs/senders-and-templates.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.ok(!out.includes('"error":{'), out);
  assert.match(out, /"body":"Hello Ines, order 77 is on its way\."/);
  assert.match(out, /"state":"DISCONNECTED"/);
  assert.match(out, /"type":"templates\.sync"/);
});
