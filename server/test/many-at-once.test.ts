// What runs of workflows do to people and conversations, many at once: each entry has its own end, and refuses nobody else.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { consentsOf, recordEach, suppressEach } from '../src/modules/consent/index.ts';
import { newPhone } from '../src/modules/contacts/fixtures.ts';
import { type Contact, changeContacts } from '../src/modules/contacts/index.ts';
import { type ConversationEdit, editConversations } from '../src/modules/conversations/index.ts';
import { inSegmentNow } from '../src/modules/segments/index.ts';
import { insertSender } from '../src/modules/senders/fixtures.ts';
import { ApiError } from '../src/platform/errors/errors.ts';
import { newSid } from '../src/platform/ids.ts';
import { workflowPrincipal } from '../src/platform/principal.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import { type Desk, deskOf } from './harness/inboxes.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { inAccount } from './harness/webhooks.ts';

let app: TestApp;
let desk: Desk;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
});

const nobody = 'CT01K3SAMP1E0000000000000000';
const run = (...scopes: string[]) =>
  workflowPrincipal(
    newSid('WR', app.clock.now()),
    { accountSid: app.accountSid, livemode: false },
    new Set(scopes),
  );
const newContact = async (more: object = {}): Promise<Contact> => {
  const body = { identifiers: [{ identifierType: 'phone_e164', value: newPhone() }], ...more };
  const made = await app.post(`${app.at}/contacts`, body);
  assert.equal(made.status, 201, made.text);
  return made.body;
};
const getContact = async (sid: string): Promise<Contact> => (await app.get(`${app.at}/contacts/${sid}`)).body;
const codes = (ends: readonly (object | ApiError)[]) =>
  ends.map((end) => (end instanceof ApiError ? end.code : 'done'));
const told = async (sid: string, type: string) =>
  app.count(`events where resource_sid = '${sid}' and type = '${type}'`);

/** A contact that was merged into another. */
async function merged(): Promise<string> {
  const [gone, survivor] = [await newContact(), await newContact()];
  const body = { mergeContactSid: gone.sid, reason: 'the same person' };
  const reply = await app.post(`${app.at}/contacts/${survivor.sid}/merge`, body);
  assert.ok(reply.status < 300, reply.text);
  return gone.sid;
}

suite('many contacts', () => {
  test('are changed together: what is not named stays, and what is wrong with one is nothing to the others', async () => {
    const [one, other] = [await newContact({ attributes: { kept: 1, gone: 1 } }), await newContact()];
    const gone = await merged();
    const tooMany = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`n${i}`, i]));
    const ends = await inAccount(app, (t) =>
      changeContacts(t, { consentsOf }, [
        { contactSid: one.sid, change: { attributes: { tier: 'gold', gone: null }, displayName: 'Ines' } },
        { contactSid: nobody, change: { attributes: { a: 1 } } },
        { contactSid: other.sid, change: { attributes: tooMany } },
        { contactSid: gone, change: { attributes: { a: 1 } } },
        { contactSid: one.sid, change: { attributes: { tier: 'silver' } } },
        { contactSid: other.sid, change: { attributes: { b: 2 } } },
      ]),
    );
    assert.deepEqual(codes(ends), ['done', 'NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'done', 'done']);
    const changed = await getContact(one.sid);
    assert.deepEqual([changed.attributes, changed.displayName], [{ kept: 1, tier: 'silver' }, 'Ines']);
    assert.deepEqual(changed, ends[4]);
    assert.deepEqual((await getContact(other.sid)).attributes, { b: 2 });
    assert.equal(await told(one.sid, 'contact.updated'), 2);
    assert.equal((await app.get(`${app.at}/contacts?q=ines`)).body.data[0]?.sid, one.sid);
  });

  test('are refused attributes that would be too many beside those they have', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 199 }, (_, i) => [`n${i}`, i]));
    const [full, other] = [await newContact({ attributes }), await newContact()];
    const change = { attributes: { a: 1, b: 2 } };
    const ends = await inAccount(app, (t) =>
      changeContacts(t, { consentsOf }, [
        { contactSid: full.sid, change },
        { contactSid: other.sid, change },
      ]),
    );
    assert.deepEqual(codes(ends), ['VALIDATION_ERROR', 'done']);
    assert.deepEqual(await getContact(full.sid), full);
  });
});

