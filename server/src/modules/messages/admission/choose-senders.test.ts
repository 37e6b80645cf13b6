import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { type Desk, deskOf } from '../../../../test/harness/inboxes.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { lockRows } from '../../../../test/harness/locks.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { insertSender } from '../../senders/index.ts';

let app: TestApp;
let desk: Desk;
let wabaSid: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
  wabaSid = (await app.get(`${app.at}/senders/${await desk.sender()}`)).body.wabaSid;
});

let numbers = 0;
const newSender = async () => {
  numbers += 1;
  const given = {
    wabaSid,
    phoneNumber: newPhone(),
    providerPhoneNumberId: `77000${numbers}`,
    displayName: 'Shop',
    status: 'CONNECTED' as const,
  };
  return (await write({ app }, (t) => insertSender(t, given, 'test'))).sid;
};
const newPool = async (...senderSids: string[]) => {
  const members = senderSids.map((senderSid) => ({ senderSid }));
  return (await app.post(`${app.at}/sender-pools`, { name: 'Shops', members })).body.sid as string;
};
/** A pool of two, named in the order of their SIDs: the first is the one that is asked first. */
const poolOfTwo = async () => {
  const [first, second] = [await newSender(), await newSender()].sort() as [string, string];
  return { first, second, senderPoolSid: await newPool(first, second) };
};

