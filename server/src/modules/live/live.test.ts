import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import { phone } from '../../../test/harness/contacts.ts';
import { deskOf } from '../../../test/harness/inboxes.ts';
import { type Listener, listenTo as openStream } from '../../../test/harness/live.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { person } from '../../../test/harness/people.ts';
import { until } from '../../../test/harness/until.ts';

const ownAccount = ownAccounts();

const open: Listener[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.hangUp();
});
async function listenTo(...asked: Parameters<typeof openStream>): Promise<Listener> {
  const listener = await openStream(...asked);
  open.push(listener);
  return listener;
}

async function newContact(app: TestApp): Promise<string> {
  const identifiers = [phone()];
  const made = await app.post(`${app.at}/contacts`, { identifiers });
  assert.equal(made.status, 201, made.text);
  return made.body.sid;
}

const hears = (listener: Listener, resourceSid: string) =>
  until(`it hears of ${resourceSid}`, () =>
    listener.hints().some((hint) => hint.resourceSid === resourceSid),
  );

const withKey = async (app: TestApp, scopes: string[]) =>
  bearer((await app.key(['api:access', ...scopes])).key);

suite('somebody who listens', () => {
  test('hears that something happened and to what, and none of its data', async () => {
    const app = await ownAccount();
    const listener = await listenTo(app, bearer(app.sandboxKey));
    assert.match(listener.reply.headers.get('content-type')!, /^text\/event-stream/);
    assert.equal(listener.reply.headers.get('cache-control'), 'no-store');
    await until('it is told where it is', () => listener.lastId());
    const sid = await newContact(app);
    await hears(listener, sid);
    const [{ sequence }] = (await app.sql(
      'select sequence from events where account_sid = $1 and resource_sid = $2',
      [app.accountSid, sid],
    )) as [{ sequence: string }];
    assert.deepEqual(listener.hints(), [
      { sequence: Number(sequence), type: 'contact.created', resourceSid: sid },
    ]);
    assert.equal(listener.lastId(), sequence);
  });

  test('hears only of what their scopes let them read', async () => {
    const app = await ownAccount();
    const reader = await listenTo(app, await withKey(app, ['contacts:read', 'inboxes:read']));
    const other = await listenTo(app, await withKey(app, ['inboxes:read']));
    await until('both are told where they are', () => reader.lastId() && other.lastId());
    const contactSid = await newContact(app);
    const inboxSid = await deskOf(app).inbox();
    await Promise.all([hears(reader, inboxSid), hears(other, inboxSid)]);
    assert.deepEqual(
      reader.hints().map(({ type }) => type),
      ['contact.created', 'inbox.created'],
    );
    assert.deepEqual(
      other.hints().map(({ type }) => type),
      ['inbox.created'],
    );
    assert.ok(!other.text().includes(contactSid));
  });

  test('hears nothing of another account or of the other environment', async () => {
    const app = await ownAccount();
    const listener = await listenTo(app, bearer(app.sandboxKey));
    await until('it is told where it is', () => listener.lastId());
    const stranger = await app.newAccount();
    const identifiers = [phone()];
    const elsewhere = [
      await app.post(
        `/v1/accounts/${stranger.accountSid}/contacts`,
        { identifiers },
        bearer(stranger.sandboxKey),
      ),
      await app.post(`${app.at}/contacts`, { identifiers }, bearer(app.liveKey)),
    ];
    assert.deepEqual(
      elsewhere.map(({ status }) => status),
      [201, 201],
    );
    const own = await newContact(app);
    await hears(listener, own);
    assert.deepEqual(
      listener.hints().map(({ resourceSid }) => resourceSid),
      [own],
    );
    const foreign = await listenTo(app, bearer(app.sandboxKey), `/v1/accounts/${stranger.accountSid}`);
    assert.equal(foreign.status, 403);
  });

  test('in single inboxes hears of the conversations and messages in those', async () => {
    const app = await ownAccount();
    const desk = deskOf(app);
    const [mine, theirs] = [await desk.inbox('Mine'), await desk.inbox('Theirs')];
    const agent = await desk.agent([mine]);
    const senderSid = await desk.sender();
    const listener = await listenTo(app, agent.headers);
    await until('it is told where it is', () => listener.lastId());
    await desk.route(theirs, senderSid);
    await desk.hearsAll(senderSid, ['33612000001'], 'not for you');
    await desk.route(mine, senderSid);
    await desk.hearsAll(senderSid, ['33612000002'], 'for you');
    const reached = (await app.get(`${app.at}/conversations`, agent.headers)).body.data;
    assert.equal(reached.length, 1);
    await hears(listener, reached[0].sid);
    await hears(listener, reached[0].lastMessageSid);
    const visible = new Set([mine, reached[0].sid, reached[0].lastMessageSid]);
    assert.deepEqual(
      listener.hints().filter(({ resourceSid }) => !visible.has(resourceSid!)),
      [],
    );
  });
});

