import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of the guide runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context);
  const env = { URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
  const { code, out, errors } = await pasteTwice('docs/opt-in.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.ok(!out.includes('"error":'), out);
  assert.match(out, /"object":"opt_in_form"/);
  assert.equal(out.match(/"object":"opt_in_receipt"/g)?.length, 2);
  assert.match(out, /"evidenceRef":"OL[^}]*"source":"FORM"/);
  assert.match(out, /"kty":"EC"/);
  assert.match(out, /"state":"REVOKED"/);
});