const text = { type: 'text', text: { body: 'Hello' } };
const template = { type: 'template', template: { name: 'hello_world', language: 'en' } };
const sent = ({ status, body, text }: Reply) => {
  assert.equal(status, 201, text);
  return body;
};
const send = async (body: object) => sent(await app.post(`${app.at}/messages`, body));
const resolved = async (body: object) => {
  const reply = await app.post(`${app.at}/messages/preflight`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.resolved;
};
const batch = async (messages: object[]) => {
  const { body } = await app.post(`${app.at}/messages/batch`, { messages });
  assert.equal(body.refused, 0, JSON.stringify(body));
  return body.results.map(({ message }: { message: { from: string } }) => message.from) as string[];
};
const newContact = async (...identifiers: object[]) => {
  const reply = await app.post(`${app.at}/contacts`, { identifiers });
  return { contactSid: sent(reply).sid as string };
};
const loads = async (senderPoolSid: string) => {
  const { members } = (await app.get(`${app.at}/sender-pools/${senderPoolSid}`)).body;
  return Object.fromEntries(
    members.map((one: { senderSid: string; assignedContacts: number }) => [
      one.senderSid,
      one.assignedContacts,
    ]),
  );
};

suite('a pool', () => {
  test('answers somebody from the number they wrote to, however they are named', async () => {
    const { second, senderPoolSid } = await poolOfTwo();
    const phone = newPhone();
    const username = { identifierType: 'username', value: 'ines.pool' };
    const { contactSid } = await newContact({ identifierType: 'phone_e164', value: phone }, username);
    const conversation = await desk.hears(second, phone.slice(1));
    const ways = [
      { to: phone },
      { recipient: { identifierType: 'phone_e164', value: phone } },
      { recipient: username },
      { contactSid },
      { conversationSid: conversation.sid },
    ];
    for (const way of ways) {
      const told = await resolved({ ...way, senderPoolSid, ...text });
      assert.deepEqual([told.senderSid, told.window.open], [second, true], JSON.stringify(way));
    }
    const froms = await batch(ways.map((way) => ({ ...way, senderPoolSid, ...text })));
    assert.deepEqual(froms, Array(ways.length).fill(second));
    assert.equal((await loads(senderPoolSid))[second], 1);
  });

  test('finds by an id of the portfolio whom it chose before', async () => {
    const { first, second, senderPoolSid } = await poolOfTwo();
    const [waba] = await app.sql('select portfolio_id from wabas where sid = $1', [wabaSid]);
    const scopeRef = waba!.portfolio_id;
    const value = `FR.${newPhone().slice(1)}`;
    const { contactSid } = await newContact({ identifierType: 'bsuid', value, scopeRef });
    await send({ to: newPhone(), senderPoolSid, ...template });
    assert.equal((await send({ contactSid, senderPoolSid, ...template })).from, second);
    const recipient = { identifierType: 'bsuid', value };
    assert.equal((await resolved({ recipient, senderPoolSid, ...template })).senderSid, second);
    assert.equal((await send({ recipient, senderPoolSid, ...template })).from, second);
    assert.deepEqual(await loads(senderPoolSid), { [first]: 1, [second]: 1 });
  });

  test('spreads a batch of strangers over its members and keeps each of them where they are', async () => {
    const { first, second, senderPoolSid } = await poolOfTwo();
    const phones = Array.from({ length: 10 }, newPhone);
    const bodies = phones.map((to) => ({ to, senderPoolSid, ...template }));
    const froms = await batch(bodies);
    assert.deepEqual(await loads(senderPoolSid), { [first]: 5, [second]: 5 });
    assert.equal(froms.filter((from) => from === first).length, 5);
    // Who was told something by one number hears from it again, in whatever order they are written to.
    assert.deepEqual(await batch(bodies.toReversed()), froms.toReversed());
    const twice = newPhone();
    const [one, other] = await batch([twice, twice].map((to) => ({ to, senderPoolSid, ...template })));
    assert.equal(one, other);
  });

  test('stays with whom it chose while they can send, unless the person is talking to another member', async () => {
    const { first, second, senderPoolSid } = await poolOfTwo();
    const to = newPhone();
    assert.equal((await send({ to, senderPoolSid, ...template })).from, first);
    await desk.hears(second, to.slice(1));
    assert.equal((await send({ to, senderPoolSid, ...text })).from, second);
    assert.deepEqual(await loads(senderPoolSid), { [first]: 0, [second]: 1 });
    await desk.hears(first, to.slice(1));
    assert.equal((await send({ to, senderPoolSid, ...text })).from, second);
    await app.sql("update senders set status = 'RESTRICTED' where sid = $1", [second]);
    assert.equal((await send({ to, senderPoolSid, ...text })).from, first);
    await app.sql("update senders set status = 'BANNED' where sid = $1", [first]);
    const refused = await app.post(`${app.at}/messages`, { to, senderPoolSid, ...text });
    assert.equal(refused.body.error.code, 'SENDER_NOT_READY');
  });

  test('follows whoever chose for the same stranger a moment before', async () => {
    const { second, senderPoolSid } = await poolOfTwo();
    const to = newPhone();
    const blocker = await lockRows(app, `sender_pool_members where pool_sid = '${senderPoolSid}'`);
    const sending = send({ to, senderPoolSid, ...template });
    await blocker.waitersAre(1);
    // Another process sends to them first, and its choice is the second member.
    const { contactSid } = await newContact({ identifierType: 'phone_e164', value: to });
    await app.sql(
      `insert into sender_pool_contacts (account_sid, livemode, pool_sid, contact_sid, sender_sid, chosen_at)
       values ($1, false, $2, $3, $4, $5)`,
      [app.accountSid, senderPoolSid, contactSid, second, app.clock.now()],
    );
    await blocker.release();
    assert.equal((await sending).from, second);
  });
});

suite('where no sender is named and several are connected', () => {
  test('whoever wrote hears from the number they wrote to, and others from the oldest', async () => {
    const { second } = await poolOfTwo();
    const { body } = await app.get(`${app.at}/senders?limit=100`);
    const oldest = body.data.map(({ sid }: { sid: string }) => sid).sort()[0];
    const phone = newPhone();
    const { contactSid } = await newContact({ identifierType: 'phone_e164', value: phone });
    await desk.hears(second, phone.slice(1));
    const ways = [
      { to: phone },
      { recipient: { identifierType: 'phone_e164', value: phone } },
      { contactSid },
    ];
    for (const way of ways) {
      const told = await resolved({ ...way, ...text });
      assert.deepEqual([told.senderSid, told.window.open], [second, true], JSON.stringify(way));
    }
    assert.deepEqual(await batch([...ways, { to: newPhone() }].map((way) => ({ ...way, ...template }))), [
      ...ways.map(() => second),
      oldest,
    ]);
  });
});
