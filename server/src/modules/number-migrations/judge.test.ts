import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Migrations, migrationsOf, type Scene, why } from '../../../test/harness/number-migrations.ts';
import { newSid } from '../../platform/ids.ts';

let app: TestApp;
let migrations: Migrations;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  migrations = await migrationsOf(app);
});

const count = () => app.count('number_migrations');
/** The answer to a migration that differs from one that could begin, and that nothing came of it. */
async function refused(scene: Scene, more: object) {
  const before = [await count(), await app.count('operations')];
  const { status, body } = await migrations.start({ ...scene.body, ...more });
  assert.deepEqual([await count(), await app.count('operations')], before);
  return [status, body.error?.code, ...(body.error?.details ?? []).map(({ path }: { path: string }) => path)];
}
const templateOf = async (wabaSid: string, name: string) =>
  (await app.get(`${app.at}/templates?wabaSid=${wabaSid}&name=${name}&language=en`)).body.data[0].sid;

suite('a request for a migration', () => {
  test('whose number is not that of the sender is refused at phoneNumber', async () => {
    const scene = await migrations.scene();
    const wrong = [
      { phoneNumber: '5550000000' },
      { countryCode: '33' },
      { countryCode: '', phoneNumber: 'x' },
    ];
    assert.deepEqual(await refused(scene, wrong[0]!), [400, 'VALIDATION_ERROR', 'phoneNumber']);
    assert.deepEqual(await refused(scene, wrong[1]!), [400, 'VALIDATION_ERROR', 'phoneNumber']);
    assert.deepEqual(await refused(scene, wrong[2]!), [
      400,
      'VALIDATION_ERROR',
      'countryCode',
      'phoneNumber',
    ]);
  });
  test('whose source is another, or whose destination is where the number is, is refused at its path', async () => {
    const scene = await migrations.scene();
    assert.deepEqual(await refused(scene, { sourceWabaSid: scene.destination.sid }), [
      400,
      'VALIDATION_ERROR',
      'sourceWabaSid',
    ]);
    assert.deepEqual((await refused(scene, { destinationWabaSid: scene.source.sid })).slice(0, 3), [
      400,
      'VALIDATION_ERROR',
      'destinationWabaSid',
    ]);
  });
  test('whose template has parameters, is of another account or not approved is refused at validation.templateSid', async () => {
    const scene = await migrations.scene();
    const refusedWith = (templateSid: string) =>
      refused(scene, { validation: { ...scene.body.validation, templateSid } });
    const answer = [400, 'VALIDATION_ERROR', 'validation.templateSid'];
    const { source, destination, template } = scene;
    assert.deepEqual(await refusedWith(await templateOf(destination.sid, 'order_update')), answer);
    assert.deepEqual(await refusedWith(await templateOf(source.sid, 'hello_world')), answer);
    await app.sql(`update templates set status = 'PAUSED' where sid = $1`, [template.sid]);
    assert.deepEqual(await refusedWith(template.sid), answer);
  });
  test('without a case or a reason is refused at its path', async () => {
    const scene = await migrations.scene();
    assert.deepEqual(await refused(scene, { caseRef: ' ', reason: '' }), [
      400,
      'VALIDATION_ERROR',
      'caseRef',
      'reason',
    ]);
  });
  test('with a PIN that is no PIN is refused before the second factor is spent', async () => {
    const scene = await migrations.scene();
    const { headers, stepUpToken } = await migrations.stepUp();
    const path = `${app.at}/migrations`;
    for (const registrationPin of ['12345', '1234567', '12345a', '', ' 12345', '١٢٣٤٥٦', 482916, null]) {
      const { status, body } = await app.post(
        path,
        { ...scene.body, ...why, stepUpToken, registrationPin },
        headers,
      );
      assert.deepEqual(
        [status, body.error.details[0].path],
        [400, 'registrationPin'],
        String(registrationPin),
      );
    }
    const right = await app.post(path, { ...scene.body, ...why, stepUpToken }, headers);
    assert.equal(right.status, 202, right.text);
    const again = await app.post(path, { ...scene.body, ...why, stepUpToken }, headers);
    assert.equal(again.body.error.code, 'STEP_UP_REQUIRED');
  });
  test('without a second factor for this very action is refused, whoever asks', async () => {
    const scene = await migrations.scene();
    const other = await migrations.owner.stepUp('API_KEY_CREATE');
    for (const stepUpToken of [other, 'gwsu_made-up']) {
      const { body } = await app.post(`${app.at}/migrations`, { ...scene.body, ...why, stepUpToken });
      assert.equal(body.error.code, 'STEP_UP_REQUIRED');
    }
  });
  test("that names what is not there, or somebody else's, is refused with NOT_FOUND at its path", async () => {
    const scene = await migrations.scene();
    const stranger = await app.newAccount();
    const theirs = await app.post(
      `/v1/accounts/${stranger.accountSid}/wabas`,
      { name: 'Theirs' },
      bearer(stranger.sandboxKey),
    );
    const now = app.clock.now();
    const { validation } = scene.body;
    const cases: [object, string][] = [
      [{ senderSid: newSid('WA', now) }, 'senderSid'],
      [{ destinationWabaSid: theirs.body.sid }, 'destinationWabaSid'],
      [{ validation: { ...validation, contactSid: newSid('CT', now) } }, 'validation.contactSid'],
      [{ validation: { ...validation, templateSid: newSid('TM', now) } }, 'validation.templateSid'],
    ];
    for (const [more, path] of cases) {
      const answer = await refused(scene, more);
      // A template of the right account is one of another, as soon as the account is.
      if (path !== 'destinationWabaSid') assert.deepEqual(answer, [404, 'NOT_FOUND', path]);
      else assert.equal(answer[0] === 404 || answer[0] === 400, true);
    }
  });
  test('for a sender that is being migrated is refused with CONFLICT that names the first', async () => {
    const scene = await migrations.scene();
    const first = await migrations.start(scene.body);
    const second = await migrations.start(scene.body);
    assert.deepEqual([second.status, second.body.error.code], [409, 'CONFLICT']);
    assert.ok(second.body.error.message.includes(first.body.sid));
    await migrations.cancel(first.body.sid);
    const third = await migrations.start(scene.body);
    assert.equal(third.status, 202, third.text);
    // The first is retried, and finds the third.
    await migrations.retry(first.body.sid);
    await migrations.run(first.body.sid);
    const { state, error } = await migrations.get(first.body.sid);
    assert.deepEqual([state, error.code], ['FAILED', 'CONFLICT']);
    assert.ok(error.message.includes(third.body.sid));
  });
  test('asked for twice at once begins once', async () => {
    const scene = await migrations.scene();
    const replies = await Promise.all([migrations.start(scene.body), migrations.start(scene.body)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 409]);
  });

  const standing: [string, string, (scene: Scene) => Promise<unknown>][] = [
    [
      'that cannot send',
      'SENDER_NOT_READY',
      ({ sender }) => app.sql(`update senders set status = 'RESTRICTED' where sid = $1`, [sender.sid]),
    ],
    [
      'that is used in the business app',
      'COEXISTENCE_DEREGISTER_UNSUPPORTED',
      ({ sender }) => app.sql('update senders set on_business_app = true where sid = $1', [sender.sid]),
    ],
    [
      'whose display name is not approved',
      'DISPLAY_NAME_NOT_APPROVED',
      ({ sender }) =>
        app.sql(`update senders set name_status = 'PENDING_REVIEW' where sid = $1`, [sender.sid]),
    ],
    [
      'whose destination is not connected',
      'WABA_NOT_CONNECTED',
      ({ destination }) =>
        app.sql(
          `update wabas set connection_state = 'DISCONNECTED', disconnected_at = now() where sid = $1`,
          [destination.sid],
        ),
    ],
  ];
  for (const [what, code, prepare] of standing) {
    test(`of a number ${what} is refused with ${code}`, async () => {
      const scene = await migrations.scene();
      await prepare(scene);
      assert.equal((await refused(scene, {}))[1], code);
    });
  }
  test('to a portfolio that has all its numbers is refused with PHONE_NUMBER_CAP_REACHED', async () => {
    const scene = await migrations.scene();
    const elsewhere = await migrations.made('wabas', { name: 'Elsewhere' });
    await app.sql('update portfolios set phone_number_cap = 1 where id = $1', [elsewhere.portfolio.id]);
    const templateSid = await templateOf(elsewhere.sid, 'hello_world');
    const more = {
      destinationWabaSid: elsewhere.sid,
      validation: { ...scene.body.validation, templateSid },
    };
    assert.equal((await refused(scene, more))[1], 'PHONE_NUMBER_CAP_REACHED');
  });
});

