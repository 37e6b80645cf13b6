import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, startTestApp } from '../../../test/harness/app.ts';
import { directory } from '../../../test/harness/directory.ts';
import { person } from '../../../test/harness/people.ts';
import { until } from '../../../test/harness/until.ts';

test('the API keys somebody made end with them, and nobody else’s do', async (context) => {
  const app = await startTestApp(context, { role: 'all' });
  const scim = await directory(app, await person(app), { adoptByEmail: true, roleEnvironment: 'both' });
  const leaver = await person(app, { roles: ['DEVELOPER'] });
  const made = await app.post(
    `${app.at}/api-keys`,
    { name: 'Mine', scopes: ['contacts:read'], stepUpToken: await leaver.stepUp('API_KEY_CREATE') },
    leaver.headers,
  );
  assert.equal(made.status, 201, made.text);
  const uses = () => app.get('/v1/me', bearer(made.body.key));
  assert.equal((await uses()).status, 200);
  assert.equal((await scim.send('POST', '/Users', { userName: leaver.email })).status, 201);
  assert.equal((await scim.send('DELETE', `/Users/${leaver.userSid}`)).status, 204);
  await until('the key is refused', async () => (await uses()).status !== 200);
  assert.equal((await uses()).body.error.code, 'API_KEY_DISABLED');
  assert.equal((await app.get('/v1/me')).status, 200);
});
