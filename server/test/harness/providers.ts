// Identity providers for tests: staged and activated as an administrator does it, with second factors and all.
import assert from 'node:assert/strict';
import type { Reply, TestApp } from './app.ts';
import type { Person } from './people.ts';

type Provider = { protocol: string; publicConfig: object; providerKey?: string; credentialRef?: string };

let keys = 0;

export const stage = async (app: TestApp, admin: Person, provider: Provider): Promise<Reply> => {
  keys += 1;
  const body = {
    providerKey: `provider-${keys}`,
    reason: 'For a test',
    stepUpToken: await admin.stepUp('IDENTITY_PROVIDER_CREATE'),
    ...provider,
  };
  return app.post(`/v1/accounts/${admin.accountSid}/identity/providers`, body, admin.headers);
};

const move =
  (name: 'activate' | 'suspend', action: string) => async (app: TestApp, admin: Person, id: string) =>
    app.post(
      `/v1/accounts/${admin.accountSid}/identity/providers/${id}/${name}`,
      { reason: 'For a test', stepUpToken: await admin.stepUp(action) },
      admin.headers,
    );

export const activate = move('activate', 'IDENTITY_PROVIDER_ACTIVATE');
export const suspend = move('suspend', 'IDENTITY_PROVIDER_SUSPEND');

/** An ACTIVE provider, as the activation answered it. */
export async function activeProvider(app: TestApp, admin: Person, provider: Provider) {
  const staged = await stage(app, admin, provider);
  assert.equal(staged.status, 201, staged.text);
  const active = await activate(app, admin, staged.body.id);
  assert.equal(active.status, 200, active.text);
  return active.body;
}
