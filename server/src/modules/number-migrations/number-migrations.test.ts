import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import { startTestApp, type TestApp, testStart } from '../../../test/harness/app.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Migrations, migrationsOf, pin, type Scene } from '../../../test/harness/number-migrations.ts';
import { tablesWith } from '../../../test/harness/secrets.ts';
import { freePaused } from './crons.ts';
import { migrationsUnderWay } from './under-way.ts';

let app: TestApp;
let migrations: Migrations;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  migrations = await migrationsOf(app);
});
beforeEach(() => {
  app.simulator.control.clearRules();
  app.clock.set(testStart);
});

const control = () => app.simulator.control;
const refuse = (path: string, code: number, count = 1) =>
  control().addRule({ match: { path }, behaviour: { refuse: { code } }, count });
const lose = (path: string, answer: 'lost' | 'closed-before' = 'lost', count = 1) =>
  control().addRule({ match: { path }, behaviour: { answer }, count });
const isPaused = async (sid: string) =>
  (await app.sql<{ by: string | null }>('select paused_by as by from senders where sid = $1', [sid]))[0]!.by;

async function started(scene: Scene, more: object = {}): Promise<string> {
  const { status, body, text } = await migrations.start({ ...scene.body, ...more });
  assert.equal(status, 202, text);
  return body.sid;
}
/** Added at the destination, and waiting for the code. */
async function awaitingCode(scene: Scene): Promise<string> {
  const sid = await started(scene);
  await migrations.run(sid);
  assert.equal((await migrations.get(sid)).awaits, 'VERIFICATION_CODE');
  return sid;
}
async function coded(scene: Scene): Promise<string> {
  const sid = await awaitingCode(scene);
  const { status, text } = await migrations.code(sid);
  assert.equal(status, 202, text);
  return sid;
}
/** At the destination, with the message that validates it on its way. */
async function moved(scene: Scene): Promise<string> {
  const sid = await coded(scene);
  await migrations.run(sid);
  const { step, validation } = await migrations.get(sid);
  assert.deepEqual([step, validation.messageSid === null], ['VALIDATE', false]);
  return sid;
}
const historyOf = async (sid: string): Promise<string[]> =>
  (await migrations.get(sid)).history.data
    .map(({ step, outcome }: { step: string; outcome: string }) => `${step} ${outcome}`)
    .reverse();

