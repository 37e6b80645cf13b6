import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { type Desk, deskOf } from '../../../test/harness/inboxes.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { person } from '../../../test/harness/people.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { insertSender } from '../senders/fixtures.ts';

let app: TestApp;
let desk: Desk;
let sender: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
  sender = await desk.sender();
});

const newSender = () => insertSender(app, { accountSid: app.accountSid, livemode: false });
const sids = ({ body }: Reply): string[] => body.data.map(({ sid }: { sid: string }) => sid);
const code = ({ status, body }: Reply) => [status, body?.error?.code ?? null];
const act = (sid: string, verb: string, body: object, headers: object = {}) =>
  app.post(`${app.at}/conversations/${sid}/${verb}`, body, headers);
const routed = async (inbox: string) => {
  const from = await newSender();
  await desk.route(inbox, from);
  return from;
};
const events = async (sid: string) =>
  (
    await app.sql<{ type: string }>('select type from events where resource_sid = $1 order by sequence', [
      sid,
    ])
  ).map(({ type }) => type);

suite('a sender given to an inbox', () => {
  test('lets its new conversations arrive there, and leaves those there are', async () => {
    const [first, second, from] = [await desk.inbox(), await desk.inbox(), await newSender()];
    assert.equal((await desk.hears(from)).inboxSid, null);
    await desk.route(first, from);
    const waId = newPhone().slice(1);
    assert.equal((await desk.hears(from, waId)).inboxSid, first);
    await desk.route(second, from);
    assert.equal((await desk.hears(from, waId)).inboxSid, first, 'it stays where it is');
    assert.equal((await desk.hears(from)).inboxSid, second);
    assert.deepEqual((await app.get(`${app.at}/inboxes/${first}/senders`)).body.data, []);
    const { body } = await app.get(`${app.at}/inboxes/${second}/senders`);
    assert.deepEqual(
      body.data.map(({ senderSid }: { senderSid: string }) => senderSid),
      [from],
    );
    const at = `${app.at}/inboxes/${second}/senders/${from}`;
    assert.deepEqual([(await app.delete(at)).status, (await app.delete(at)).status], [204, 204]);
    assert.equal((await desk.hears(from)).inboxSid, null);
  });

  test('is given by nobody who runs single inboxes: it would take customers from others', async () => {
    const inbox = await desk.inbox();
    const manager = await desk.agent([inbox], 'INBOX_MANAGER');
    const reply = await app.put(`${app.at}/inboxes/${inbox}/senders/${sender}`, undefined, manager.headers);
    assert.deepEqual(code(reply), [403, 'AUTHORIZATION_ERROR']);
  });
});