suite('what a migration does not wait for', () => {
  test('is refused with CONFLICT: a PIN, a code and the wish for one', async () => {
    const scene = await migrations.scene();
    const { body } = await migrations.start(scene.body);
    const { sid } = body;
    for (const ask of [migrations.pin, migrations.code, migrations.requestCode]) {
      const reply = await ask(sid);
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'CONFLICT']);
    }
    await migrations.run(sid);
    const early = await migrations.pin(sid);
    assert.deepEqual([early.status, early.body.error.code], [409, 'CONFLICT']);
    assert.match(early.body.error.message, /VERIFICATION_CODE/);
    const both = await Promise.all([migrations.code(sid), migrations.code(sid)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [202, 409]);
  });
  test('malformed is refused before the second factor is spent', async () => {
    const scene = await migrations.scene();
    const { sid } = (await migrations.start(scene.body)).body;
    await migrations.run(sid);
    const { headers, stepUpToken } = await migrations.stepUp();
    const path = `${app.at}/migrations/${sid}/verification-code`;
    for (const code of ['12345', 'abcdef', '1234567', null, 123456]) {
      const { status, body } = await app.post(path, { ...why, stepUpToken, code }, headers);
      assert.deepEqual([status, body.error.details[0].path], [400, 'code'], String(code));
    }
    assert.equal((await app.post(path, { ...why, stepUpToken, code: '123456' }, headers)).status, 202);
  });
  test('of a migration of another account is not there', async () => {
    const scene = await migrations.scene();
    const { sid } = (await migrations.start(scene.body)).body;
    const stranger = await app.newAccount();
    const at = `/v1/accounts/${stranger.accountSid}/migrations`;
    const { status } = await app.get(`${at}/${sid}`, bearer(stranger.sandboxKey));
    assert.equal(status, 404);
    assert.deepEqual((await app.get(at, bearer(stranger.sandboxKey))).body.data, []);
  });
});