suite('a number migration', () => {
  test('moves the number: the sender keeps its SID, the code is asked for, the message shows that it sends', async () => {
    const scene = await migrations.scene();
    const { sender, source, destination } = scene;
    const reply = await migrations.start(scene.body);
    assert.equal(reply.status, 202, reply.text);
    const { sid } = reply.body;
    assert.equal(reply.headers.get('location'), `${app.at}/migrations/${sid}`);
    assert.deepEqual(
      [reply.body.state, reply.body.step, reply.body.awaits, reply.body.cancelable, reply.body.pinTriesLeft],
      ['PENDING', 'ADD', null, true, 5],
    );
    assert.deepEqual(reply.body.impact, {
      queuedMessages: 0,
      missingTemplates: { total: 0, templates: [] },
      missingFlows: { total: 0, flows: [] },
      workflows: [],
    });
    await migrations.run(sid);
    const waiting = await migrations.get(sid);
    assert.deepEqual(
      [waiting.state, waiting.step, waiting.awaits, waiting.nextAction.url],
      ['WAITING', 'VERIFY', 'VERIFICATION_CODE', `${app.at}/migrations/${sid}/verification-code`],
    );
    assert.equal((await migrations.sender(sender.sid)).wabaSid, source.sid);

    assert.equal((await migrations.code(sid)).status, 202);
    await migrations.run(sid);
    const there = await migrations.sender(sender.sid);
    assert.deepEqual(
      [there.wabaSid, there.status, there.providerPhoneNumberId, there.phoneNumber],
      [destination.sid, 'CONNECTED', waiting.providerPhoneNumberId, sender.phoneNumber],
    );
    assert.notEqual(there.providerPhoneNumberId, sender.providerPhoneNumberId);
    assert.equal(await isPaused(sender.sid), null);
    const validating = await migrations.get(sid);
    assert.deepEqual([validating.state, validating.cancelable], ['WAITING', false]);
    await migrations.deliver(validating.validation.messageSid);
    await migrations.run(sid);

    const ended = await migrations.get(sid);
    assert.deepEqual([ended.state, ended.step, ended.error], ['SUCCEEDED', 'DONE', null]);
    assert.deepEqual(await historyOf(sid), [
      'ADD STARTED',
      'ADD DONE',
      'REQUEST_CODE STARTED',
      'REQUEST_CODE DONE',
      'VERIFY AWAITED',
      'VERIFY RECEIVED',
      'VERIFY STARTED',
      'VERIFY DONE',
      'PAUSE DONE',
      'REGISTER STARTED',
      'REGISTER DONE',
      'CUT_OVER DONE',
      'SUBSCRIBE DONE',
      'VALIDATE STARTED',
      'VALIDATE DONE',
    ]);
    assert.deepEqual(migrations.commands(destination.providerWabaId, there.providerPhoneNumberId), [
      ['phone_numbers', null],
      ['request_code', null],
      ['verify_code', null],
      ['register', null],
    ]);
    const acts = await app.sql<{ action: string }>(
      `select action from audit_entries where resource in ($1, $2) and action like any ('{number_migration.%,sender.moved}')
        order by sequence`,
      [sid, sender.sid],
    );
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['number_migration.requested', 'number_migration.code_submitted', 'sender.moved'],
    );
  });

  test('tells beforehand what will be missing, and which workflows name it', async () => {
    const scene = await migrations.scene();
    await app.sql(
      `update templates set name = 'parcel_left' where waba_sid = $1 and name = 'order_update' and language = 'fr'`,
      [scene.source.sid],
    );
    const message = { type: 'template', template: { name: 'parcel_left', language: 'fr' } };
    const definition = {
      trigger: { eventTypes: ['CONTACT_CREATED'] },
      conditions: [],
      actions: [{ type: 'send_message', message }],
    };
    const { sid, name } = await migrations.made('workflows', { name: 'Parcels', definition });
    const published = await app.post(`${app.at}/workflows/${sid}/publish`, undefined);
    assert.equal(published.status, 200, published.text);
    const { body, text } = await migrations.start(scene.body);
    const { missingTemplates, workflows } = body.impact ?? text;
    assert.deepEqual(missingTemplates, { total: 1, templates: [message.template] });
    assert.deepEqual(workflows, [{ sid, name }]);
    await app.post(`${app.at}/workflows/${sid}/stop`, undefined);
  });

  test('is listed, the newest first, and its history is paged', async () => {
    const sid = await awaitingCode(await migrations.scene());
    const list = (await app.get(`${app.at}/migrations?limit=1`)).body;
    assert.deepEqual([list.data[0].sid, list.hasMore], [sid, true]);
    const pages: string[] = [];
    let cursor = '';
    do {
      const { history } = (await app.get(`${app.at}/migrations/${sid}?limit=2${cursor}`)).body;
      pages.push(
        ...history.data.map(({ step, outcome }: { step: string; outcome: string }) => `${step} ${outcome}`),
      );
      cursor = history.nextCursor === null ? '' : `&cursor=${history.nextCursor}`;
    } while (cursor !== '');
    assert.deepEqual(pages.reverse(), await historyOf(sid));
    await assert.rejects(
      app.sql(`update number_migration_history set detail = 'x' where operation_sid = $1`, [sid]),
    );
  });

  test('is still told when its operation is forgotten', async () => {
    const sid = await awaitingCode(await migrations.scene());
    await migrations.cancel(sid);
    await app.sql('delete from operations where sid = $1', [sid]);
    const { state, cancelable, step } = await migrations.get(sid);
    assert.deepEqual([state, cancelable, step], ['CANCELED', false, 'VERIFY']);
  });
});

