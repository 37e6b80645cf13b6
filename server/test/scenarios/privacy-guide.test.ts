import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

test('every example of docs/privacy.md runs as it stands, in order and twice', {
  skip: withoutTools,
}, async (context) => {
  const app = await startTestApp(context);
  const env = { URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
  const { code, out, errors } = await pasteTwice('docs/privacy.md', { env });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.doesNotMatch(out, /^\{"error":/m);
  for (const form of [
    /"object":"consent_certificate",.*"certificate":"eyJ/,
    /"object":"retention_policy",.*"messageContentDays":null/,
    /"object":"retention_preview",.*"exact":true/,

    /"object":"legal_hold",.*"state":"STANDING"/,
    /"object":"list","data":\[\{"object":"legal_hold"/,
  ])
    assert.match(out, form);
});
