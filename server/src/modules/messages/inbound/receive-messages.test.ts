import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import { countingStatements } from '../../../../test/harness/statements.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import type { InboundContent, InboundMedia } from '../../provider/index.ts';
import { updateUserIds } from './people.ts';
import { receiveMessages } from './receive-messages.ts';

let app: TestApp;
let messages: Messages;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
});

type Told = {
  sid: string;
  type: string;
  from: string;
  to: { identifierType: string; value: string; contactSid: string };
  content: Record<string, unknown>;
  text: { body: string } | null;
  context: Record<string, unknown> | null;
  status: string;
  sentAt: string;
  conversationSid: string | null;
};

const text = (body: string): InboundContent => ({ type: 'text', body });
const person = (more: object = {}) => ({
  waId: newPhone().slice(1),
  bsuid: null,
  parentBsuid: null,
  profileName: 'Ines',
  username: null,
  ...more,
});

/** Receives one message and answers with it as its event tells it. */
async function receive(content: InboundContent, more: object = {}): Promise<Told> {
  const item = messages.inbound(content, more);
  await messages.receive(item);
  const [row] = await app.sql<{ sid: string }>(
    'select message_sid as sid from provider_messages where provider_message_id = $1',
    [item.providerMessageId],
  );
  const [event] = await messages.events(row!.sid);
  assert.equal(event!.type, 'message.received');
  return event!.data as Told;
}

const contactOf = async (sid: string) =>
  (await app.sql<{ display_name: string }>('select * from contacts where sid = $1', [sid]))[0]!;
const namesOf = async (contactSid: string) =>
  (
    await app.sql<{ value: string }>(
      'select value from contact_identifiers where contact_sid = $1 order by value',
      [contactSid],
    )
  ).map(({ value }) => value);

suite('a message that comes in', () => {
  test('is stored and told with the text where events promise it, and the person beside it', async () => {
    const from = person();
    const at = new Date(app.clock.now().getTime() - 5_000);
    const told = await receive(text('Bonjour'), { from, occurredAt: at });
    assert.equal(told.text?.body, 'Bonjour');
    assert.equal(told.from, messages.senderSid);
    assert.deepEqual([told.to.identifierType, told.to.value], ['phone_e164', `+${from.waId}`]);
    assert.deepEqual([told.status, told.sentAt], ['received', at.toISOString()]);
    assert.equal((await contactOf(told.to.contactSid)).display_name, 'Ines');
  });

  test('is stored once, however often the provider repeats it, also at once', async () => {
    const item = messages.inbound(text('Once'));
    await messages.receive(item, item);
    await Promise.all([messages.receive(item), messages.receive(item), messages.receive(item)]);
    assert.equal(
      await app.count(`provider_messages where provider_message_id = '${item.providerMessageId}'`),
      1,
    );
    const [{ n }] = (await app.sql<{ n: string }>(
      `select count(*) as n from messages where account_sid = $1 and content ->> 'body' = 'Once'`,
      [messages.accountSid],
    )) as [{ n: string }];
    assert.equal(Number(n), 1);
  });

  test('costs as many statements when a hundred strangers write STOP at once as when one does', async () => {
    const costOf = (size: number) =>
      messages.write(async (given) => {
        const { t, count } = countingStatements(given);
        const items = Array.from({ length: size }, () => messages.inbound(text('STOP'), { from: person() }));
        await receiveMessages(t, items);
        return count();
      });
    assert.equal(await costOf(100), await costOf(1));
  });
  test('opens the service window of its sender from the moment it was written', async () => {
    const at = new Date(app.clock.now().getTime() - 3_600_000);
    const told = await receive(text('Hi'), { occurredAt: at });
    const [window] = await app.sql('select * from service_windows where contact_sid = $1', [
      told.to.contactSid,
    ]);
    assert.deepEqual(window!.last_inbound_at, at);
    assert.equal(window!.sender_sid, messages.senderSid);
  });

  test('of a stranger, among several at once, makes one contact with one window, as of the first and the last', async () => {
    const from = person();
    const at = (minute: number) => new Date(app.clock.now().getTime() - 3_600_000 + minute * 60_000);
    const items = [5, 0, 9].map((minute) => messages.inbound(text('Hi'), { from, occurredAt: at(minute) }));
    await messages.receive(...items);
    const windows = await app.sql(
      `select w.opened_at, w.last_inbound_at from service_windows w join contact_identifiers i using (contact_sid)
        where i.value = $1`,
      [`+${from.waId}`],
    );
    assert.deepEqual(windows, [{ opened_at: at(0), last_inbound_at: at(9) }]);
  });

  test('of a known person belongs to their contact, by number or by id', async () => {
    const from = person({ bsuid: 'FR.481200773105' });
    const first = await receive(text('1'), { from });
    const hidden = await receive(text('2'), { from: { ...from, waId: null } });
    assert.equal(hidden.to.contactSid, first.to.contactSid);
    assert.deepEqual([hidden.to.identifierType, hidden.to.value], ['bsuid', 'FR.481200773105']);
    assert.deepEqual(await namesOf(first.to.contactSid), [`+${from.waId}`, 'FR.481200773105']);
  });

  test('whose number and id are two people’s goes to the number’s, and opens a conflict', async () => {
    const [one, other] = [person(), person({ waId: null, bsuid: 'FR.77123' })];
    const [first, second] = [
      await receive(text('1'), { from: one }),
      await receive(text('2'), { from: other }),
    ];
    const both = await receive(text('3'), { from: { ...one, bsuid: 'FR.77123' } });
    assert.equal(both.to.contactSid, first.to.contactSid);
    assert.equal(
      await app.count(
        `contact_conflicts where contact_sid = '${first.to.contactSid}' and other_contact_sid = '${second.to.contactSid}'`,
      ),
      1,
    );
  });

  test('names the message it answers, ours by our SID', async () => {
    const sid = await messages.accepted({ status: 'sending' });
    await messages.apply(messages.status(sid, 'sent'));
    const ours = await receive(text('Yes'), { replyTo: `wamid.${sid}` });
    assert.deepEqual(ours.context, { replyToMessageId: sid, providerMessageId: `wamid.${sid}` });
    const foreign = await receive(text('Yes'), { replyTo: 'wamid.unknown' });
    assert.deepEqual(foreign.context, { providerMessageId: 'wamid.unknown' });
  });

  test('is placed in the conversation of its sender and its contact', async () => {
    const { sid, to } = await receive(text('Hello there'));
    const where = `conversations where sender_sid = '${messages.senderSid}' and contact_sid = '${to.contactSid}'`;
    assert.equal(
      await app.count(`messages where sid = '${sid}' and conversation_sid in (select sid from ${where})`),
      1,
    );
  });

  test('without anybody who wrote it is refused, and takes nothing with it', async () => {
    const item = messages.inbound(text('?'), { from: person({ waId: null }) });
    await assert.rejects(messages.receive(item), /neither a number nor an id/);
    assert.equal(
      await app.count(`provider_messages where provider_message_id = '${item.providerMessageId}'`),
      0,
    );
  });
});