suite('the code', () => {
  test('that is wrong is asked for again, and the right one goes on', async () => {
    const sid = await awaitingCode(await migrations.scene());
    assert.equal((await migrations.code(sid, '000000')).status, 202);
    await migrations.run(sid);
    const again = await migrations.get(sid);
    assert.deepEqual([again.state, again.awaits], ['WAITING', 'VERIFICATION_CODE']);
    assert.ok((await historyOf(sid)).includes('VERIFY REFUSED'));
    assert.equal((await migrations.code(sid)).status, 202);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).step, 'VALIDATE');
  });
  test('that is over ten minutes old is refused with ONBOARDING_CODE_EXPIRED, and another can be had by a call', async () => {
    const sid = await awaitingCode(await migrations.scene());
    app.clock.advance(10 * 60_000 + 1);
    const late = await migrations.code(sid);
    assert.deepEqual([late.status, late.body.error.code], [409, 'ONBOARDING_CODE_EXPIRED']);
    assert.equal((await migrations.get(sid)).awaits, 'VERIFICATION_CODE');
    assert.equal((await migrations.requestCode(sid, 'VOICE')).status, 202);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).awaits, 'VERIFICATION_CODE');
    assert.equal((await migrations.code(sid)).status, 202);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).step, 'VALIDATE');
  });
  test('that nobody brings in 7 days ends the migration, and a retry has a new one sent', async () => {
    const scene = await migrations.scene();
    const sid = await awaitingCode(scene);
    app.clock.advance(7 * 24 * 3_600_000);
    await overdue(sid);
    await migrations.run(sid);
    const { state, error, retryEligible } = await migrations.get(sid);
    assert.deepEqual([state, error.code, retryEligible], ['FAILED', 'ONBOARDING_CODE_EXPIRED', true]);
    assert.equal((await migrations.retry(sid)).status, 200);
    await migrations.run(sid);
    const again = await migrations.get(sid);
    assert.deepEqual([again.state, again.awaits], ['WAITING', 'VERIFICATION_CODE']);
    const sent = migrations.commands(again.providerPhoneNumberId).filter(([path]) => path === 'request_code');
    assert.equal(sent.length, 2);
  });
});

/** What the minute's clock does once the time is over. */
const overdue = (sid: string) =>
  app.sql(
    `update operations set state = 'PENDING', awaits = null, awaits_until = null, next_action = null where sid = $1 and awaits_until <= $2`,
    [sid, app.clock.now()],
  );

suite('the PIN', () => {
  /** The provider knows another PIN than the one that was given. */
  async function withOtherPin(scene: Scene): Promise<string> {
    const sid = await coded(scene);
    control().change('numbers', (await migrations.get(sid)).providerPhoneNumberId, { pin: '135791' });
    return sid;
  }
  /** A try, once the provider takes one again. */
  async function attempt(sid: string, given: string) {
    app.clock.advance(60_000);
    const { status, text } = await migrations.pin(sid, given);
    assert.equal(status, 202, text);
    await migrations.run(sid);
    return migrations.get(sid);
  }
  test('that is wrong four times is asked for each time while the source sends, and the right one moves the number', async () => {
    const scene = await migrations.scene();
    const sid = await withOtherPin(scene);
    await migrations.run(sid);
    for (let left = 4; left >= 1; left -= 1) {
      const waiting = await migrations.get(sid);
      assert.deepEqual(
        [waiting.state, waiting.awaits, waiting.pinTriesLeft, waiting.cancelable],
        ['WAITING', 'REGISTRATION_PIN', left, true],
      );
      assert.equal(await isPaused(scene.sender.sid), null);
      assert.equal((await migrations.sender(scene.sender.sid)).wabaSid, scene.source.sid);
      if (left > 1) await attempt(sid, '111111');
    }
    const { step } = await attempt(sid, '135791');
    assert.equal(step, 'VALIDATE');
    assert.equal((await migrations.sender(scene.sender.sid)).wabaSid, scene.destination.sid);
  });
  test('that is wrong five times ends the migration; the sender is where it was, and another migration may begin', async () => {
    const scene = await migrations.scene();
    const sid = await withOtherPin(scene);
    await migrations.run(sid);
    for (let i = 0; i < 4; i += 1) await attempt(sid, '111111');
    const ended = await migrations.get(sid);
    assert.deepEqual(
      [ended.state, ended.error.code, ended.retryEligible, ended.pinTriesLeft],
      ['FAILED', 'REGISTRATION_ERROR', false, 0],
    );
    assert.equal(await isPaused(scene.sender.sid), null);
    assert.equal((await migrations.sender(scene.sender.sid)).wabaSid, scene.source.sid);
    const kept = await app.sql('select sealed_pin from number_migrations where operation_sid = $1', [sid]);
    assert.equal(kept[0]!.sealed_pin, null);
    // The number is there and verified already, so that no code is needed.
    app.clock.advance(3_600_000);
    const next = await started(scene, { registrationPin: '135791' });
    await migrations.run(next);
    assert.equal((await migrations.get(next)).step, 'VALIDATE');
  });
  test('that comes too soon after a wrong one is tried again when the provider says, with the source sending meanwhile', async () => {
    const scene = await migrations.scene();
    const sid = await withOtherPin(scene);
    await migrations.run(sid);
    assert.equal((await migrations.pin(sid, '135791')).status, 202);
    await migrations.run(sid);
    const waiting = await migrations.get(sid);
    assert.deepEqual([waiting.state, waiting.step, waiting.awaits], ['WAITING', 'PAUSE', null]);
    assert.equal(await isPaused(scene.sender.sid), null);
    assert.ok((await historyOf(sid)).includes('REGISTER PUT_OFF'));
    app.clock.advance(20_000);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).step, 'VALIDATE');
  });
  test('that nobody brings in 7 days ends the migration, which a retry takes up where it was', async () => {
    const scene = await migrations.scene();
    const sid = await withOtherPin(scene);
    await migrations.run(sid);
    app.clock.advance(7 * 24 * 3_600_000);
    await overdue(sid);
    await migrations.run(sid);
    const { state, error, retryEligible } = await migrations.get(sid);
    assert.deepEqual([state, error.code, retryEligible], ['FAILED', 'REGISTRATION_ERROR', true]);
    await migrations.retry(sid);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).awaits, 'REGISTRATION_PIN');
  });
  test('stands in no table in the clear, in no audit entry and in no operation', async () => {
    const scene = await migrations.scene();
    const odd = '907153';
    const sid = await started(scene, { registrationPin: odd });
    await migrations.run(sid);
    await migrations.code(sid);
    await migrations.run(sid);
    assert.deepEqual(await tablesWith(app, odd), []);
    const [kept] = await app.sql<{ sealed_pin: Buffer }>('select sealed_pin from senders where sid = $1', [
      scene.sender.sid,
    ]);
    const sealed = `sender pin/${app.accountSid}/${scene.sender.sid}`;
    assert.equal(app.sealer.open(kept!.sealed_pin, sealed).toString('utf8'), odd);
  });
});

