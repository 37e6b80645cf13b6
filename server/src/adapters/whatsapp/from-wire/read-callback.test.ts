import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { InboundMessage, ProviderStatus, ReadChange } from '../../../modules/provider/index.ts';
import { instantOf } from '../reading.ts';
import {
  accountSamples,
  callback,
  inboundOf,
  inboundSamples,
  messagesChange,
  phoneNumberId,
  preferenceOf,
  statusOf,
  wabaId,
  wireBytes,
} from './callbacks.test-data.ts';
import { readCallback } from './read-callback.ts';

const receivedAt = new Date('2026-05-01T00:00:00.000Z');
const read = (...changes: { field: string; value: unknown }[]) =>
  readCallback(wireBytes(callback(...changes)), receivedAt)!;
const only = (...changes: { field: string; value: unknown }[]): ReadChange => {
  const found = read(...changes);
  assert.deepEqual([found.unknown, found.changes.length], [[], 1]);
  return found.changes[0]!;
};
const statusItem = (raw: object) => only(messagesChange({ statuses: [raw] })).item as ProviderStatus;
const inboundItem = (raw: object) => only(messagesChange({ messages: [raw] })).item as InboundMessage;

suite('statuses', () => {
  test('tell what became of which message, and what it costs', () => {
    const pricing = {
      billable: true,
      pricing_model: 'PMP',
      type: 'regular',
      category: 'authentication-international',
    };
    const change = only(messagesChange({ statuses: [statusOf('delivered', { pricing })] }));
    assert.deepEqual(change, {
      kind: 'statuses',
      address: { phoneNumberId },
      key: 'status:wamid.OUT77:delivered',
      occurredAt: new Date(1777000020_000),
      item: {
        providerMessageId: 'wamid.OUT77',
        status: 'delivered',
        opaque: 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V',
        occurredAt: new Date(1777000020_000),
        recipient: { waId: '33612003400', bsuid: 'FR.48120077310552911', parentBsuid: null },
        pricing: { billable: true, model: 'PMP', type: 'regular', category: 'authentication_international' },
        conversation: null,
        failure: null,
      },
    });
  });
  for (const status of ['sent', 'delivered', 'read', 'played', 'failed']) {
    test(`${status} is understood`, () => assert.equal(statusItem(statusOf(status)).status, status));
  }
  test('a failure is explained by the same table as an answer', () => {
    const errors = [
      { code: 131047, title: 'Re-engagement', error_data: { details: 'Older than 24 hours.' } },
    ];
    assert.deepEqual(statusItem(statusOf('failed', { errors })).failure, {
      code: 'SERVICE_WINDOW_CLOSED',
      retryable: false,
      providerCode: 131047,
      providerSubcode: null,
      reason: 'Older than 24 hours. Re-engagement',
      retryAfterMs: null,
    });
    const american = statusOf('failed', { recipient_id: '12125550123', errors: [{ code: 131049 }] });
    assert.equal(statusItem(american).failure?.code, 'MARKET_EXCLUDED');
  });
  test('a failure without a reason is still one', () => {
    assert.equal(statusItem(statusOf('failed')).failure?.code, 'PROVIDER_PERMANENT_ERROR');
  });
  test('a free entry point comes with its window', () => {
    const conversation = {
      id: '5d41',
      expiration_timestamp: '1777259230',
      origin: { type: 'marketing_lite' },
    };
    assert.deepEqual(statusItem(statusOf('sent', { conversation })).conversation, {
      id: '5d41',
      originType: 'marketing_lite',
      expiresAt: new Date(1777259230_000),
    });
  });
});