suite('many consents and suppressions', () => {
  test('are recorded together, each in the name of who did it', async () => {
    const [one, other] = [await newContact(), await newContact()];
    const by = run('consents:write');
    const input = { purpose: 'MARKETING', status: 'OPTED_IN', source: 'API', evidenceRef: 'SM1' } as const;
    const ends = await inAccount(app, (t) =>
      recordEach(t, [
        { contactSid: one.sid, input, by },
        { contactSid: nobody, input, by },
        { contactSid: other.sid, input: { ...input, expiresAt: '2001-01-01T00:00:00Z' }, by },
        { contactSid: one.sid, input: { ...input, status: 'OPTED_OUT' }, by },
        { contactSid: other.sid, input },
      ]),
    );
    assert.deepEqual(codes(ends), ['done', 'NOT_FOUND', 'VALIDATION_ERROR', 'done', 'done']);
    const authors = ends.map((end) => (end instanceof ApiError ? null : end.recordedBy));
    assert.deepEqual(authors, [`workflow:${by.ref}`, null, null, `workflow:${by.ref}`, 'system:test']);
    assert.equal((await getContact(one.sid)).consent.MARKETING.status, 'OPTED_OUT');
    assert.equal((await getContact(other.sid)).consent.MARKETING.status, 'OPTED_IN');
  });

  test('of the same person are one suppression, and a wrong one refuses only itself', async () => {
    const [one, other] = [await newContact(), await newContact()];
    const by = run('suppressions:write');
    const terms = { reason: 'TENANT_BLOCKLIST', scope: 'MARKETING', source: 'API' } as const;
    const ends = await inAccount(app, (t) =>
      suppressEach(t, [
        { contactSid: one.sid, terms, by },
        { contactSid: one.sid, terms, by },
        { contactSid: nobody, terms, by },
        { contactSid: other.sid, terms: { ...terms, source: ' ' }, by },
        { contactSid: other.sid, terms: { ...terms, senderSid: 'WA01K3SAMP1E0000000000000000' }, by },
        { contactSid: other.sid, terms, by },
      ]),
    );
    assert.deepEqual(codes(ends).slice(0, 4), ['done', 'done', 'NOT_FOUND', 'VALIDATION_ERROR']);
    assert.ok(ends[4] instanceof ApiError);
    const [first, second, , , , last] = ends as { sid: string; createdBy: string }[];
    assert.equal(first!.sid, second!.sid);
    assert.equal(last!.createdBy, `workflow:${by.ref}`);
    assert.equal(await app.count(`suppressions where contact_sid in ('${one.sid}', '${other.sid}')`), 2);
  });
});

suite('a segment', () => {
  test('is judged for contacts as they are now, whatever was last cut out', async () => {
    const [gold, silver] = [
      await newContact({ attributes: { tier: 'gold' } }),
      await newContact({ attributes: { tier: 'silver' } }),
    ];
    const made = await app.post(`${app.at}/segments`, {
      name: 'Gold',
      kind: 'DYNAMIC',
      filters: { attributes: { tier: 'gold' } },
    });
    assert.equal(made.status, 201, made.text);
    await app.patch(`${app.at}/contacts/${silver.sid}`, { attributes: { tier: 'gold' } });
    await app.patch(`${app.at}/contacts/${gold.sid}`, { attributes: { tier: null } });
    const now = await inAccount(app, (t) => inSegmentNow(t, made.body.sid, [gold.sid, silver.sid, nobody]));
    assert.deepEqual([...now], [silver.sid]);
    await assert.rejects(
      inAccount(app, (t) => inSegmentNow(t, 'SG01K3SAMP1E0000000000000000', [gold.sid])),
      (error) => error instanceof ApiError && error.code === 'NOT_FOUND',
    );
  });
});