suite('the provider', () => {
  test('that keeps two-step verification on at the source ends the migration, which can be retried', async () => {
    const scene = await migrations.scene();
    const sid = await started(scene);
    // The simulator learns of the number with the first call that uses it.
    await app.post(`${app.at}/senders/${scene.sender.sid}/refresh`, undefined);
    control().change('numbers', scene.sender.providerPhoneNumberId, { pin });
    await migrations.run(sid);
    const { state, error, retryEligible } = await migrations.get(sid);
    assert.deepEqual([state, error.code, retryEligible], ['FAILED', 'REGISTRATION_ERROR', true]);
    assert.match(error.message, /Switch it off/);
    control().change('numbers', scene.sender.providerPhoneNumberId, { pin: null });
    await migrations.retry(sid);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).awaits, 'VERIFICATION_CODE');
  });
  for (const [path, step] of [
    ['phone_numbers', 'ADD'],
    ['request_code', 'REQUEST_CODE'],
    ['verify_code', 'VERIFY'],
    ['register', 'PAUSE'],
  ] as const) {
    test(`that refuses ${path} ends the migration at ${step} with the sender where it was, and a retry goes on`, async () => {
      const scene = await migrations.scene();
      const sid = await (step === 'VERIFY' || step === 'PAUSE' ? coded(scene) : started(scene));
      refuse(path, 200);
      await migrations.run(sid);
      const failed = await migrations.get(sid);
      assert.deepEqual(
        [failed.state, failed.step, failed.error.code, failed.retryEligible],
        ['FAILED', step, 'PROVIDER_TOKEN_INVALID', true],
      );
      assert.equal(await isPaused(scene.sender.sid), null);
      assert.equal((await migrations.sender(scene.sender.sid)).wabaSid, scene.source.sid);
      await migrations.retry(sid);
      await migrations.run(sid);
      const { state, step: now } = await migrations.get(sid);
      assert.deepEqual(
        [state, now],
        ['WAITING', step === 'VERIFY' || step === 'PAUSE' ? 'VALIDATE' : 'VERIFY'],
      );
    });
  }
  test('whose answers are lost is asked what came of them, and nothing is done twice', async () => {
    for (const answer of ['lost', 'closed-before'] as const) {
      const scene = await migrations.scene();
      const sid = await started(scene);
      for (const path of ['phone_numbers', 'request_code', 'verify_code', 'register']) lose(path, answer);
      for (let runs = 0; (await migrations.get(sid)).awaits === null && runs < 5; runs += 1)
        await migrations.run(sid);
      await migrations.code(sid);
      for (let runs = 0; (await migrations.get(sid)).step !== 'VALIDATE' && runs < 5; runs += 1)
        await migrations.run(sid);
      const { step, providerPhoneNumberId } = await migrations.get(sid);
      assert.equal(step, 'VALIDATE', answer);
      const done = migrations
        .commands(scene.destination.providerWabaId, providerPhoneNumberId)
        .filter(([, refusal]) => refusal === null)
        .map(([path]) => path);
      assert.deepEqual(
        ['phone_numbers', 'verify_code', 'register'].map((path) => done.filter((one) => one === path).length),
        [1, 1, 1],
        answer,
      );
      assert.equal(await isPaused(scene.sender.sid), null);
    }
  });
  test('that has the number at the destination already is believed', async () => {
    const scene = await migrations.scene();
    const first = await awaitingCode(scene);
    assert.equal((await migrations.cancel(first)).status, 200);
    const sid = await awaitingCode(scene);
    const [one, other] = [await migrations.get(first), await migrations.get(sid)];
    assert.equal(other.providerPhoneNumberId, one.providerPhoneNumberId);
  });
});

