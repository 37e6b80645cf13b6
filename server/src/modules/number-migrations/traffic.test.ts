// What goes on around a migration: messages, readings of the accounts, reports about messages of the time before.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { dispatcherOf } from '../../../test/harness/messages.ts';
import { type Migrations, migrationsOf, type Scene } from '../../../test/harness/number-migrations.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { numbersListed, senderByPhoneNumberId } from '../senders/index.ts';
import { connectionOf } from '../wabas/index.ts';

let app: TestApp;
let migrations: Migrations;
let dispatcher: Awaited<ReturnType<typeof dispatcherOf>>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  migrations = await migrationsOf(app);
  dispatcher = await dispatcherOf(app, { provider: { port: app.ports.provider } });
});

const template = { type: 'template', template: { name: 'hello_world', language: 'en' } };
async function send(senderSid: string): Promise<string> {
  const { status, body, text } = await app.post(`${app.at}/messages`, {
    from: senderSid,
    to: newPhone(),
    ...template,
  });
  assert.equal(status, 201, text);
  return body.sid;
}
/** The ids of the numbers from which the provider took each of these messages. */
const takenFrom = (sids: string[]) =>
  sids.map((sid) => app.simulator.control.messagesWithOpaque(sid).map(({ phoneNumberId }) => phoneNumberId));
const sendersIn = async (...wabaSids: string[]) =>
  (
    await app.sql<{ sid: string }>('select sid from senders where waba_sid = any($1) order by sid', [
      wabaSids,
    ])
  ).map(({ sid }) => sid);

/** What the provider lists for a business account now becomes known, as it does every hour. */
async function read(waba: { sid: string; providerWabaId: string }): Promise<void> {
  const place = { app, accountSid: app.accountSid };
  const connection = await write(place, (t) => connectionOf(t, waba.sid));
  const listed = await app.ports.provider.listPhoneNumbers(connection!, waba.providerWabaId, null);
  assert.ok(listed.ok);
  await write(place, (t) => numbersListed(t, waba.sid, listed.value.items));
}

async function coded(scene: Scene): Promise<string> {
  const { body } = await migrations.start(scene.body);
  await migrations.run(body.sid);
  await migrations.code(body.sid);
  return body.sid;
}

suite('messages sent all through a migration', () => {
  test('leave from the source before the pause and from the destination after it, each once and none between', async () => {
    const scene = await migrations.scene();
    const { sender } = scene;
    const before = [await send(sender.sid), await send(sender.sid)];
    await dispatcher.run();
    const sid = await coded(scene);
    const meanwhile = [await send(sender.sid)];
    await dispatcher.run();
    const paused: string[] = [];
    const moments: (string | undefined)[][] = [];
    await migrations.run(sid, async (moment) => {
      if (moment !== 'before registerPhoneNumber' && moment !== 'after registerPhoneNumber') return;
      paused.push(await send(sender.sid));
      await dispatcher.run();
      moments.push(takenFrom(paused).flat());
    });
    assert.deepEqual(moments, [[], []]);
    await dispatcher.run();
    const after = [await send(sender.sid)];
    await dispatcher.run();
    const old = sender.providerPhoneNumberId;
    const { providerPhoneNumberId: now } = await migrations.get(sid);
    assert.deepEqual(takenFrom([...before, ...meanwhile]), [[old], [old], [old]]);
    assert.deepEqual(takenFrom([...paused, ...after]), [[now], [now], [now]]);
  });
  test('that are on their way when the pause comes are answered before the number is registered', async () => {
    const scene = await migrations.scene();
    const sid = await coded(scene);
    const message = await send(scene.sender.sid);
    const answers = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const provider = app.ports.provider;
    const held = await dispatcherOf(app, {
      provider: {
        port: {
          ...provider,
          send: async (...given: Parameters<typeof provider.send>) => {
            asked.resolve();
            await answers.promise;
            return provider.send(...given);
          },
        },
      },
    });
    const leaving = held.run();
    await asked.promise;
    let registered = false;
    const moving = migrations.run(sid, (moment) => {
      if (moment === 'before registerPhoneNumber') registered = true;
    });
    const paused = async () =>
      (await app.sql('select 1 from senders where sid = $1 and paused_by is not null', [scene.sender.sid]))
        .length > 0;
    while (!(await paused()));
    // Long enough for whoever does not wait: it would have called by the second look.
    for (let looks = 0; looks < 50 && !registered; looks += 1) await paused();
    assert.equal(registered, false);
    answers.resolve();
    await Promise.all([leaving, moving]);
    assert.equal(registered, true);
    assert.deepEqual(takenFrom([message]), [[scene.sender.providerPhoneNumberId]]);
    assert.equal(app.simulator.control.counts().refusals[133010], undefined);
    await held.stop();
  });
});

