// People whom the provider knows by other digits than those that were dialled.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import {
  accepted,
  dispatcherOf,
  fakeProvider,
  type Messages,
  messagesOf,
} from '../../../test/harness/messages.ts';
import { consentsOf } from '../consent/index.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { contactsFor, learnNumbers } from '../contacts/index.ts';

let app: TestApp;
let messages: Messages;
let dispatcher: Awaited<ReturnType<typeof dispatcherOf>>;
let headers: object;
let at: string;
const provider = fakeProvider();
/** What the provider makes of a number; the others it leaves as they are. */
const rewrites = new Map<string, string>();
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
  dispatcher = await dispatcherOf(app, { provider });
  const { accountSid } = messages;
  headers = bearer((await app.key(['messages:send', 'contacts:read', 'contacts:write'], { accountSid })).key);
  at = `/v1/accounts/${accountSid}`;
  provider.answer = async ({ message }) => {
    const dialled = 'phone' in message.recipient ? message.recipient.phone : '';
    const answer = accepted(message.opaque);
    assert.ok(answer.ok);
    return { ...answer, value: { ...answer.value, waId: rewrites.get(dialled) ?? dialled.slice(1) } };
  };
});

/** A number and the digits the provider makes of it, as no numbering plan would tell. */
function rewritten(): { dialled: string; waId: string } {
  const [dialled, known] = [newPhone(), newPhone()];
  rewrites.set(dialled, known.slice(1));
  return { dialled, waId: known.slice(1) };
}

async function sendTo(to: string): Promise<string> {
  const sid = await messages.accepted({ to });
  app.clock.advance(1); // identifiers are shown in the order in which they were learned
  await dispatcher.run();
  return sid;
}

/** The contact of the message that came in. */
async function hear(waId: string, body = 'Hello'): Promise<string> {
  const from = { waId, bsuid: null, parentBsuid: null, profileName: 'Ines', username: null };
  const item = messages.inbound({ type: 'text', body }, { from });
  await messages.receive(item);
  const [row] = await app.sql<{ sid: string }>(
    `select contact_sid as sid from messages join provider_messages on message_sid = sid
      where provider_message_id = $1`,
    [item.providerMessageId],
  );
  return row!.sid;
}

async function contactWith(phone: string) {
  const { body } = await app.get(`${at}/contacts?identifier=${encodeURIComponent(phone)}`, headers);
  assert.equal(body.data.length, 1, JSON.stringify(body));
  return body.data[0];
}

const phonesOf = ({ identifiers }: { identifiers: { value: string }[] }) =>
  identifiers.map(({ value }) => value);

async function preflight(to: string) {
  const body = { from: messages.senderSid, to, type: 'text', text: { body: 'Hello' } };
  return (await app.post(`${at}/messages/preflight`, body, headers)).body;
}

const reasonsFor = async (to: string): Promise<string[]> =>
  (await preflight(to)).checks.map(({ code }: { code: string }) => code);

const conflicts = async () => (await app.get(`${at}/contacts/conflicts?limit=100`, headers)).body.data;