test('a sender whose migration came to an end nobody expected does not stay paused', async () => {
  const scene = await migrations.scene();
  const sid = await coded(scene);
  const broken = (moment: string) => {
    if (/^before (register|get)PhoneNumber$/.test(moment)) throw new Error('a bug');
  };
  for (let tries = 0; tries < 10 && (await migrations.get(sid)).state !== 'FAILED'; tries += 1)
    await migrations.run(sid, broken);
  const failed = await migrations.get(sid);
  assert.deepEqual([failed.state, failed.step], ['FAILED', 'REGISTER']);
  assert.equal(await isPaused(scene.sender.sid), sid);
  await runCron(app, freePaused);
  await migrations.run(sid);
  assert.equal((await migrations.get(sid)).step, 'VALIDATE');
  assert.equal(await isPaused(scene.sender.sid), null);
  // One that is under way is left alone.
  await runCron(app, freePaused);
});

suite('canceling', () => {
  test('is possible until the messages are paused, and leaves the sender as it was', async () => {
    const scene = await migrations.scene();
    const sid = await awaitingCode(scene);
    const { status, body } = await migrations.cancel(sid);
    assert.deepEqual([status, body.state], [200, 'CANCELED']);
    const { wabaSid, providerPhoneNumberId } = await migrations.sender(scene.sender.sid);
    assert.deepEqual(
      [wabaSid, providerPhoneNumberId],
      [scene.source.sid, scene.sender.providerPhoneNumberId],
    );
  });
  test('races the pause: of the two one wins, every time', async () => {
    const seen = new Set<string>();
    // At each of these moments of the run a cancel is asked for.
    for (const moment of [1, 2, 3, 4, 5, 6]) {
      const scene = await migrations.scene();
      const sid = await coded(scene);
      let commits = 0;
      let canceling: ReturnType<Migrations['cancel']> | undefined;
      await migrations.run(sid, (step) => {
        if (step !== 'before commit') return;
        commits += 1;
        if (commits === moment) canceling = migrations.cancel(sid);
        // The first is waited for, so that it surely wins; the last comes after the pause.
        return commits === 1 ? canceling?.then(() => {}) : undefined;
      });
      const answer = await canceling;
      const { state, step } = await migrations.get(sid);
      const { wabaSid } = await migrations.sender(scene.sender.sid);
      assert.equal(await isPaused(scene.sender.sid), null);
      if (answer?.status === 200) assert.deepEqual([state, wabaSid], ['CANCELED', scene.source.sid]);
      else assert.deepEqual([step, wabaSid, answer?.status ?? 409], ['VALIDATE', scene.destination.sid, 409]);
      seen.add(state);
    }
    assert.deepEqual([...seen].sort(), ['CANCELED', 'WAITING']);
  });
  test('after the pause is refused with CONFLICT', async () => {
    const sid = await moved(await migrations.scene());
    const { status, body } = await migrations.cancel(sid);
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
  });
});

