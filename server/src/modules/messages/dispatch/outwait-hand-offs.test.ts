import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import {
  accepted,
  dispatcherOf,
  fakeProvider,
  type Messages,
  messagesOf,
  stopClaimsOf,
} from '../../../../test/harness/messages.ts';
import { holdTime } from '../../../../test/harness/time.ts';
import { until } from '../../../../test/harness/until.ts';
import { newSid } from '../../../platform/ids.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { beginWithinMs } from './hand-over.ts';

let app: TestApp;
let messages: Messages;
let headers: object;
let provider: ReturnType<typeof fakeProvider>;
let dispatcher: Awaited<ReturnType<typeof dispatcherOf>>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});
beforeEach(async () => {
  messages = await messagesOf(app);
  headers = bearer((await app.key(['contacts:write'], { accountSid: messages.accountSid })).key);
  provider = fakeProvider();
  dispatcher = await dispatcherOf(app, { provider });
});

/** Suppresses somebody by the API, and tells whether that was accepted. */
async function suppress(identifier: string): Promise<boolean> {
  const terms = { reason: 'TENANT_BLOCKLIST', scope: 'ALL', identifier, identifierType: 'phone_e164' };
  const answer = await app.post(`/v1/accounts/${messages.accountSid}/suppressions`, terms, headers);
  return answer.status === 201;
}

const codeOf = async (sid: string) => (await messages.state(sid)).error?.code;

/** A file the provider does not know yet. */
async function newFile(): Promise<string> {
  const [sid, fileId, at] = [newSid('ME', app.clock.now()), randomUUID(), app.clock.now()];
  const hash = fileId.replaceAll('-', '').padEnd(64, '0');
  await app.sql(
    `insert into media_files (account_sid, livemode, id, sha256, size_bytes, stored_at, touched_at, created_at)
     values ($1, false, $3, $4, 1, $2, $2, $2)`,
    [messages.accountSid, at, fileId, hash],
  );
  await app.sql(
    `insert into media (account_sid, livemode, sid, direction, status, requested_type, type, mime_type, file_id,
       size_bytes, sha256, sendable, scanned_at, expires_at, created_at, updated_at)
     values ($1, false, $3, 'OUTBOUND', 'READY', 'IMAGE', 'IMAGE', 'image/png', $4, 1, $5, true, $2,
       $2::timestamptz + interval '30 days', $2, $2)`,
    [messages.accountSid, at, sid, fileId, hash],
  );
  return sid;
}

/** A provider whose uploads begin and do not end before they are let. */
function slowUploads() {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const state = { begun: 0, end };
  const uploadMedia = async () => {
    state.begun += 1;
    await ended;
    return { ok: true as const, value: { mediaId: '4711' } };
  };
  Object.assign(provider.port, { uploadMedia });
  return state;
}

test('a message whose file is still being uploaded when its recipient is suppressed never leaves', async () => {
  const uploads = slowUploads();
  const [to, other, sid] = [newPhone(), newPhone(), await newFile()];
  const image = { type: 'image', content: { sid } };
  const forbidden = await messages.accepted({ to, ...image });
  const allowed = await messages.accepted({ to: other, ...image });
  await dispatcher.look();
  await until('the upload begins', () => uploads.begun > 0);
  assert.equal(await suppress(to), true);
  uploads.end();
  await dispatcher.settled();
  assert.deepEqual(provider.sids(), [allowed]);
  assert.equal(await codeOf(forbidden), 'CONTACT_SUPPRESSED');
  assert.equal(provider.sent[0]!.message.mediaIds.get(sid), '4711');
});

test('a message whose file is still being uploaded can be canceled, and others leave meanwhile', async () => {
  const uploads = slowUploads();
  const waiting = await messages.accepted({ type: 'image', content: { sid: await newFile() } });
  const quick = await messages.accepted();
  await dispatcher.look();
  await until('the other message leaves', () => provider.sids().includes(quick));
  await until('the upload begins', () => uploads.begun > 0);
  const canceled = await app.sql(
    `update message_states set status = 'canceled', rank = 100, waiting = false where sid = $1 and waiting returning sid`,
    [waiting],
  );
  assert.equal(canceled.length, 1);
  uploads.end();
  await dispatcher.settled();
  assert.deepEqual(provider.sids(), [quick]);
});

test('a message whose file is being uploaded is still in line, so that a process that dies then leaves nothing unknown', async () => {
  const uploads = slowUploads();
  const sid = await messages.accepted({ type: 'image', content: { sid: await newFile() } });
  await dispatcher.look();
  await until('the upload begins', () => uploads.begun > 0);
  assert.deepEqual(await app.sql('select from message_attempts where message_sid = $1', [sid]), []);
  const state = await messages.state(sid);
  assert.deepEqual([state.status, state.waiting], ['queued', true]);
  uploads.end();
  await dispatcher.settled();
  assert.deepEqual(provider.sids(), [sid]);
});