suite('a reading of the business accounts', () => {
  test('makes no second sender of a number on its way, nor of one that has left, at any moment', async () => {
    const scene = await migrations.scene();
    const { source, destination, sender } = scene;
    const known = await sendersIn(source.sid, destination.sid);
    const readBoth = async () => {
      await read(source);
      await read(destination);
      assert.deepEqual(await sendersIn(source.sid, destination.sid), known);
    };
    const { sid } = (await migrations.start(scene.body)).body;
    const moments = new Set([
      'after addPhoneNumber',
      'after verifyPhoneNumber',
      'before registerPhoneNumber',
      'after registerPhoneNumber',
    ]);
    const watch = async (moment: string) => {
      if (moments.delete(moment)) await readBoth();
    };
    await migrations.run(sid, watch);
    await migrations.code(sid);
    await migrations.run(sid, watch);
    assert.equal(moments.size, 0);
    await readBoth();
    const { wabaSid, status } = await migrations.sender(sender.sid);
    assert.deepEqual([wabaSid, status], [destination.sid, 'CONNECTED']);
  });
  test('of a migration that was canceled makes no sender of what it left at the destination', async () => {
    const scene = await migrations.scene();
    const { sid } = (await migrations.start(scene.body)).body;
    await migrations.run(sid);
    await migrations.cancel(sid);
    const known = await sendersIn(scene.source.sid, scene.destination.sid);
    await read(scene.destination);
    assert.deepEqual(await sendersIn(scene.source.sid, scene.destination.sid), known);
  });
});

suite('what the provider says of the id a number had', () => {
  test('finds the sender a day later, and again after the number moved on', async () => {
    const scene = await migrations.scene();
    const ids = [scene.sender.providerPhoneNumberId];
    for (const [from, to] of [
      [scene.source, scene.destination],
      [scene.destination, scene.source],
    ]) {
      const [hello] = (await app.get(`${app.at}/templates?wabaSid=${to.sid}&name=hello_world&language=en`))
        .body.data;
      const validation = { ...scene.body.validation, templateSid: hello.sid };
      const body = { ...scene.body, sourceWabaSid: from.sid, destinationWabaSid: to.sid, validation };
      // Two-step verification is switched off in the provider's own manager.
      if (ids.length > 1) app.simulator.control.change('numbers', ids.at(-1)!, { pin: null });
      const { sid } = (await migrations.start(body)).body;
      await migrations.run(sid);
      await migrations.code(sid);
      await migrations.run(sid);
      const { validation: sent, providerPhoneNumberId } = await migrations.get(sid);
      await migrations.deliver(sent.messageSid);
      await migrations.run(sid);
      assert.equal((await migrations.get(sid)).state, 'SUCCEEDED');
      ids.push(providerPhoneNumberId);
      app.clock.advance(24 * 3_600_000);
    }
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) {
      const place = await app.database.system((s) => senderByPhoneNumberId(s, id, false));
      assert.equal(place?.senderSid, scene.sender.sid);
    }
  });
});