suite('the message that validates', () => {
  test('that is not delivered in ten minutes fails the migration, and a retry sends another and does nothing else', async () => {
    const scene = await migrations.scene();
    const sid = await moved(scene);
    const before = await migrations.get(sid);
    app.clock.advance(10 * 60_000);
    await migrations.run(sid);
    const failed = await migrations.get(sid);
    assert.deepEqual(
      [failed.state, failed.step, failed.error.code],
      ['FAILED', 'VALIDATE', 'RECIPIENT_UNREACHABLE'],
    );
    const commands = migrations.commands(scene.destination.providerWabaId, failed.providerPhoneNumberId);
    assert.equal((await migrations.retry(sid)).status, 200);
    await migrations.run(sid);
    const again = await migrations.get(sid);
    assert.notEqual(again.validation.messageSid, before.validation.messageSid);
    await migrations.deliver(again.validation.messageSid);
    await migrations.run(sid);
    assert.equal((await migrations.get(sid)).state, 'SUCCEEDED');
    assert.deepEqual(
      migrations.commands(scene.destination.providerWabaId, failed.providerPhoneNumberId),
      commands,
    );
  });
  test('that the gates refuse fails the migration with what they say', async () => {
    const scene = await migrations.scene();
    const sid = await coded(scene);
    await app.post(`${app.at}/suppressions`, {
      contactSid: scene.contact.sid,
      scope: 'ALL',
      reason: 'Asked not to be written to',
    });
    await app.sql(`update templates set status = 'PAUSED' where sid = $1`, [scene.template.sid]);
    await migrations.run(sid);
    const { state, step, error } = await migrations.get(sid);
    assert.deepEqual([state, step, error.code], ['FAILED', 'VALIDATE', 'TEMPLATE_PAUSED']);
    assert.equal((await migrations.sender(scene.sender.sid)).wabaSid, scene.destination.sid);
  });
});

suite('operators see', () => {
  const gauge = async (name: string) => {
    const { text } = await app.get('/metrics');
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))!
        .split(' ')[1],
    );
  };
  const underWay = (sid: string) =>
    app.database
      .system(migrationsUnderWay)
      .then((found) => found.find((one) => one.sid === sid && !one.livemode));

  test('a migration as long as it has not ended, at which step it stands, and nothing sealed', async () => {
    const scene = await migrations.scene();
    const atVerify = 'godwit_number_migrations{environment="sandbox",step="VERIFY"}';
    const before = await gauge(atVerify);
    const sid = await awaitingCode(scene);
    assert.equal(await gauge(atVerify), before + 1);
    assert.deepEqual(await underWay(sid), {
      accountSid: app.accountSid,
      livemode: false,
      sid,
      state: 'WAITING',
      awaits: 'VERIFICATION_CODE',
      senderSid: scene.sender.sid,
      phoneNumber: scene.sender.phoneNumber,
      step: 'VERIFY',
      updatedAt: app.clock.now().toISOString(),
    });
    await migrations.cancel(sid);
    assert.deepEqual([await gauge(atVerify), await underWay(sid)], [before, undefined]);
  });

  test('how long the sender has been paused whose number changes hands', async () => {
    const paused = 'godwit_number_migrations_paused_seconds{environment="sandbox"}';
    assert.equal(await gauge(paused), 0);
    const sid = await coded(await migrations.scene());
    await migrations.run(sid, (step) => {
      if (step === 'before registerPhoneNumber') throw new Error('as if killed');
    });
    app.clock.advance(90_000);
    assert.equal(await gauge(paused), 90);
    await migrations.run(sid);
    assert.equal(await gauge(paused), 0);
  });

  test('nobody forgotten who was blocked: the list of the number is mirrored anew', async () => {
    const scene = await migrations.scene();
    await moved(scene);
    const [job] = await app.sql<{ run_at: Date }>('select run_at from graphile_worker.jobs where key = $1', [
      `mirror-moved:${scene.sender.sid}`,
    ]);
    assert.deepEqual(job?.run_at, new Date(app.clock.now().getTime() + 60_000));
  });
});