suite('many conversations', () => {
  const edit = (edits: ConversationEdit[]) => inAccount(app, (t) => editConversations(t, edits));
  const newSender = () => insertSender(app, { accountSid: app.accountSid, livemode: false });
  const routed = async (inbox: string) => {
    const from = await newSender();
    await desk.route(inbox, from);
    return from;
  };
  const conversation = async (sid: string) => (await app.get(`${app.at}/conversations/${sid}`)).body;

  test('are assigned, moved, closed and reopened together, each with its own end', async () => {
    const [inbox, elsewhere] = [await desk.inbox(), await desk.inbox()];
    const from = await routed(inbox);
    const [agent, stranger] = [await desk.agent([inbox]), await desk.agent([elsewhere])];
    const [first, second, third] = [
      (await desk.hears(from)).sid,
      (await desk.hears(from)).sid,
      (await desk.hears(from)).sid,
    ];
    const by = run('messages:send', 'inboxes:write');
    const ends = await edit([
      { conversationSid: first, by, kind: 'assign', to: { assigneeSid: agent.userSid } },
      { conversationSid: second, by, kind: 'assign', to: { assigneeSid: stranger.userSid } },
      { conversationSid: 'CO01K3SAMP1E0000000000000000', by, kind: 'close' },
      { conversationSid: third, by: run('inboxes:read'), kind: 'close' },
      { conversationSid: third, by: run('messages:send'), kind: 'move', inboxSid: elsewhere },
      { conversationSid: first, by, kind: 'move', inboxSid: 'IB01K3SAMP1E0000000000000000' },
      { conversationSid: second, by, kind: 'close' },
      { conversationSid: second, by, kind: 'close' },
      { conversationSid: second, by, kind: 'reopen' },
      { conversationSid: third, by, kind: 'move', inboxSid: elsewhere },
    ]);
    assert.deepEqual(codes(ends), [
      'done',
      'VALIDATION_ERROR',
      'NOT_FOUND',
      'AUTHORIZATION_ERROR',
      'AUTHORIZATION_ERROR',
      'NOT_FOUND',
      'done',
      'done',
      'done',
      'done',
    ]);
    assert.equal((await conversation(first)).assigneeSid, agent.userSid);
    const again = await conversation(second);
    assert.deepEqual([again.status, again.closedAt, again.version], ['open', null, 3]);
    assert.deepEqual(again, ends[8]);
    assert.equal((await conversation(third)).inboxSid, elsewhere);
    const trail = await app.get(`${app.at}/audit-events?resource=${second}`);
    assert.deepEqual(
      trail.body.data
        .map(({ action, actor }: { action: string; actor: string }) => [action, actor])
        .toSorted(),
      [
        ['conversation.closed', `workflow:${by.ref}`],
        ['conversation.reopened', `workflow:${by.ref}`],
      ],
    );
    assert.deepEqual(
      [await told(second, 'conversation.closed'), await told(second, 'conversation.reopened')],
      [1, 1],
    );
  });

  test('go to the members of their inbox in turn, across batches, and only to those who can read them', async () => {
    const inbox = await desk.inbox();
    const from = await routed(inbox);
    const agents = [await desk.agent([inbox]), await desk.agent([inbox])]
      .map(({ userSid }) => userSid)
      .sort();
    const gone = await desk.agent([inbox]);
    await app.sql(`update users set status = 'DEACTIVATED' where sid = $1`, [gone.userSid]);
    const by = run('messages:send');
    const given: (string | null)[] = [];
    for (const size of [3, 2]) {
      const sids: string[] = [];
      for (let at = 0; at < size; at += 1) sids.push((await desk.hears(from)).sid);
      const ends = await edit(
        sids.map((conversationSid) => ({ conversationSid, by, kind: 'assign', to: 'roundRobin' })),
      );
      given.push(...ends.map((end) => (end instanceof ApiError ? null : end.assigneeSid)));
    }
    assert.deepEqual(given, [agents[0], agents[1], agents[0], agents[1], agents[0]]);
  });

  test('go to whoever has fewest open, and to nobody where there is no one', async () => {
    const [inbox, empty] = [await desk.inbox(), await desk.inbox()];
    const [from, lonely] = [await routed(inbox), await routed(empty)];
    const [busy, idle] = [(await desk.agent([inbox])).userSid, (await desk.agent([inbox])).userSid];
    const by = run('messages:send');
    const hear = async () => (await desk.hears(from)).sid;
    const assign = (conversationSid: string, to: 'leastOpen' | { assigneeSid: string }) =>
      ({ conversationSid, by, kind: 'assign', to }) as const;
    await edit([
      assign(await hear(), { assigneeSid: busy }),
      assign(await hear(), { assigneeSid: busy }),
      assign(await hear(), { assigneeSid: idle }),
    ]);
    const sids = [await hear(), await hear()];
    const ends = await edit(sids.map((sid) => assign(sid, 'leastOpen')));
    assert.equal((ends[0] as { assigneeSid: string }).assigneeSid, idle);
    const nowhere = await edit([
      assign((await desk.hears(lonely)).sid, 'leastOpen'),
      assign((await desk.hears(await newSender())).sid, 'leastOpen'),
    ]);
    assert.deepEqual(codes(nowhere), ['CONFLICT', 'CONFLICT']);
  });
});
