import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../test/harness/app.ts';
import { person } from '../../../../test/harness/people.ts';
import { signIn, solve, withPassword } from '../../../../test/harness/sign-in.ts';
import { platformCrons } from '../../../platform/jobs/sweeps.ts';
import { sweepSignIns } from './jobs.ts';

test('what can no longer be used is swept away, and nothing else', async (context) => {
  const app = await startTestApp(context);
  const sweeps = [sweepSignIns, ...platformCrons];
  const sweep = async () => {
    const at = { database: app.database, now: () => app.clock.now(), signal: new AbortController().signal };
    for (const { run } of sweeps) await run(at as never);
  };
  const ada = await withPassword(app, { factor: 'totp' });
  const wrong = { password: 'not the password at all' };
  for (let i = 0; i < 5; i += 1) await signIn(app, ada.email, wrong);
  const begun = await signIn(app, ada.email, { captcha: await solve(app) });
  assert.equal(begun.body.status, 'second_factor_required');
  await signIn(app, 'ghost@example.com', wrong);
  await ada.stepUp('AUTH_POLICY_CHANGE'); // a token that dies with its session
  await app.sql(
    `insert into attempt_counters values ('factor:${ada.userSid}:TOTP', 4, 1, '2020-01-01', null)
     on conflict (subject) do update set failures = 4`,
  );
  const counts = async () => ({
    challenges: await app.count('spent_challenges'),
    pending: await app.count('pending_sign_ins'),
    guesses: await app.count("attempt_counters where subject not like 'factor:%'"),
    factors: await app.count("attempt_counters where subject like 'factor:%'"),
    sessions: await app.count('sessions'),
  });
  const fresh = await counts();
  await sweep();
  assert.deepEqual(await counts(), fresh);
  app.clock.advance(20 * 60_000);
  await sweep();
  const left = { ...fresh, challenges: 0, pending: 0, guesses: 0 };
  assert.deepEqual(await counts(), left);
  app.clock.advance(40 * 86_400_000);
  const today = await person(app);
  await sweep();
  assert.deepEqual(await counts(), { ...left, sessions: 1 });
  assert.equal((await app.get('/v1/auth/session', today.headers)).status, 200);
});
