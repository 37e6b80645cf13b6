import { newChallenge } from '../../../platform/http/limits/proof-of-work.ts';
import { Answer, operation } from '../../../platform/http/operations/operation.ts';
import { noStore } from '../own-sessions/own-session.ts';
import { browserOf } from '../sessions/browser.ts';
import { proveSecondFactor } from './continue-sign-in.ts';
import { Challenge, Credentials, SecondStep, SignIn } from './schema.ts';
import { signInByPassword } from './sign-in.ts';

const tag = 'Sign-in';

export const operations = [
  operation({
    id: 'signIn',
    method: 'POST',
    path: '/v1/auth/sign-in',
    summary: 'Sign in with e-mail and password',
    description:
      'Answers a session and sets its cookie, or, for a person with a second factor, `second_factor_required` with a ' +
      '`signInToken` for the second step. Writes then carry the `csrfToken` in `X-CSRF-Token`. After 5 failures within ' +
      '15 minutes a solved challenge from `GET /v1/auth/challenge` must come along as `captcha`.',
    tag,
    sdk: 'signIn.withPassword',
    access: 'public',
    repeatable:
      'Each success is a session of its own; a stored answer would hand out one that was made before.',
    body: Credentials,
    responses: { 200: SignIn },
    sends: ['Set-Cookie'],
    example: { email: 'ada@example.com', password: 'correct horse battery staple', environment: 'sandbox' },
    open: (call, input) => signInByPassword(call, input.body, browserOf(call, input)),
  }),
  operation({
    id: 'signInSecondFactor',
    method: 'POST',
    path: '/v1/auth/sign-in/second-factor',
    summary: 'Finish a sign-in with a second factor',
    description:
      'The `signInToken` works once, for 10 minutes. 5 failures within 15 minutes lock the method.',
    tag,
    sdk: 'signIn.withSecondFactor',
    access: 'public',
    repeatable: 'The token and the proof work once.',
    body: SecondStep,
    responses: { 200: SignIn },
    sends: ['Set-Cookie'],
    example: { signInToken: 'from the first step', method: 'TOTP', assertion: '123456' },
    open: (call, input) => proveSecondFactor(call, input.body, browserOf(call, input)),
  }),
  operation({
    id: 'getSignInChallenge',
    method: 'GET',
    path: '/v1/auth/challenge',
    summary: 'Get a challenge to solve for a sign-in',
    description:
      'A proof of work in the form of ALTCHA: solve it, and send `{challenge, solution}` as JSON in base64 in `captcha`. ' +
      'It is valid for 10 minutes and works once.',
    tag,
    access: 'public',
    responses: { 200: Challenge },
    open: async ({ sealer, now }) => new Answer(200, await newChallenge(sealer, now), noStore),
  }),
];