suite('a number the provider answers with other digits', () => {
  test('is told with both as identifiers of one contact, the dialled one first', async () => {
    const { dialled, waId } = rewritten();
    await sendTo(dialled);
    const contact = await contactWith(dialled);
    assert.deepEqual(phonesOf(contact), [dialled, `+${waId}`]);
    const told = (await messages.events(contact.sid)).map(({ type }) => type);
    assert.deepEqual(told, ['contact.created', 'contact.updated']);
    await sendTo(dialled);
    assert.equal((await messages.events(contact.sid)).length, 2);
  });

  test('opens the window of the number that was dialled when its owner replies', async () => {
    const { dialled, waId } = rewritten();
    await sendTo(dialled);
    assert.equal((await preflight(dialled)).resolved?.window?.open ?? false, false);
    assert.equal(await hear(waId), (await contactWith(dialled)).sid);
    assert.equal((await preflight(dialled)).resolved.window.open, true);
  });

  test('is suppressed by STOP from the digits the provider knows', async () => {
    const { dialled, waId } = rewritten();
    await sendTo(dialled);
    await hear(waId, 'STOP');
    const { sid } = await contactWith(dialled);
    const { body } = await app.get(`${at}/contacts/${sid}/suppressions`, headers);
    assert.deepEqual(
      body.data.map(({ reason }: { reason: string }) => reason),
      ['KEYWORD_OPT_OUT'],
    );
  });

  test('is refused in both forms, whichever of them was suppressed', async () => {
    for (const which of ['dialled', 'known'] as const) {
      const { dialled, waId } = rewritten();
      await sendTo(dialled);
      const identifier = which === 'dialled' ? dialled : `+${waId}`;
      const terms = { reason: 'TENANT_BLOCKLIST', scope: 'ALL', source: 'test' };
      const reply = await app.post(
        `${at}/suppressions`,
        { identifier, identifierType: 'phone_e164', ...terms },
        headers,
      );
      assert.equal(reply.status, 201, reply.text);
      for (const to of [dialled, `+${waId}`])
        assert.ok((await reasonsFor(to)).includes('CONTACT_SUPPRESSED'), to);
    }
  });

  test('is learned from a status when the answer was never heard', async () => {
    const { dialled, waId } = rewritten();
    const sid = await messages.accepted({ to: dialled, status: 'unknown' });
    const recipient = { waId, bsuid: null, parentBsuid: null };
    app.clock.advance(1);
    await messages.apply(messages.status(sid, 'delivered', { recipient }));
    assert.deepEqual(phonesOf(await contactWith(dialled)), [dialled, `+${waId}`]);
  });

  test('costs nothing when the digits are those that were dialled', async () => {
    const untouchable = new Proxy({}, { get: () => assert.fail('the database was asked') });
    const same = { dialled: '+33612003400', waId: '33612003400' };
    await learnNumbers(untouchable as never, { consentsOf: () => assert.fail() }, [same, same]);
  });

  test('is recorded as sent even if the contact can hold no further number, or is gone', async () => {
    const full = rewritten();
    const crowded = await messages.accepted({ to: full.dialled });
    const { sid: owner } = await contactWith(full.dialled);
    await app.sql(
      `insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, scope_ref, value, created_at)
       select account_sid, livemode, gen_random_uuid(), sid, 'bsuid', 'p', 'b' || n, created_at
         from contacts, generate_series(1, 99) n where sid = $1`,
      [owner],
    );
    const gone = rewritten();
    const orphan = await messages.accepted({ to: gone.dialled });
    await app.sql('delete from contact_identifiers where value = $1', [gone.dialled]);
    await dispatcher.run();
    for (const sid of [crowded, orphan]) {
      const [attempt] = await app.sql('select outcome from message_attempts where message_sid = $1', [sid]);
      assert.equal(attempt!.outcome, 'accepted');
    }
    assert.equal(await app.count(`contact_identifiers where value in ('+${full.waId}', '+${gone.waId}')`), 0);
  });
});

