import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { simulatedPhones } from '../../adapters/simulator/phones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by their field names
type Json = any;

let app: TestApp;
let senderSid: string;
/** While set, nobody answers where the simulator was. */
let away = false;
const lifetime = sharedLifetime();
const astray: typeof simulatedPhones = Object.fromEntries(
  Object.entries(simulatedPhones).map(([name, call]) => [
    name,
    (place: { baseUrl: string }, given: never) =>
      call((away ? { ...place, baseUrl: 'http://127.0.0.1:1' } : place) as never, given),
  ]),
) as never;

before(async () => {
  app = await startTestApp(lifetime, {
    role: 'all',
    simulator: true,
    ports: { sandboxPhones: astray },
  });
  senderSid = (await app.get(`${app.at}/senders`)).body.data[0].sid;
});

let phones = 0;
/** A customer nobody has met. */
const newPhone = () => {
  phones += 1;
  return `+336120037${String(phones).padStart(2, '0')}`;
};
const at = (phone: string, of = app.at) => `${of}/sandbox/phones/${encodeURIComponent(phone)}`;
const read = async (phone: string): Promise<Json> => (await app.get(at(phone))).body;
const write = (phone: string, body: object, headers = {}) =>
  app.post(`${at(phone)}/messages`, { senderSid, ...body }, headers);
const settled = <T>(look: () => Promise<T | undefined | false>) =>
  until('what the provider tells', async () => {
    app.clock.advance(1_000);
    await app.simulator.control.advance(0);
    return (await look()) || undefined;
  });

const reminder = (phone: string) => ({
  from: senderSid,
  to: phone,
  type: 'template',
  template: {
    name: 'appointment_reminder',
    language: 'en',
    components: [{ type: 'body', parameters: ['Ines', '3 May'].map((text) => ({ type: 'text', text })) }],
  },
});

async function sent(body: object): Promise<string> {
  const { status, body: message, text } = await app.post(`${app.at}/messages`, body);
  assert.equal(status, 201, text);
  return message.sid;
}
/** What arrived here of what was written on a phone. */
const arrived = async ({ id }: { id: string }): Promise<Json[]> =>
  (await app.get(`${app.at}/messages?direction=inbound&limit=100`)).body.data.filter(
    ({ providerMessageId }: Json) => providerMessageId === id,
  );