const file: InboundMedia = {
  providerMediaId: '150033',
  mimeType: 'image/jpeg',
  sha256: 'q83v',
  caption: 'Broken',
  filename: null,
  voice: false,
  animated: false,
};

test('every type is kept in a shape of ours', async () => {
  const cases: [InboundContent, string, Record<string, unknown>][] = [
    [
      { type: 'image', media: file },
      'image',
      { caption: 'Broken', voice: false, animated: false, filename: null },
    ],
    [
      { type: 'location', latitude: 48.85, longitude: 2.35, name: 'Paris', address: null, url: null },
      'location',
      { latitude: 48.85, longitude: 2.35, name: 'Paris', address: null, url: null },
    ],
    [
      {
        type: 'contacts',
        contacts: [
          {
            formattedName: 'Ana',
            firstName: 'Ana',
            lastName: null,
            phones: [{ name: 'CELL', value: '+33612', waId: '33612' }],
            emails: [],
          },
        ],
      },
      'contacts',
      {
        contacts: [
          {
            formattedName: 'Ana',
            firstName: 'Ana',
            lastName: null,
            phones: [{ value: '+33612', type: 'CELL', waId: '33612' }],
            emails: [],
          },
        ],
      },
    ],
    [
      { type: 'reaction', targetProviderMessageId: 'wamid.x', emoji: null },
      'reaction',
      { targetMessageId: 'wamid.x', emoji: '' },
    ],
    [{ type: 'button', payload: 'p', text: 'Confirm' }, 'button', { payload: 'p', text: 'Confirm' }],
    [
      { type: 'button_reply', id: 'am', title: 'Morning' },
      'interactive',
      { subtype: 'button_reply', id: 'am', title: 'Morning' },
    ],
    [
      { type: 'flow_reply', body: 'Sent', response: { slot: 'm9' } },
      'interactive',
      { subtype: 'flow_reply', body: 'Sent', response: { slot: 'm9' } },
    ],
    [
      { type: 'order', catalogId: '88', text: null, items: [] },
      'order',
      { catalogId: '88', text: null, items: [] },
    ],
    [
      { type: 'edit', targetProviderMessageId: 'wamid.x', content: text('Better') },
      'edit',
      { targetMessageId: 'wamid.x', type: 'text', content: { body: 'Better' } },
    ],
    [{ type: 'revoke', targetProviderMessageId: 'wamid.x' }, 'revoke', { targetMessageId: 'wamid.x' }],
    [{ type: 'unsupported', kind: 'poll', failure: null }, 'unsupported', { kind: 'poll', reason: null }],
    [
      { type: 'unknown', name: 'hologram', raw: { a: '\u0000' } },
      'unknown',
      { name: 'hologram', raw: { a: '\u0000' } },
    ],
  ];
  for (const [content, type, expected] of cases) {
    const told = await receive(content);
    const { sid, ...rest } = told.content;
    assert.deepEqual([told.type, rest], [type, expected]);
    if (type !== 'image') continue;
    // Whoever removes the file finds the message that brought it.
    const carries = `message_sid = '${told.sid}' and contact_sid = '${told.to.contactSid}' and sender_sid = '${told.from}'`;
    assert.equal(await app.count(`media_uses where media_sid = '${sid}' and ${carries}`), 1);
  }
});