suite('received messages', () => {
  const expected: Record<string, object> = {
    text: { type: 'text', body: 'Hello' },
    location: {
      type: 'location',
      latitude: 45.764,
      longitude: 4.8357,
      name: 'Depot',
      address: null,
      url: null,
    },
    contacts: {
      type: 'contacts',
      contacts: [
        {
          formattedName: 'Ines Moreau',
          firstName: 'Ines',
          lastName: null,
          phones: [{ value: '+33612003499', name: 'WORK', waId: '33612003499' }],
          emails: [{ value: 'ines@depot.example', name: 'WORK' }],
        },
      ],
    },
    reaction: { type: 'reaction', targetProviderMessageId: 'wamid.OUT77', emoji: '👍' },
    button: { type: 'button', payload: 'confirm-77', text: 'Confirm' },
    interactive: { type: 'button_reply', id: 'am', title: 'Morning' },
    order: {
      type: 'order',
      catalogId: '880011223344556',
      text: 'Gift wrap',
      items: [{ productRetailerId: 'sku-17', quantity: 2, itemPrice: '9.5', currency: 'EUR' }],
    },
    system: {
      type: 'system',
      kind: 'user_changed_number',
      body: 'Ines changed',
      waId: '33612003477',
      bsuid: null,
    },
    edit: {
      type: 'edit',
      targetProviderMessageId: 'wamid.IN01',
      content: { type: 'text', body: 'Hello!' },
    },
    revoke: { type: 'revoke', targetProviderMessageId: 'wamid.IN01' },
  };
  for (const sample of inboundSamples) {
    const type = String(sample.type);
    test(`${type} is read`, () => {
      const { content, from, providerMessageId } = inboundItem(sample);
      assert.equal(providerMessageId, `wamid.${type}`);
      assert.deepEqual(from, {
        waId: '33612003400',
        bsuid: 'FR.48120077310552911',
        parentBsuid: null,
        profileName: 'Ines',
        username: 'ines.m',
      });
      if (expected[type]) assert.deepEqual(content, expected[type]);
      else assert.equal(content.type, type);
    });
  }
  test('files carry what is needed to fetch them', () => {
    const document = inboundSamples.find(({ type }) => type === 'document')!;
    assert.deepEqual(inboundItem(document).content, {
      type: 'document',
      media: {
        providerMediaId: '1500330011220099',
        mimeType: 'image/jpeg',
        sha256: 'q83vEjRWeJA=',
        caption: 'Here',
        filename: 'invoice.pdf',
        voice: false,
        animated: false,
      },
    });
  });
  test('answers to lists, flows and address forms', () => {
    const answer = (interactive: object) => inboundItem(inboundOf('interactive', { interactive })).content;
    assert.deepEqual(
      answer({ type: 'list_reply', list_reply: { id: 'm9', title: '09:00', description: 'G' } }),
      {
        type: 'list_reply',
        id: 'm9',
        title: '09:00',
        description: 'G',
      },
    );
    const reply = (name: string, response_json: string) =>
      answer({ type: 'nfm_reply', nfm_reply: { name, body: 'Sent', response_json } });
    assert.deepEqual(reply('flow', '{"flow_token":"t-88","slot":"m9"}'), {
      type: 'flow_reply',
      body: 'Sent',
      response: { flow_token: 't-88', slot: 'm9' },
    });
    assert.equal(reply('address_message', '{}').type, 'address_reply');
    assert.deepEqual(reply('flow', 'broken'), { type: 'flow_reply', body: 'Sent', response: {} });
  });
  test('a reply, a forward and an advertisement are told', () => {
    const message = inboundItem(
      inboundOf('text', {
        text: { body: 'x' },
        context: { id: 'wamid.OUT', frequently_forwarded: true },
        referral: { source_id: '1', ctwa_clid: 'c' },
      }),
    );
    assert.deepEqual(
      [message.replyTo, message.forwarded, message.referral],
      ['wamid.OUT', 'often', { source_id: '1', ctwa_clid: 'c' }],
    );
  });
  test('a person who hides their number is known by the other name', () => {
    const { from, ...hidden } = inboundOf('text', { text: { body: 'x' } });
    const value = { contacts: [], messages: [hidden] };
    const message = only(messagesChange(value)).item as InboundMessage;
    assert.deepEqual([message.from.waId, message.from.bsuid], [null, 'FR.48120077310552911']);
  });
  test('a type nobody has told us of is received as it came', () => {
    const content = inboundItem(inboundOf('hologram', { hologram: { id: 1 } })).content;
    assert.equal(content.type === 'unknown' && content.name, 'hologram');
    const text = inboundItem(inboundOf('text', { text: 'not an object' })).content;
    assert.equal(text.type, 'unknown');
    const proto = inboundItem(inboundOf('constructor', {})).content;
    assert.equal(proto.type, 'unknown');
  });
  test('what PostgreSQL cannot keep is left out', () => {
    const message = inboundItem(inboundOf('text', { text: { body: 'a\0b\ud800c 👍' } }));
    assert.deepEqual(message.content, { type: 'text', body: 'ab\ufffdc 👍' });
  });
});