suite('the phone of a simulated customer', () => {
  test('is empty before anybody wrote, whoever they are', async () => {
    const phone = newPhone();
    const screen = await read(phone);
    assert.deepEqual([screen.phoneNumber, screen.messages, screen.livemode], [phone, [], false]);
  });

  test('writes before the simulator ever heard of the account', async () => {
    const owner = await app.newAccount();
    const headers = bearer(owner.sandboxKey);
    const base = `/v1/accounts/${owner.accountSid}`;
    const [sender] = (await app.get(`${base}/senders`, headers)).body.data;
    const { status, body, text } = await app.post(
      `${at(newPhone(), base)}/messages`,
      { senderSid: sender.sid, text: 'First' },
      headers,
    );
    assert.deepEqual([status, body.messages?.[0]?.body], [200, 'First'], text);
  });

  test('shows what was sent in its words, with how far it came and which message it is', async () => {
    const phone = newPhone();
    const sid = await sent(reminder(phone));
    const shown = await settled(async () => {
      const [message] = (await read(phone)).messages;
      return message?.state === 'READ' && message;
    });
    assert.deepEqual([shown.messageSid, shown.senderSid, shown.writtenBy], [sid, senderSid, 'BUSINESS']);
    assert.equal(shown.body, 'Hello Ines, we expect you on 3 May. Does that still suit you?');
    const listed = (await app.get(`${app.at}/sandbox/phones`)).body.data;
    assert.deepEqual(
      listed
        .filter(({ phoneNumber }: Json) => phoneNumber === phone)
        .map(({ senderSids }: Json) => senderSids),
      [[senderSid]],
    );
  });

  test('writes once under one key, and the message arrives', async () => {
    const phone = newPhone();
    const key = { 'idempotency-key': `hello-${phone}` };
    const text = `Is ${phone} heard?`;
    const replies = [await write(phone, { text }, key), await write(phone, { text }, key)];
    for (const { status, body } of replies)
      assert.deepEqual([status, body.messages.map((message: Json) => message.body)], [200, [text]]);
    const message = await settled(async () => (await arrived(replies[0]!.body.messages[0]))[0]);
    assert.deepEqual([message.to.value, message.from, message.text.body], [phone, senderSid, text]);
  });

  test('writes the same message when its first answer was lost', async () => {
    const phone = newPhone();
    const key = { 'idempotency-key': `lost-${phone}` };
    const body = { text: `Lost ${phone}` };
    const { write: real } = simulatedPhones;
    simulatedPhones.write = async (connection, message) => {
      await real(connection, message);
      simulatedPhones.write = real;
      return { ok: false, retryable: true, reason: 'The answer was lost.' };
    };
    astray.write = (connection, message) => simulatedPhones.write(connection, message);
    assert.equal((await write(phone, body, key)).status, 503);
    const again = await write(phone, body, key);
    assert.deepEqual([again.status, again.body.messages.length], [200, 1], again.text);
    await settled(async () => (await arrived(again.body.messages[0])).length > 0);
    assert.equal((await arrived(again.body.messages[0])).length, 1);
  });

  test('says STOP, and is suppressed', async () => {
    const phone = newPhone();
    const { body: screen } = await write(phone, { text: 'STOP' });
    const { to } = await settled(async () => (await arrived(screen.messages[0]))[0]);
    await settled(async () => {
      const { body } = await app.get(`${app.at}/suppressions`);
      return body.data.some(({ contactSid }: Json) => contactSid === to.contactSid);
    });
  });

  test('answers by a button, which arrives as the answer to its message', async () => {
    const phone = newPhone();
    await sent(reminder(phone));
    const shown = await settled(async () => (await read(phone)).messages[0]);
    const press = (body: object) => app.post(`${at(phone)}/presses`, { messageId: shown.id, ...body });
    const { status, body, text } = await press({ button: shown.buttons[0].id });
    assert.equal(status, 200, text);
    assert.deepEqual([body.messages[0].body, body.messages[0].answers], [shown.buttons[0].title, shown.id]);
    const answer = await settled(async () => (await arrived(body.messages[0]))[0]);
    assert.deepEqual([answer.type, answer.to.value], ['button', phone]);
    for (const [wrong, path] of [
      [{ button: '9' }, 'button'],
      [{ button: '0', messageId: 'wamid.NOBODY' }, 'messageId'],
    ] as const) {
      const refused = await press(wrong);
      assert.deepEqual([refused.status, refused.body.error.details[0].path], [400, path]);
    }
  });

  test('stops and resumes marketing', async () => {
    const phone = newPhone();
    for (const marketing of ['STOP', 'RESUME']) {
      const { status, body, text } = await app.post(`${at(phone)}/preference`, { senderSid, marketing });
      assert.equal(status, 200, text);
      assert.equal(body.marketingStoppedFor.includes(senderSid), marketing === 'STOP');
    }
  });

  test('sends files with and without a caption', async () => {
    const phone = newPhone();
    assert.equal((await write(phone, { type: 'IMAGE', text: 'Broken' })).status, 200);
    const { body } = await write(phone, { type: 'AUDIO' });
    assert.deepEqual(body.messages.map(({ type, body: words }: Json) => [type, words]).sort(), [
      ['audio', null],
      ['image', 'Broken'],
    ]);
  });

  test('is listed page by page', async () => {
    for (let i = 0; i < 3; i += 1) await write(newPhone(), { text: 'Hi' });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body }: Json = await app.get(`${app.at}/sandbox/phones?limit=2${next}`);
      seen.push(...body.data.map(({ phoneNumber }: Json) => phoneNumber));
      cursor = body.nextCursor;
    } while (cursor !== null);
    assert.ok(seen.length > 3);
    assert.equal(new Set(seen).size, seen.length);
  });
});

