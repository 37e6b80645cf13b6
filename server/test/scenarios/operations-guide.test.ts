import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';

for (const [guide, expected] of [
  ['operations', [/event: operation/, /"state":"SUCCEEDED"/, /"object":"operation_result"/]],
  ['analytics', [/"object":"message_analytics"/, /"template":"hello_world"/, /"country":"FR"/]],
  ['campaigns', [/"state":"COMPLETED"/, /"outcome":"ADMITTED"/, /"state":"CANCELED"/]],
  ['contact-import', [/"dryRun":true/, /"created":1/, /"row","error","phone"/, /Inès Martin/]],
  ['managed-onboarding', [/the fingerprint is right/, /"object":"managed_onboarding"/, /"sid":"MA/]],
] as const) {
  test(`every example of docs/${guide}.md runs as it stands, in order and twice`, {
    skip: withoutTools,
  }, async (context) => {
    const app = await startTestApp(context, { role: 'all' });
    const env = { URL: app.url, KEY: app.sandboxKey, AC: app.accountSid };
    const { code, out, errors } = await pasteTwice(`docs/${guide}.md`, { env });
    assert.deepEqual([code, errors], [0, ''], out);
    assert.doesNotMatch(out, /^\{"error":/m);
    for (const form of expected) assert.match(out, form);
  });
}