suite('changes of accounts and people', () => {
  for (const sample of accountSamples) {
    test(`${sample.field} is read`, () => {
      const change = only(sample);
      assert.deepEqual(change.address, { wabaId });
      assert.deepEqual(change.occurredAt, new Date(1777000000_000));
    });
  }
  test('the same news twice is the same change, other news another', () => {
    const [first, second] = [only(accountSamples[0]!), only(accountSamples[0]!)];
    assert.equal(first.key, second.key);
    const resumed = { ...accountSamples[0]!, value: { ...accountSamples[0]!.value, event: 'APPROVED' } };
    assert.notEqual(only(resumed).key, first.key);
  });
  test('a paused template', () => {
    assert.partialDeepStrictEqual(only(accountSamples[0]!).item, {
      kind: 'status',
      templateId: '770011223344',
      event: 'PAUSED',
      title: 'FIRST_PAUSE',
    });
  });
  test('a restriction with its end', () => {
    const value = {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_UTILITY_TEMPLATES', expiration: 1777000100 }, 'x'],
    };
    assert.partialDeepStrictEqual(only({ field: 'account_update', value }).item, {
      event: 'ACCOUNT_RESTRICTION',
      restrictions: [{ type: 'RESTRICTED_UTILITY_TEMPLATES', expiresAt: new Date(1777000100_000) }],
    });
  });
  test("a partner's customer is the account inside, not the portfolio around it", () => {
    const value = { event: 'PARTNER_REMOVED', waba_info: { waba_id: '555' } };
    assert.deepEqual(only({ field: 'account_update', value }).address, { wabaId: '555' });
  });
  test('stop, resume and sign-up', () => {
    const wish = (value: string) => only(preferenceOf(value, 1777000040)).item;
    assert.partialDeepStrictEqual(wish('stop'), { value: 'stop', category: 'marketing_messages' });
    assert.partialDeepStrictEqual(wish('resume'), { value: 'resume' });
    assert.partialDeepStrictEqual(wish('signup'), { value: 'resume' });
  });
  test('a changed user id', () => {
    const value = {
      metadata: { phone_number_id: phoneNumberId },
      user_id_update: [
        { wa_id: '33612003400', user_id: { previous: 'FR.1', current: 'FR.2' }, timestamp: '1777000041' },
      ],
    };
    assert.partialDeepStrictEqual(only({ field: 'user_id_update', value }).item, {
      previousBsuid: 'FR.1',
      currentBsuid: 'FR.2',
      occurredAt: new Date(1777000041_000),
    });
  });
});

suite('what nobody understands', () => {
  test('is named, and the rest is read', () => {
    const found = read(
      { field: 'history', value: {} },
      { field: 'constructor', value: {} },
      messagesChange({ user_actions: [{}] }),
      messagesChange({ statuses: [{}, statusOf('read'), 'x', statusOf('levitated')] }),
      { field: 'flows', value: 'nonsense' },
    );
    assert.deepEqual(found.unknown, [
      'history',
      'constructor',
      'messages: user_actions',
      'statuses: incomplete',
      'statuses: incomplete',
      'statuses: incomplete',
      'flows: incomplete',
    ]);
    assert.equal(found.changes.length, 1);
  });
  test('is no callback at all where there is no entry', () => {
    for (const body of ['', '{', 'null', '[]', '{}', '"x"', '{"entry":{}}'])
      assert.equal(readCallback(Buffer.from(body), receivedAt), null);
  });
  test('nested without end it is only unknown', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const body = `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[
      {"field":"account_update","value":{"event":"X","deep":${deep}}},
      {"field":"messages","value":{"metadata":{"phone_number_id":"1"},"statuses":[${JSON.stringify(statusOf('read'))}]}}]}]}`;
    const found = readCallback(Buffer.from(body), receivedAt);
    assert.equal(found?.changes.filter(({ kind }) => kind === 'statuses').length, 1);
  });
  test('random and mutated callbacks never throw', () => {
    const samples = [
      ...inboundSamples.map((message) => messagesChange({ messages: [message] })),
      ...['sent', 'failed'].map((status) => messagesChange({ statuses: [statusOf(status)] })),
      ...accountSamples,
      preferenceOf('stop', 1),
    ].map((change) => JSON.stringify(callback(change)));
    const mutated = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat(40), fc.oneof(fc.json(), fc.string()))
      .map(([text, at, length, put]) => {
        const start = at % text.length;
        return text.slice(0, start) + put + text.slice(start + length);
      });
    const anything = fc.oneof(
      mutated,
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(callback({ field: 'messages', value }))),
      fc
        .jsonValue()
        .map((value) =>
          JSON.stringify(callback(messagesChange({ statuses: value, messages: value } as never))),
        ),
    );
    fc.assert(
      fc.property(anything, (text) => {
        readCallback(Buffer.from(text), receivedAt);
      }),
      { numRuns: 3_000 },
    );
  });
});

test('an instant from before there was a provider, or from no calendar, is none', () => {
  for (const nonsense of ['0', 0, '-1', '1200000000', '999999999999999', 'soon', null, {}])
    assert.equal(instantOf(nonsense), null, String(nonsense));
  assert.deepEqual(instantOf('1777000001'), new Date(1_777_000_001_000));
});