suite('somebody who comes back', () => {
  test('hears what they missed, each once and in order, and then what follows', async () => {
    const app = await ownAccount();
    const first = await listenTo(app, bearer(app.sandboxKey));
    await until('it is told where it is', () => first.lastId());
    const before = await newContact(app);
    await hears(first, before);
    first.hangUp();
    const missed = [await newContact(app), await newContact(app), await newContact(app)];
    const again = await listenTo(app, { ...bearer(app.sandboxKey), 'last-event-id': first.lastId()! });
    await hears(again, missed.at(-1)!);
    const after = await newContact(app);
    await hears(again, after);
    assert.deepEqual(
      again.hints().map(({ resourceSid }) => resourceSid),
      [...missed, after],
    );
    const sequences = again.hints().map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      sequences.map((_, at) => Number(first.lastId()) + 1 + at),
    );
  });

  test('is bidden to begin anew where what they missed is not known any more', async () => {
    const app = await ownAccount();
    await newContact(app);
    await newContact(app);
    await app.sql(
      `insert into event_log_starts (account_sid, livemode, sequence, updated_at)
       select account_sid, livemode, sequence, now() from event_heads where account_sid = $1 and not livemode`,
      [app.accountSid],
    );
    for (const id of ['0', '999999999']) {
      const listener = await listenTo(app, { ...bearer(app.sandboxKey), 'last-event-id': id });
      await until('it is told', () => listener.told().find(({ event }) => event === 'reset'));
      const sid = await newContact(app);
      await hears(listener, sid);
      assert.equal(listener.hints().length, 1);
    }
  });

  test('is refused with an id that none of the hints had', async () => {
    const app = await ownAccount();
    for (const id of ['-1', '1.5', 'abc', '9'.repeat(16), '1, 2']) {
      const reply = await app.get(`${app.at}/live`, { 'last-event-id': id });
      assert.deepEqual(
        [reply.status, reply.body.error.details],
        [400, [{ path: 'Last-Event-ID', issue: 'must be the id of the last hint that was heard' }]],
        id,
      );
    }
  });
});

suite('a stream', () => {
  test('says that it is still there, and takes the id along past what is not heard', async () => {
    const app = await ownAccount();
    const listener = await listenTo(app, await withKey(app, ['inboxes:read']));
    const began = await until('it is told where it is', () => listener.lastId());
    await newContact(app);
    app.clock.advance(15_000);
    await until('it says so', () => listener.text().includes(': still here'));
    await until('it has moved on', () => listener.lastId() !== began);
    assert.deepEqual(listener.hints(), []);
  });

  test('ends when its key is revoked, and tells nothing after that', async () => {
    const app = await ownAccount();
    const made = await app.key(['api:access', 'contacts:read']);
    const listener = await listenTo(app, bearer(made.key));
    await until('it is told where it is', () => listener.lastId());
    await app.sql('update api_keys set disabled_at = $2 where id = $1', [made.id, app.clock.now()]);
    app.clock.advance(2_000);
    await newContact(app);
    await listener.ended;
    assert.deepEqual(listener.hints(), []);
  });

  test('ends with its session, and does not keep that alive', async () => {
    const app = await ownAccount();
    const { headers, sessionId } = await person(app, { accountSid: app.accountSid });
    const signedOut = await listenTo(app, headers);
    await until('it is told where it is', () => signedOut.lastId());
    await app.sql('update sessions set revoked_at = $2 where id = $1', [sessionId, app.clock.now()]);
    app.clock.advance(2_000);
    await signedOut.ended;
    const idle = await person(app, { accountSid: app.accountSid });
    const listener = await listenTo(app, idle.headers);
    await until('it is told where it is', () => listener.lastId());
    for (let minutes = 0; minutes < 60; minutes += 20) {
      const said = listener.text().length;
      app.clock.advance(20 * 60_000);
      if (minutes < 40) await until('it is still there', () => listener.text().length > said);
    }
    await listener.ended;
  });

  test('stops telling of what a role opened once that is taken away', async () => {
    const app = await ownAccount();
    const them = await person(app, { accountSid: app.accountSid, roles: ['VIEWER'] });
    const listener = await listenTo(app, them.headers);
    await until('it is told where it is', () => listener.lastId());
    await app.sql(
      `update role_bindings set role = 'BILLING_MANAGER' where principal_ref = $1 and role = 'VIEWER'`,
      [them.userSid],
    );
    app.clock.advance(2_000);
    await newContact(app);
    app.clock.advance(15_000);
    await until('it says that it is still there', () => listener.text().includes(': still here'));
    assert.deepEqual(listener.hints(), []);
  });

  test('has one of a hundred places of its account, and gives it back', async () => {
    const app = await ownAccount();
    const listeners = await Promise.all(
      Array.from({ length: 100 }, () => listenTo(app, bearer(app.sandboxKey))),
    );
    assert.deepEqual([...new Set(listeners.map(({ status }) => status))], [200]);
    const refused = await app.get(`${app.at}/live`);
    assert.deepEqual(
      [refused.status, refused.body.error.code, refused.headers.get('ratelimit-policy')],
      [429, 'RATE_LIMITED', '"live";q=100;qu="concurrent-requests"'],
    );
    for (const listener of listeners) listener.hangUp();
    await until('a place comes free', async () => {
      const next = await listenTo(app, bearer(app.sandboxKey));
      next.hangUp();
      return next.status === 200;
    });
  });
});
