// Signed-in people for tests: a user with roles, a session, and a one-time-code app in their pocket.
import assert from 'node:assert/strict';
import { newTotpSecret, totpCode } from '../../src/modules/identity/mfa/totp.ts';
import { totpSecretContext } from '../../src/modules/identity/mfa/verify-factor.ts';
import { cookieName, csrfTokenOf, environmentOf } from '../../src/modules/identity/sessions/session-token.ts';
import { startSession } from '../../src/modules/identity/sessions/sessions.ts';
import { newSid, newUuid } from '../../src/platform/ids.ts';
import type { TestApp } from './app.ts';

type Options = {
  /** By default OWNER, on the whole organization. */
  roles?: string[];
  /** The account they act on; default: the app's. */
  accountSid?: string;
  /** Binds the roles to that account instead of its organization. */
  scopeKind?: 'ORGANIZATION' | 'ACCOUNT';
  environment?: 'live' | 'sandbox' | 'both';
  /** The environment they signed in to. */
  livemode?: boolean;
  factor?: 'totp' | 'none';
};

export type Person = Awaited<ReturnType<typeof person>>;

/** An ACTIVE user who has signed in. `headers` go with every request; `stepUp` gets a token from a real code. */
export async function person(app: TestApp, options: Options = {}) {
  const { roles = ['OWNER'], accountSid = app.accountSid, livemode = false, factor = 'totp' } = options;
  const now = app.clock.now();
  const [account] = await app.sql<{ organization_id: string }>(
    'select organization_id from accounts where sid = $1',
    [accountSid],
  );
  const organizationId = account!.organization_id;
  const userSid = newSid('US', now);
  const email = `${userSid.toLowerCase()}@example.com`;
  await app.sql(
    `insert into users (sid, organization_id, email, display_name, status, created_at, updated_at)
     values ($1, $2, $3, 'Test person', 'ACTIVE', $4, $4)`,
    [userSid, organizationId, email, now],
  );
  await bindRoles(app, { ...options, roles, accountSid, organizationId, userSid });
  const session = await signIn(app, { organizationId, userSid, livemode });
  const totp = factor === 'totp' ? await addTotp(app, { organizationId, userSid }) : null;
  return {
    userSid,
    organizationId,
    accountSid,
    email,
    ...session,
    totp,
    /** Another session of the same person. */
    signInAgain: (to: { livemode?: boolean } = {}) =>
      signIn(app, { organizationId, userSid, livemode: to.livemode ?? livemode }),
    stepUp: inTurn(async (action: string, headers: object = session.headers): Promise<string> => {
      assert.ok(totp, 'this person has no factor');
      // A code works once in its 30 seconds; a test that needs several should not have to move the clock for it.
      await app.sql('update mfa_credentials set last_step = null where id = $1', [totp.credentialId]);
      const reply = await app.post(
        `/v1/accounts/${accountSid}/identity/step-up`,
        { action, method: 'TOTP', assertion: totp.code() },
        headers,
      );
      assert.equal(reply.status, 201, reply.text);
      return reply.body.stepUpToken;
    }),
  };
}

/** One after the other, however they are called: a code that is used between its renewal and its use is refused. */
function inTurn<Given extends unknown[], T>(work: (...given: Given) => Promise<T>) {
  let before: Promise<unknown> = Promise.resolve();
  return (...given: Given): Promise<T> => {
    const result = before.then(() => work(...given));
    before = result.catch(() => {});
    return result;
  };
}

type Named = { organizationId: string; userSid: string };

async function bindRoles(
  app: TestApp,
  {
    roles,
    accountSid,
    organizationId,
    userSid,
    scopeKind = 'ORGANIZATION',
    environment = 'both',
  }: Options & Named,
) {
  await app.sql(
    `insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role, scope_kind,
       environment, created_by, created_at)
     select gen_random_uuid(), $1, $2, 'USER', $3, role, $4, $5, 'system:test', $6 from unnest($7::text[]) as role`,
    [
      organizationId,
      scopeKind === 'ACCOUNT' ? accountSid : null,
      userSid,
      scopeKind,
      environment,
      app.clock.now(),
      roles ?? [],
    ],
  );
}

async function signIn(app: TestApp, who: Named & { livemode: boolean }) {
  const session = await app.database.system((s) =>
    startSession(s, app.clock.now(), {
      ...who,
      methods: ['password'],
      providerId: null,
      address: '127.0.0.1',
      userAgent: 'test',
      absoluteTimeoutHours: 24,
    }),
  );
  return {
    sessionId: session.id,
    headers: {
      authorization: undefined, // the app's own key stays at home
      cookie: `${cookieName(environmentOf(session.livemode))}=${session.token}`,
      'x-csrf-token': csrfTokenOf(app.sealer, session.token),
    },
  };
}

/** A session of somebody who is there already, as a browser keeps it. */
export async function sessionCookie(app: TestApp, email: string): Promise<{ name: string; value: string }> {
  const [user] = await app.sql<{ sid: string; organization_id: string }>(
    'select sid, organization_id from users where email = $1',
    [email],
  );
  const who = { organizationId: user!.organization_id, userSid: user!.sid, livemode: false };
  const [name, value] = (await signIn(app, who)).headers.cookie.split('=');
  return { name: name!, value: value! };
}

async function addTotp(app: TestApp, { organizationId, userSid }: Named) {
  const credentialId = newUuid(app.clock.now());
  const secret = newTotpSecret();
  await app.sql(
    `insert into mfa_credentials (id, organization_id, user_sid, method, provider_key, display_name, sealed_secret,
       created_at)
     values ($1, $2, $3, 'TOTP', 'totp', 'Phone', $4, $5)`,
    [
      credentialId,
      organizationId,
      userSid,
      app.sealer.seal(secret, totpSecretContext(credentialId)),
      app.clock.now(),
    ],
  );
  return { credentialId, secret, code: (at = app.clock.now()) => totpCode(secret, at) };
}
