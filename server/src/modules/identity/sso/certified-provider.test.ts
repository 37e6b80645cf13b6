// A certified OpenID provider that nobody here wrote signs a person in, end to end.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Provider from 'oidc-provider';
import { startTestApp } from '../../../../test/harness/app.ts';
import type { Lifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { activate, stage } from '../../../../test/harness/providers.ts';
import { ssoBrowser } from '../../../../test/harness/sso-browser.ts';
import { asOperator } from '../../../main/process/keys.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { setCredential } from '../providers/credentials.ts';

const secret = 'a client secret that is long enough to be one';

/** Listens at once, since its address is part of what both sides are told; answers once it knows its client. */
async function listen(lifetime: Lifetime) {
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    serve(next: RequestListener) {
      listener = next;
    },
  };
}

function certified(issuer: string, redirectUri: string): RequestListener {
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'godwit', client_secret: secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: 'Alice Example' }),
    }),
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  return (request, response) => {
    // The person at the provider types nothing: whoever comes is Alice.
    if (request.url!.startsWith('/interaction/')) {
      return void provider.interactionFinished(request, response, { login: { accountId: 'alice' } });
    }
    callback(request, response);
  };
}

test('a certified provider signs a person in, who then uses the service, and out again when it is suspended', async (context) => {
  const app = await startTestApp(context, { env: { ALLOW_PRIVATE_WEBHOOKS: 'true' } });
  app.clock.set(new Date()); // the provider goes by the real time
  const owner = await person(app);
  const { issuer, serve } = await listen(context);
  const operator = { database: app.database, clock: app.clock, log: silentLog };
  await app.database.write(
    { accountSid: app.accountSid, livemode: false },
    asOperator(operator, false),
    (t) => setCredential(t, 'company-sso', secret),
  );
  const staged = await stage(app, owner, {
    protocol: 'OIDC',
    publicConfig: { issuer, clientId: 'godwit', justInTime: true, defaultRole: 'VIEWER' },
    credentialRef: 'company-sso',
  });
  assert.equal(staged.status, 201, staged.text);
  serve(certified(issuer, staged.body.urls.redirectUri));
  const active = await activate(app, owner, staged.body.id);
  assert.equal(active.status, 200, active.text);

  const browser = ssoBrowser(app);
  const visit = await browser.follow(browser.start(staged.body.id));
  assert.equal(visit.status, 200, visit.text);
  assert.equal(visit.url, `${app.url}/v1/auth/session`);
  const session = JSON.parse(visit.text);
  assert.deepEqual([session.user.email, session.user.displayName], ['alice@example.com', 'Alice Example']);
  assert.deepEqual(session.methods, ['oidc']);

  const list = () => browser.request(`${app.url}${app.at}/identity/providers`);
  assert.equal((await list()).status, 200);
  const stepUpToken = await owner.stepUp('IDENTITY_PROVIDER_SUSPEND');
  const path = `${app.at}/identity/providers/${staged.body.id}/suspend`;
  assert.equal((await app.post(path, { reason: 'The end', stepUpToken }, owner.headers)).status, 200);
  assert.equal((await list()).status, 401);
});
