import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, startTestApp } from '../../../../test/harness/app.ts';
import { person } from '../../../../test/harness/people.ts';

const newKey = { name: 'By hand', scopes: ['contacts:read'] };

test('a signed-in person creates an API key with a token for that action, once', async (context) => {
  const app = await startTestApp(context);
  const owner = await person(app);
  const stepUpToken = await owner.stepUp('API_KEY_CREATE');
  const first = await app.post(`${app.at}/api-keys`, { ...newKey, stepUpToken }, owner.headers);
  assert.equal(first.status, 201, first.text);
  const second = await app.post(`${app.at}/api-keys`, { ...newKey, stepUpToken }, owner.headers);
  assert.deepEqual([second.status, second.body.error.code], [403, 'STEP_UP_REQUIRED']);
  assert.deepEqual(second.body.error.details, [{ path: 'stepUpAction', issue: 'API_KEY_CREATE' }]);
  assert.equal((await app.get(`${app.at}/api-keys`, bearer(first.body.key))).status, 403);
});