suite('whoever is not meant to see a phone', () => {
  test('sees nothing of what it shows in another account, and cannot use its senders or press on it', async () => {
    const phone = newPhone();
    await write(phone, { text: 'A secret of the first account' });
    await sent(reminder(phone));
    const { id } = await settled(async () =>
      (await read(phone)).messages.find(({ writtenBy }: Json) => writtenBy === 'BUSINESS'),
    );
    const stranger = await app.newAccount();
    const headers = bearer(stranger.sandboxKey);
    const there = at(phone, `/v1/accounts/${stranger.accountSid}`);
    assert.deepEqual((await app.get(there, headers)).body.messages, []);
    assert.deepEqual(
      (await app.get(`/v1/accounts/${stranger.accountSid}/sandbox/phones`, headers)).body.data,
      [],
    );
    for (const [path, body] of [
      ['messages', { senderSid, text: 'Hi' }],
      ['preference', { senderSid, marketing: 'STOP' }],
    ] as const) {
      const refused = await app.post(`${there}/${path}`, body, headers);
      assert.deepEqual([refused.status, refused.body.error.details[0].path], [404, 'senderSid']);
    }
    assert.equal((await app.get(`${there}?senderSid=${senderSid}`, headers)).status, 404);
    const pressed = await app.post(`${there}/presses`, { messageId: id, button: '0' }, headers);
    assert.deepEqual([pressed.status, pressed.body.error.details[0].path], [400, 'messageId']);
    assert.deepEqual((await read(phone)).marketingStoppedFor, []);
  });

  test('is refused with a live key, by every operation', async () => {
    const phone = newPhone();
    const live = bearer(app.liveKey);
    const replies = [
      await app.get(`${app.at}/sandbox/phones`, live),
      await app.get(at(phone), live),
      await app.post(`${at(phone)}/messages`, { senderSid, text: 'Hi' }, live),
      await app.post(`${at(phone)}/presses`, { messageId: 'wamid.X', button: '0' }, live),
      await app.post(`${at(phone)}/preference`, { senderSid, marketing: 'STOP' }, live),
    ];
    for (const { status, body } of replies)
      assert.deepEqual(
        [status, body.error.code, body.error.message],
        [403, 'AUTHORIZATION_ERROR', 'Only a sandbox has phones.'],
      );
  });

  test('hears that the simulator is away, and can try again', async () => {
    const phone = newPhone();
    away = true;
    try {
      const replies = [
        await app.get(`${app.at}/sandbox/phones`),
        await app.get(at(phone)),
        await write(phone, { text: 'Hi' }),
      ];
      for (const { status, body } of replies) {
        assert.deepEqual([status, body.error.code], [503, 'PROVIDER_TEMPORARY_ERROR']);
        assert.match(body.error.details[0].issue, /^The simulator did not answer/);
      }
    } finally {
      away = false;
    }
    assert.equal((await write(phone, { text: 'Hi' })).status, 200);
  });

  test('is told where a phone is asked to do what makes no sense', async () => {
    const phone = newPhone();
    const path = async (body: object) =>
      (await write(phone, body)).body.error.details.map((d: Json) => d.path);
    assert.deepEqual(await path({}), ['text']);
    assert.deepEqual(await path({ type: 'STICKER', text: 'x' }), ['text']);
    assert.deepEqual(await path({ text: '' }), ['text']);
    assert.deepEqual(await path({ text: 'x'.repeat(4_097) }), ['text']);
    assert.deepEqual(await path({ text: 'x', name: 'y' }), ['name']);
    for (const wrong of ['12', '+0612', 'abc', '+3361200370000000', '../x'])
      assert.equal((await app.get(at(wrong))).status, 400, wrong);
    const hostile = `</script>\u202E${'😀'.repeat(500)} {{1}} $& \\`;
    const { body } = await write(phone, { text: hostile });
    assert.equal(body.messages[0].body, hostile);
    assert.deepEqual((await read(phone)).messages.length, 1);
  });
});