suite('a keyword', () => {
  const consentOf = async (contactSid: string) =>
    (
      await app.sql<{ status: string }>(
        `select status from consent_states where contact_sid = $1 and purpose = 'MARKETING'`,
        [contactSid],
      )
    )[0]?.status;
  const standing = (contactSid: string) =>
    app.count(
      `suppressions where contact_sid = '${contactSid}' and reason = 'KEYWORD_OPT_OUT' and lifted_at is null`,
    );

  test('to stop suppresses marketing and records it, and one to start takes both back', async () => {
    const from = person();
    const { to } = await receive(text(' Arrêt '), { from });
    assert.deepEqual([await standing(to.contactSid), await consentOf(to.contactSid)], [1, 'OPTED_OUT']);
    app.clock.advance(1_000);
    await receive(text('START'), { from });
    assert.deepEqual([await standing(to.contactSid), await consentOf(to.contactSid)], [0, 'OPTED_IN']);
    const path = `/v1/accounts/${messages.accountSid}/contacts/${to.contactSid}/consents`;
    const { body } = await app.send('GET', path, { headers: bearer(messages.account.sandboxKey) });
    const { source, evidence } = body.data.at(-1);
    assert.deepEqual([source, evidence.wording], ['KEYWORD', 'Arrêt']);
  });

  test('to start lifts no suppression that somebody else made', async () => {
    const from = person();
    const { to } = await receive(text('Hello'), { from });
    await app.sql(
      `insert into suppressions (account_sid, livemode, sid, contact_sid, reason, scope, source, mirror_to_provider,
         created_by, created_at, updated_at)
       values ($1, false, $2, $3, 'COMPLAINT', 'MARKETING', 'x', false, 'x', now(), now())`,
      [messages.accountSid, `SU${to.contactSid.slice(2)}`, to.contactSid],
    );
    await receive(text('start'), { from });
    assert.equal(
      await app.count(`suppressions where contact_sid = '${to.contactSid}' and lifted_at is null`),
      1,
    );
  });

  test('that comes late does not undo a later one', async () => {
    const from = person();
    const early = app.clock.now();
    app.clock.advance(60_000);
    const { to } = await receive(text('START'), { from });
    await receive(text('STOP'), { from, occurredAt: early });
    assert.deepEqual([await standing(to.contactSid), await consentOf(to.contactSid)], [0, 'OPTED_IN']);
  });

  test('on a button of a template counts too; inside a sentence it does not', async () => {
    const pressed = await receive({ type: 'button', payload: 'x', text: 'Stop promotions' });
    assert.equal(await standing(pressed.to.contactSid), 1);
    const written = await receive(text('Please do not stop'));
    assert.equal(await standing(written.to.contactSid), 0);
  });
});

suite('a person', () => {
  test('who changed their number is known by both, and no window opens', async () => {
    const from = person();
    const { to } = await receive(text('Hello'), { from });
    const waId = newPhone().slice(1);
    const notice: InboundContent = {
      type: 'system',
      kind: 'user_changed_number',
      body: null,
      waId,
      bsuid: null,
    };
    app.clock.advance(3_600_000);
    const told = await receive(notice, { from: { ...from, profileName: null } });
    assert.equal(told.to.contactSid, to.contactSid);
    assert.deepEqual(await namesOf(to.contactSid), [`+${from.waId}`, `+${waId}`].sort());
    const [window] = await app.sql<{ last_inbound_at: Date }>(
      'select last_inbound_at from service_windows where contact_sid = $1',
      [to.contactSid],
    );
    assert.ok(window!.last_inbound_at < app.clock.now());
    assert.ok((await messages.events(to.contactSid)).some(({ type }) => type === 'contact.updated'));
  });

  test('whose id changed is known by both; one nobody knows is not made', async () => {
    const from = person({ bsuid: 'FR.old' });
    const { to } = await receive(text('Hello'), { from });
    const update = (previousBsuid: string, currentBsuid: string) => ({
      waId: null,
      previousBsuid,
      currentBsuid,
      previousParentBsuid: null,
      currentParentBsuid: null,
      occurredAt: app.clock.now(),
      senderSid: null,
      wabaSid: messages.wabaSid,
    });
    const before = await app.count('contacts');
    await messages.write((t) =>
      updateUserIds(t, [
        update('FR.old', 'FR.new'),
        update('FR.nobody', 'FR.noone'),
        update('FR.new', 'FR.newer'),
      ]),
    );
    assert.deepEqual(await namesOf(to.contactSid), [`+${from.waId}`, 'FR.new', 'FR.newer', 'FR.old']);
    assert.equal(await app.count('contacts'), before);
  });
});
