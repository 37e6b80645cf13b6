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