test('a suppression is answered only after a claim that looked before it has called', async (context) => {
  const time = holdTime(context); // a claim that took too long would not call, and nobody would wait for it
  const order: string[] = [];
  const to = newPhone();
  const held = await stopClaimsOf(app, messages, to);
  const sid = await messages.accepted({ to });
  provider.answer = async () => {
    order.push('handed over');
    return accepted(sid);
  };
  await dispatcher.look();
  await held.waitersAre(1);
  const answered = suppress(to).then(() => order.push('answered'));
  await until('it is suppressed', () =>
    app.count(`suppressions where account_sid = '${messages.accountSid}'`),
  );
  await held.waitersAre(2);
  await held.release();
  await answered;
  time.letGo();
  await dispatcher.settled();
  assert.deepEqual(order, ['handed over', 'answered']);
});

test('a suppression waits for the answer to a hand-off under way, and not for ever', async (context) => {
  const order: string[] = [];
  const [quick, silent] = [newPhone(), newPhone()];
  const { promise: silence, resolve: speak } = Promise.withResolvers<void>();
  const { promise: pause, resolve: goOn } = Promise.withResolvers<void>();
  await messages.accepted({ to: quick });
  await messages.accepted({ to: silent });
  provider.answer = async ({ message }) => {
    const to = (message.recipient as { phone: string }).phone;
    await (to === silent ? silence : pause);
    order.push(to === silent ? 'silent' : 'quick');
    return accepted(message.opaque);
  };
  await dispatcher.look();
  await until('both are under way', () => provider.sent.length === 2);
  const time = holdTime(context);
  const answered = suppress(quick).then(() => order.push('quick is suppressed'));
  await until('it is suppressed', () =>
    app.count(`suppressions where account_sid = '${messages.accountSid}'`),
  );
  goOn();
  await answered;
  time.letGo();
  assert.equal(await suppress(silent), true);
  order.push('silent is suppressed');
  speak();
  await dispatcher.settled();
  assert.deepEqual(order, ['quick', 'quick is suppressed', 'silent is suppressed', 'silent']);
});

test('a person who said no is not written to after the answer, as one who is suppressed', async () => {
  const uploads = slowUploads();
  const to = newPhone();
  const sid = await messages.accepted({ to, type: 'image', content: { sid: await newFile() } });
  await dispatcher.look();
  await until('the upload begins', () => uploads.begun > 0);
  const [contact] = await app.sql<{ sid: string }>('select contact_sid as sid from messages where sid = $1', [
    sid,
  ]);
  const answer = await app.post(
    `/v1/accounts/${messages.accountSid}/contacts/${contact!.sid}/consents`,
    { purpose: 'SUPPORT', source: 'FORM', status: 'OPTED_OUT' },
    headers,
  );
  assert.equal(answer.status, 201, answer.text);
  uploads.end();
  await dispatcher.settled();
  assert.deepEqual([provider.sids(), await codeOf(sid)], [[], 'CONSENT_REQUIRED']);
});

test('of 300 people suppressed while three workers send to them at their pace, none is written to after the answer', async () => {
  messages = await messagesOf(app, { throughput: 30 });
  headers = bearer((await app.key(['contacts:write'], { accountSid: messages.accountSid })).key);
  const senders = [messages.senderSid, await messages.newSender(), await messages.newSender()];
  const people = Array.from({ length: 300 }, newPhone);
  await Promise.all(people.map((to, i) => messages.accepted({ to, senderSid: senders[i % 3]! })));
  const suppressed = new Set<string>();
  const late: string[] = [];
  provider.answer = async ({ message }) => {
    const { phone } = message.recipient as { phone: string };
    if (suppressed.has(phone)) late.push(phone);
    // Some take a while, so that many are under way at once.
    if (phone.endsWith('7')) await new Promise((done) => setTimeout(done, 30));
    return accepted(message.opaque);
  };
  // Each as patient as a real one: what is held up longer than suppressions wait may not leave.
  const newWorker = () => dispatcherOf(app, { provider, beginWithinMs });
  const workers = [await newWorker(), await newWorker(), await newWorker()];
  await Promise.all(workers.map((worker) => worker.look()));
  await until('the first leave', () => provider.sent.length > 0);
  // From the end of the line and from its beginning: some are still waiting, some are just leaving.
  const inTurn = people.map((_, i) => people[i % 2 === 0 ? i / 2 : people.length - (i + 1) / 2]!);
  const client = async () => {
    for (let to = inTurn.shift(); to; to = inTurn.shift()) {
      assert.equal(await suppress(to), true);
      suppressed.add(to);
    }
  };
  await Promise.all(Array.from({ length: 12 }, client));
  await Promise.all(workers.map((worker) => worker.settled()));
  assert.deepEqual(late, []);
});
