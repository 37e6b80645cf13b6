import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';

const minute = 60_000;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const action = 'API_KEY_CREATE';
const prove = (who: Person, assertion: string, method = 'TOTP', more: object = {}) =>
  app.post(`${app.at}/identity/step-up`, { action, method, assertion, ...more }, who.headers);
const wrongCode = (who: Person) => (who.totp!.code() === '000000' ? '111111' : '000000');
const shift = (ms: number) => new Date(app.clock.now().getTime() + ms);

function assertRefused(reply: Reply): void {
  assert.deepEqual([reply.status, reply.body.error.code], [401, 'AUTHENTICATION_ERROR'], reply.text);
}

async function failTimes(who: Person, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) assertRefused(await prove(who, wrongCode(who)));
}

async function recoveryCodesOf(who: Person): Promise<string[]> {
  const stepUpToken = await who.stepUp('MFA_RECOVERY_CODES_ROTATE');
  const rotated = await app.post(
    `${app.at}/identity/mfa/recovery-codes/rotate`,
    { stepUpToken },
    who.headers,
  );
  assert.equal(rotated.status, 201, rotated.text);
  return rotated.body.codes;
}

suite('one-time codes', () => {
  test('a phone one step behind or ahead is understood, two steps are not', async () => {
    const who = await person(app);
    assertRefused(await prove(who, who.totp!.code(shift(-minute))));
    assert.equal((await prove(who, who.totp!.code(shift(-30_000)))).status, 201);
    assert.equal((await prove(who, who.totp!.code(shift(30_000)))).status, 201);
    assertRefused(await prove(who, who.totp!.code(shift(minute))));
  });

  test('a code works once, and none from before it works after it', async () => {
    const who = await person(app);
    const code = who.totp!.code();
    assert.equal((await prove(who, code)).status, 201);
    assertRefused(await prove(who, code));
    assertRefused(await prove(who, who.totp!.code(shift(-30_000))));
    app.clock.advance(30_000);
    assertRefused(await prove(who, code));
    assert.equal((await prove(who, who.totp!.code())).status, 201);
  });

  test('of 50 requests at once with one code, one succeeds', async () => {
    const who = await person(app);
    const code = who.totp!.code();
    const replies = await Promise.all(Array.from({ length: 50 }, () => prove(who, code)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    assert.equal(await app.count(`step_up_tokens where user_sid = '${who.userSid}'`), 1);
  });

  test('copies of a right code are refused and are no guesses, at once or later', async () => {
    const who = await person(app);
    const code = who.totp!.code();
    const replies = await Promise.all(Array.from({ length: 20 }, () => prove(who, code)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) assertRefused(reply);
    for (let i = 0; i < 6; i += 1) assertRefused(await prove(who, code));
    app.clock.advance(30_000);
    assert.equal((await prove(who, who.totp!.code())).status, 201);
    assert.deepEqual(await guessesOf(who), []);
  });

  test('a code of somebody else is worth nothing', async () => {
    const [one, other] = [await person(app), await person(app)];
    assertRefused(await prove(one, other.totp!.code()));
  });
});

type Entry = { action: string; actor: string; requestId: string; facts: Record<string, unknown> };

/** What was written down about guesses at the factors of a person. */
async function guessesOf({ userSid }: Person): Promise<Entry[]> {
  const rows = await app.sql<{ payload: string }>(
    `select payload from audit_entries where resource = $1
       and action in ('step_up.failed', 'sign_in.failed', 'mfa.locked') order by occurred_at, sequence`,
    [userSid],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

suite('guessing', () => {
  test('is written down, and so is the lock it leads to', async () => {
    const who = await person(app);
    const replies: Reply[] = [];
    for (let i = 0; i < 7; i += 1) replies.push(await prove(who, wrongCode(who)));
    const written = await guessesOf(who);
    assert.deepEqual(
      written.map((entry) => [entry.action, entry.actor]),
      [...Array(5).fill(['step_up.failed', `user:${who.userSid}`]), ['mfa.locked', 'system:second-factors']],
    );
    assert.deepEqual(written[0]!.facts, { method: 'TOTP', action, sessionId: who.sessionId });
    assert.equal(written[0]!.requestId, replies[0]!.body.error.requestId);
    const lockedUntil = shift(15 * minute).toISOString();
    assert.deepEqual(written[5]!.facts, { method: 'TOTP', lockedUntil });
  });

  test('five failures within 15 minutes lock the factor for 15 minutes, even for the right code', async () => {
    const who = await person(app);
    await failTimes(who, 5);
    assertRefused(await prove(who, who.totp!.code()));
    app.clock.advance(15 * minute - 1_000);
    assertRefused(await prove(who, who.totp!.code()));
    app.clock.advance(1_000);
    assert.equal((await prove(who, who.totp!.code())).status, 201);
  });

  test('failures further apart than 15 minutes do not add up', async () => {
    const who = await person(app);
    await failTimes(who, 4);
    app.clock.advance(15 * minute);
    await failTimes(who, 4);
    assert.equal((await prove(who, who.totp!.code())).status, 201);
  });

  test('50 guesses at once are still only five', async () => {
    const who = await person(app);
    await Promise.all(Array.from({ length: 50 }, () => prove(who, wrongCode(who))));
    assertRefused(await prove(who, who.totp!.code()));
    const [counter] = await app.sql<{ locks: number }>(
      'select locks from attempt_counters where subject = $1',
      [`factor:${who.userSid}:TOTP`],
    );
    assert.equal(counter!.locks, 1);
  });

  test('the third lock in a row turns the factor off, and that is written down', async () => {
    const who = await person(app);
    for (let lock = 0; lock < 3; lock += 1) {
      await failTimes(who, 5);
      app.clock.advance(15 * minute);
    }
    assertRefused(await prove(who, who.totp!.code()));
    const listed = await app.get(`${app.at}/identity/mfa/credentials`, who.headers);
    assert.deepEqual([listed.body.data[0].disabled, listed.body.data[0].usable], [true, false]);
    const written = await app.sql(
      'select actor, livemode from audit_entries where action = $1 and resource = $2',
      ['mfa_credential.turned_off', who.totp!.credentialId],
    );
    assert.deepEqual(written, [{ actor: 'system:second-factors', livemode: false }]);
  });

  test('a success between two locks starts the count of locks afresh', async () => {
    const who = await person(app);
    for (let lock = 0; lock < 4; lock += 1) {
      await failTimes(who, 5);
      app.clock.advance(15 * minute);
      if (lock === 1) assert.equal((await prove(who, who.totp!.code())).status, 201);
    }
    app.clock.advance(30_000);
    assert.equal((await prove(who, who.totp!.code())).status, 201);
  });

  test('guessing at one factor leaves the others', async () => {
    const who = await person(app);
    const [code] = await recoveryCodesOf(who);
    await failTimes(who, 5);
    assert.equal((await prove(who, code!, 'RECOVERY_CODE')).status, 201);
  });

  test('a token got before the factor was turned off dies with it', async () => {
    const who = await person(app);
    const stepUpToken = await who.stepUp(action);
    await app.sql('update mfa_credentials set disabled_at = $1 where user_sid = $2', [
      app.clock.now(),
      who.userSid,
    ]);
    const body = { name: 'Late', scopes: ['contacts:read'], stepUpToken };
    const reply = await app.post(`${app.at}/api-keys`, body, who.headers);
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'STEP_UP_REQUIRED']);
  });
});

suite('recovery codes', () => {
  test('ten codes, each good once, however they are copied', async () => {
    const who = await person(app);
    const codes = await recoveryCodesOf(who);
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^([0-9a-z]{4}-){3}[0-9a-z]{4}$/);
    assert.equal((await prove(who, codes[0]!, 'RECOVERY_CODE')).status, 201);
    for (let i = 0; i < 6; i += 1) assertRefused(await prove(who, codes[0]!, 'RECOVERY_CODE'));
    const copied = codes[1]!.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
    assert.equal((await prove(who, copied, 'RECOVERY_CODE')).status, 201);
    const options = await app.post(`${app.at}/identity/mfa/verification-options`, { action }, who.headers);
    assert.equal(options.body.recoveryCodesLeft, 8);
  });

  test('of 50 requests at once with one code, one succeeds', async () => {
    const who = await person(app);
    const [code] = await recoveryCodesOf(who);
    const replies = await Promise.all(Array.from({ length: 50 }, () => prove(who, code!, 'RECOVERY_CODE')));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  });

  test('rotating ends the old codes and the tokens they gave', async () => {
    const who = await person(app);
    const old = await recoveryCodesOf(who);
    const { stepUpToken } = (await prove(who, old[0]!, 'RECOVERY_CODE')).body;
    app.clock.advance(1_000);
    const fresh = await recoveryCodesOf(who);
    assertRefused(await prove(who, old[1]!, 'RECOVERY_CODE'));
    const body = { name: 'Late', scopes: ['contacts:read'], stepUpToken };
    assert.equal((await app.post(`${app.at}/api-keys`, body, who.headers)).status, 403);
    assert.equal((await prove(who, fresh[1]!, 'RECOVERY_CODE')).status, 201);
  });

  test('no code is stored, and equal codes of two people would not show', async () => {
    const who = await person(app);
    const codes = await recoveryCodesOf(who);
    const rows = await app.sql<{ text: string }>(
      'select r::text as text from recovery_codes r where user_sid = $1',
      [who.userSid],
    );
    assert.equal(rows.length, 10);
    for (const { text } of rows)
      for (const code of codes) assert.ok(!text.includes(code.replaceAll('-', '')));
    const keys = await app.sql('select distinct sealed_key from recovery_code_sets');
    assert.equal(keys.length, await app.count('recovery_code_sets'));
  });
});

suite('providers', () => {
  const configure = (who: Person, providerKey: string, state: string) =>
    app.sql(
      `insert into identity_providers (id, organization_id, protocol, provider_key, public_config, state, reason,
         created_by, created_at, updated_at)
       values (gen_random_uuid(), $1, 'TOTP', $2, '{}', $3, 'test', 'test', $4, $4)
       on conflict (organization_id, provider_key) do update set state = excluded.state`,
      [who.organizationId, providerKey, state, app.clock.now()],
    );

  test('suspending the provider of a factor stops it and its tokens at once; activating brings the factor back', async () => {
    const other = await app.newAccount();
    const who = await person(app, { accountSid: other.accountSid });
    const path = `/v1/accounts/${other.accountSid}`;
    const proveThere = (code: string) =>
      app.post(`${path}/identity/step-up`, { action, method: 'TOTP', assertion: code }, who.headers);
    const stepUpToken = await who.stepUp(action);
    await configure(who, 'totp', 'SUSPENDED');
    app.clock.advance(30_000);
    assertRefused(await proveThere(who.totp!.code()));
    const body = { name: 'Late', scopes: ['contacts:read'], stepUpToken };
    assert.equal((await app.post(`${path}/api-keys`, body, who.headers)).body.error.code, 'STEP_UP_REQUIRED');
    await configure(who, 'totp', 'ACTIVE');
    assert.equal((await proveThere(who.totp!.code())).status, 201);
  });

  test('a proof may name the provider it comes from, and then only its factors count', async () => {
    const who = await person(app);
    assertRefused(await prove(who, who.totp!.code(), 'TOTP', { providerKey: 'another' }));
    assert.equal((await prove(who, who.totp!.code(), 'TOTP', { providerKey: 'totp' })).status, 201);
  });
});

test('every wrong proof is refused in the same words', async () => {
  const who = await person(app);
  const without = await person(app, { factor: 'none' });
  const replies = [
    await prove(who, wrongCode(who)),
    await prove(who, ''),
    await prove(who, 'none-of-the-codes', 'RECOVERY_CODE'),
    await prove(who, 'not json', 'WEBAUTHN'),
    await prove(who, '{}', 'WEBAUTHN'),
    await prove(who, JSON.stringify({ id: 'a\u0000b', response: { clientDataJSON: 'e30' } }), 'WEBAUTHN'),
    await prove(without, '123456'),
    await prove(without, 'none-of-the-codes', 'RECOVERY_CODE'),
  ];
  const [first, ...others] = replies.map(({ status, body: { error } }) => {
    const { requestId: _, ...rest } = error;
    return { status, ...rest };
  });
  assert.equal(first!.code, 'AUTHENTICATION_ERROR');
  for (const other of others) assert.deepEqual(other, first);
});

test('an API key has no second factor to prove', async () => {
  const reply = await app.post(`${app.at}/identity/step-up`, { action, method: 'TOTP', assertion: '123456' });
  assert.deepEqual([reply.status, reply.body.error.code], [403, 'AUTHORIZATION_ERROR']);
});

test('an action nothing asks for is named as the mistake it is', async () => {
  const who = await person(app);
  const request = { action: 'MAKE_TEA', method: 'TOTP', assertion: who.totp!.code() };
  for (const path of ['step-up', 'mfa/verification-options']) {
    const body = path === 'step-up' ? request : { action: request.action };
    const reply = await app.post(`${app.at}/identity/${path}`, body, who.headers);
    assert.deepEqual([reply.status, reply.body.error.details[0].path], [400, 'action']);
  }
});