suite('digits that belong to another contact already', () => {
  test('stay there, and one conflict asks whether the two are one', async () => {
    const { dialled, waId } = rewritten();
    const other = await hear(waId);
    await sendTo(dialled);
    await sendTo(dialled);
    const { sid, ...contact } = await contactWith(dialled);
    assert.deepEqual(phonesOf(contact), [dialled]);
    assert.notEqual(sid, other);
    const open = (await conflicts()).filter(({ contactSid }: { contactSid: string }) => contactSid === sid);
    assert.deepEqual(
      open.map((one: Record<string, unknown>) => [one.otherContactSid, one.status]),
      [[other, 'open']],
    );
    const resolve = `${at}/contacts/conflicts/${open[0].id}/resolve`;
    assert.equal((await app.post(resolve, { action: 'dismiss' }, headers)).status, 200);
    await sendTo(dialled);
    const again = (await conflicts()).filter(({ contactSid }: { contactSid: string }) => contactSid === sid);
    assert.deepEqual(
      again.map(({ status }: { status: string }) => status),
      ['resolved'],
    );
  });

  test('become one contact’s by a merge, with window and suppression, and two again by its reversal', async () => {
    const { dialled, waId } = rewritten();
    const other = await hear(waId, 'STOP');
    await sendTo(dialled);
    const { sid } = await contactWith(dialled);
    const merge = await app.post(
      `${at}/contacts/${sid}/merge`,
      { mergeContactSid: other, reason: 'one person' },
      headers,
    );
    assert.equal(merge.status, 200, merge.text);
    assert.equal((await preflight(dialled)).resolved.window.open, true);
    assert.equal(await hear(waId), sid);
    const reverted = await app.post(`${at}/contacts/merges/${merge.body.id}/revert`, undefined, headers);
    assert.equal(reverted.status, 200, reverted.text);
    assert.deepEqual(phonesOf(await contactWith(`+${waId}`)), [`+${waId}`]);
    assert.deepEqual(phonesOf(await contactWith(dialled)), [dialled]);
  });

  test('are the first one’s who was dialled, when two dialled numbers lead to them', async () => {
    const [first, second] = [rewritten(), rewritten()];
    rewrites.set(second.dialled, first.waId);
    await sendTo(first.dialled);
    await sendTo(second.dialled);
    assert.deepEqual(phonesOf(await contactWith(first.dialled)), [first.dialled, `+${first.waId}`]);
    const { sid, ...contact } = await contactWith(second.dialled);
    assert.deepEqual(phonesOf(contact), [second.dialled]);
    assert.ok((await conflicts()).some(({ contactSid }: { contactSid: string }) => contactSid === sid));
  });
});

suite('a number that its country writes in two ways', () => {
  const tail = () => newPhone().slice(-7);
  const inBrazil = () => {
    const mobile = `8${tail()}`;
    return { long: `+55119${mobile}`, short: `+5511${mobile}` };
  };
  const inArgentina = () => {
    const number = `113${tail()}`;
    return { long: `+549${number}`, short: `+54${number}` };
  };

  test('leads to the contact that wrote from the other form before anything was sent', async () => {
    const pairs = [inBrazil(), inArgentina()].flatMap(({ long, short }) => [[short, long] as const]);
    const { long, short } = inBrazil();
    for (const [writes, dialled] of [...pairs, [long, short]] as const) {
      const sid = await hear(writes.slice(1));
      assert.equal((await preflight(dialled)).resolved.window.open, true);
      rewrites.set(dialled, writes.slice(1));
      await sendTo(dialled);
      assert.deepEqual(phonesOf(await contactWith(dialled)), [writes, dialled]);
      assert.equal((await contactWith(writes)).sid, sid);
    }
  });

  test('is one contact when both forms are sent to at once, or given one after the other', async () => {
    const identifier = (value: string) => ({ identifierType: 'phone_e164' as const, value, scopeRef: null });
    const both = Object.values(inBrazil()).map(identifier);
    const [one, other] = await messages.write((t) => contactsFor(t, { consentsOf }, both));
    assert.equal(one, other);
    const phone = (value: string) => ({ identifiers: [{ identifierType: 'phone_e164', value }] });
    const { long, short } = inArgentina();
    const first = await app.post(`${at}/contacts`, phone(short), headers);
    app.clock.advance(1);
    const second = await app.post(`${at}/contacts`, phone(long), headers);
    assert.deepEqual([first.status, second.status], [201, 200]);
    assert.equal(second.body.sid, first.body.sid);
    assert.deepEqual(phonesOf(second.body), [short, long]);
  });

  test('is not mixed up with a landline', async () => {
    const landline = await hear('551132345678');
    assert.notEqual(await hear('5511932345678'), landline);
  });

  test('is stored without the 1 that Mexico dropped, however it comes', async () => {
    const number = `55${`1${tail()}`}`;
    const sid = await hear(`521${number}`);
    const contact = await contactWith(`+52${number}`);
    assert.deepEqual([contact.sid, phonesOf(contact)], [sid, [`+52${number}`]]);
    rewrites.set(`+52${number}`, `521${number}`);
    await sendTo(`+52${number}`);
    assert.deepEqual(phonesOf(await contactWith(`+52 1 ${number}`)), [`+52${number}`]);
  });

  test('is heard even if no numbering plan has it any more', async () => {
    const old = `2250${tail()}`;
    assert.equal(await hear(old), await hear(old));
  });
});
