// People who sign in as people do: with an address and a password, through the API.
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { withHasher } from '../../src/modules/identity/passwords/password-hash.ts';
import type { Reply, TestApp } from './app.ts';
import { type Person, person } from './people.ts';

export const goodPassword = 'correct horse battery staple';

type Options = Parameters<typeof person>[1];

/** A person with a password; `person` has given them roles and perhaps a one-time-code app. */
export async function withPassword(app: TestApp, options: Options = {}): Promise<Person> {
  const made = await person(app, { factor: 'none', ...options });
  const hash = await withHasher((hasher) => hasher.hash(goodPassword));
  await app.sql('update users set password_hash = $2 where sid = $1', [made.userSid, hash]);
  return made;
}

export const signIn = (app: TestApp, email: string, more: object = {}, headers: object = {}) =>
  app.post(
    '/v1/auth/sign-in',
    { email, password: goodPassword, environment: 'sandbox', ...more },
    { authorization: undefined, ...headers },
  );

export const cookieOf = (reply: Reply): string => (reply.headers.get('set-cookie') ?? '').split(';')[0]!;

/** The headers a page of a signed-in browser sends. */
export const asBrowser = (reply: Reply) => ({
  authorization: undefined,
  cookie: cookieOf(reply),
  'x-csrf-token': (reply.body.session ?? reply.body).csrfToken as string,
});

/** Does the work a challenge asks for, as the widget in a browser would. */
export async function solve(app: TestApp): Promise<string> {
  const { body } = await app.get('/v1/auth/challenge', { authorization: undefined });
  const { parameters, signature } = body;
  const solution = await solveChallenge({ challenge: { parameters, signature }, deriveKey });
  return Buffer.from(JSON.stringify({ challenge: { parameters, signature }, solution })).toString('base64');
}

/** What an organization asks of everybody who signs in; passwords are allowed unless it says otherwise. */
export function setPolicy(app: TestApp, organizationId: string, changes: Record<string, boolean | number>) {
  const names = ['mfa_required_for_all_roles', 'password_login_enabled', 'sso_enforced'];
  const values = names.map((name) => changes[name] ?? name === 'password_login_enabled');
  return app.sql(
    `insert into auth_policies (organization_id, version, auto_disable_inactive_api_keys, mfa_required_for_all_roles,
       password_login_enabled, sso_enforced, recovery_revokes_mfa, session_absolute_timeout_hours,
       session_idle_timeout_minutes, updated_at, updated_by)
     values ($1, 2, false, $2, $3, $4, false, 24, 60, $5, 'test')
     on conflict (organization_id) do update set mfa_required_for_all_roles = $2, password_login_enabled = $3,
       sso_enforced = $4`,
    [organizationId, ...values, app.clock.now()],
  );
}