suite('conversations', () => {
  test('are listed newest activity first, page by page, by every filter', async () => {
    const inbox = await desk.inbox();
    const from = await routed(inbox);
    const waId = newPhone().slice(1);
    const old = await desk.hears(from, waId);
    const others: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      app.clock.advance(1_000);
      others.unshift((await desk.hears(from)).sid);
    }
    app.clock.advance(1_000);
    await desk.hears(from, waId);
    const expected = [old.sid, ...others];
    const query = `${app.at}/conversations?senderSid=${from}`;
    assert.deepEqual(sids(await app.get(query)), expected);
    const first = await app.get(`${query}&limit=3`);
    const second = await app.get(`${query}&limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual([...sids(first), ...sids(second)], expected);
    assert.equal(second.body.hasMore, false);

    const agent = await desk.agent([inbox]);
    await act(others[0]!, 'assign', { expectedVersion: 1, assigneeSid: agent.userSid });
    await act(others[1]!, 'close', { expectedVersion: 1 });
    const filtered = async (filter: string) => sids(await app.get(`${app.at}/conversations?${filter}`));
    assert.deepEqual(await filtered(`assigneeSid=${agent.userSid}`), [others[0]]);
    assert.deepEqual(await filtered(`inboxSid=${inbox}&status=closed`), [others[1]]);
    assert.deepEqual(await filtered(`contactSid=${old.contactSid}`), [old.sid]);
    assert.deepEqual((await filtered(`inboxSid=${inbox}`)).length, 4);
  });

  test('of single inboxes are all that a person with roles there sees, whatever the mixture', async () => {
    const inboxes = [await desk.inbox('a'), await desk.inbox('b'), await desk.inbox('c')];
    const all = new Map<string, string>();
    for (const inbox of inboxes) all.set(inbox, (await desk.hears(await routed(inbox))).sid);
    const nowhere = await desk.hears(await newSender());
    const some = fc.subarray(inboxes);
    await fc.assert(
      fc.asyncProperty(some, some, async (bound, joined) => {
        const them = await desk.agent([]);
        for (const inbox of bound) await desk.bind(inbox, them.userSid);
        for (const inbox of joined) await desk.join(inbox, them.userSid);
        const reply = await app.get(`${app.at}/conversations`, them.headers);
        if (bound.length === 0) return assert.equal(reply.status, 403);
        const expected = inboxes.filter((inbox) => bound.includes(inbox) && joined.includes(inbox));
        assert.deepEqual(sids(reply).sort(), expected.map((inbox) => all.get(inbox)!).sort());
        for (const [inbox, sid] of [...all, ['', nowhere.sid] as const]) {
          const { status } = await app.get(`${app.at}/conversations/${sid}`, them.headers);
          assert.equal(status, expected.includes(inbox) ? 200 : 404);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('show their messages to those people, and no others', async () => {
    const [mine, theirs] = [await desk.inbox(), await desk.inbox()];
    const [own, foreign] = [await desk.hears(await routed(mine)), await desk.hears(await routed(theirs))];
    const me = await desk.agent([mine]);
    const list = await app.get(`${app.at}/messages`, me.headers);
    assert.deepEqual(sids(list), [own.lastMessageSid]);
    assert.deepEqual(
      sids(await app.get(`${app.at}/messages?conversationSid=${foreign.sid}`, me.headers)),
      [],
    );
    const get = (sid: string) => app.get(`${app.at}/messages/${sid}`, me.headers);
    assert.equal((await get(own.lastMessageSid)).status, 200);
    assert.deepEqual(code(await get(foreign.lastMessageSid)), [404, 'NOT_FOUND']);
  });
});

suite('a change to a conversation', () => {
  test('takes the version that was seen, and answers with the next', async () => {
    const { sid } = await desk.hears(await newSender());
    const closed = await act(sid, 'close', { expectedVersion: 1 });
    assert.deepEqual([closed.body.status, closed.body.version], ['closed', 2]);
    assert.equal(closed.body.closedAt, app.clock.now().toISOString());
    for (const [verb, body] of [
      ['close', {}],
      ['reopen', {}],
      ['assign', { assigneeSid: null }],
      ['move', { inboxSid: null }],
    ] as const) {
      for (const expectedVersion of [1, 3]) {
        const reply = await act(sid, verb, { ...body, expectedVersion });
        assert.deepEqual(code(reply), [409, 'CONVERSATION_VERSION_CONFLICT'], verb);
      }
    }
    const reopened = await act(sid, 'reopen', { expectedVersion: 2 });
    assert.deepEqual(
      [reopened.body.status, reopened.body.version, reopened.body.closedAt],
      ['open', 3, null],
    );
    assert.deepEqual((await act(sid, 'reopen', { expectedVersion: 3 })).body, reopened.body);
    assert.deepEqual(await events(sid), [
      'conversation.opened',
      'conversation.closed',
      'conversation.reopened',
    ]);
  });

  test('that did not see the last message is refused', async () => {
    const [from, waId] = [await newSender(), newPhone().slice(1)];
    const { sid, version } = await desk.hears(from, waId);
    await desk.hears(from, waId, 'One more thing');
    const reply = await act(sid, 'close', { expectedVersion: version });
    assert.deepEqual(code(reply), [409, 'CONVERSATION_VERSION_CONFLICT']);
  });

  test('is made by one of many who saw the same version', async () => {
    const { sid } = await desk.hears(await newSender());
    const people = await Promise.all(Array.from({ length: 6 }, () => person(app, { factor: 'none' })));
    const replies = await Promise.all(
      people.map(({ userSid }) => act(sid, 'assign', { expectedVersion: 1, assigneeSid: userSid })),
    );
    const conflict = [409, 'CONVERSATION_VERSION_CONFLICT'];
    assert.deepEqual(
      replies.map(code).filter(([status]) => status !== 200),
      Array.from({ length: 5 }, () => conflict),
    );
    assert.equal((await desk.conversation(sid)).version, 2);
  });
});

suite('assigning', () => {
  test('gives a conversation to those who can read it, and to nobody else', async () => {
    const inbox = await desk.inbox();
    const { sid } = await desk.hears(await routed(inbox));
    const elsewhere = await desk.agent([await desk.inbox()]);
    const boundOnly = await desk.agent([]);
    await desk.bind(inbox, boundOnly.userSid);
    const memberOnly = await desk.agent([]);
    await desk.join(inbox, memberOnly.userSid);
    const gone = await desk.agent([inbox]);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
    const stranger = await app.newAccount();
    const foreign = await person(app, { accountSid: stranger.accountSid, factor: 'none' });
    for (const { userSid } of [elsewhere, boundOnly, memberOnly, gone, foreign]) {
      const reply = await act(sid, 'assign', { expectedVersion: 1, assigneeSid: userSid });
      assert.deepEqual(code(reply), [400, 'VALIDATION_ERROR']);
    }
    const [agent, owner] = [await desk.agent([inbox]), await person(app, { factor: 'none' })];
    const first = await act(sid, 'assign', { expectedVersion: 1, assigneeSid: agent.userSid }, agent.headers);
    assert.deepEqual([first.status, first.body.assigneeSid], [200, agent.userSid]);
    assert.equal((await act(sid, 'assign', { expectedVersion: 2, assigneeSid: owner.userSid })).status, 200);
    const nobody = await act(sid, 'assign', { expectedVersion: 3, assigneeSid: null });
    assert.equal(nobody.body.assigneeSid, null);
    const { sid: loose } = await desk.hears(await newSender());
    const reply = await act(loose, 'assign', { expectedVersion: 1, assigneeSid: agent.userSid });
    assert.deepEqual(code(reply), [400, 'VALIDATION_ERROR']);
  });
});

suite('moving', () => {
  test('takes the scope in both inboxes, and arrives with nobody assigned', async () => {
    const [from, to, other] = [await desk.inbox(), await desk.inbox(), await desk.inbox()];
    const { sid } = await desk.hears(await routed(from));
    const manager = await desk.agent([from, to], 'INBOX_MANAGER');
    const narrow = await desk.agent([to], 'INBOX_MANAGER');
    const agent = await desk.agent([from, to]);
    await act(sid, 'assign', { expectedVersion: 1, assigneeSid: agent.userSid });
    const move = (who: { headers: object }, inboxSid: string | null) =>
      act(sid, 'move', { expectedVersion: 2, inboxSid }, who.headers);
    assert.deepEqual(code(await move(agent, to)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(code(await move(narrow, to)), [404, 'NOT_FOUND']);
    assert.deepEqual(code(await move(manager, other)), [404, 'NOT_FOUND']);
    assert.deepEqual(code(await move(manager, null)), [403, 'AUTHORIZATION_ERROR']);
    const moved = await move(manager, to);
    assert.deepEqual([moved.status, moved.body.inboxSid, moved.body.assigneeSid], [200, to, null]);
    const out = await act(sid, 'move', { expectedVersion: 3, inboxSid: null });
    assert.deepEqual([out.status, out.body.inboxSid], [200, null]);
    assert.deepEqual((await events(sid)).slice(-2), ['conversation.moved', 'conversation.moved']);
    const foreign = await app.newAccount();
    const theirs = await app.post(
      `/v1/accounts/${foreign.accountSid}/inboxes`,
      { name: 'Theirs' },
      bearer(foreign.sandboxKey),
    );
    const away = await act(sid, 'move', { expectedVersion: 4, inboxSid: theirs.body.sid });
    assert.deepEqual(code(away), [404, 'NOT_FOUND']);
  });
});
