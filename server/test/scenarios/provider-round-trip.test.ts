// From the words of the API to the provider's wire and back: every kind of message is sent through the adapter to the
// simulated provider, which judges the body as strictly as the provider does, and whose callbacks come in by the door.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { sandboxCatalogId, sandboxToken, simulatorAppId } from '@godwit/simulator';
import { knownCodes } from '../../src/adapters/whatsapp/errors.ts';
import { createProvider } from '../../src/adapters/whatsapp/provider.ts';
import { mp4, ogg } from '../../src/modules/media/examine/files.test-data.ts';
import { hooksFor, untilDone } from '../../src/modules/provider/callbacks.test-data.ts';
import {
  type CallbackHandlers,
  type Changes,
  type Content,
  contentTypes,
  type OutboundMessage,
  type TemplateComponent,
} from '../../src/modules/provider/index.ts';
import { startTestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';

const lifetime = sharedLifetime();
const app = await startTestApp(lifetime, { simulator: true });
const provider = createProvider();
lifetime.after(async () => provider.close?.());
const { control } = app.simulator;

const wabaId = '104000200030001';
const phoneNumberId = '106000300040005';
const customer = '33612003400';
const accessToken = sandboxToken({
  businessId: '200000000000001',
  wabaId,
  phoneNumbers: [{ id: phoneNumberId, number: '33180001000', name: 'Depot' }],
});
const connection = { baseUrl: app.simulator.url, apiVersion: 'v24.0', accessToken };

/** Everything the callbacks told so far. */
const told: { [K in keyof Changes]: Changes[K][] } = {
  statuses: [],
  inbound: [],
  templateUpdates: [],
  flowUpdates: [],
  phoneNumberUpdates: [],
  accountUpdates: [],
  userPreferences: [],
  userIdUpdates: [],
};
const handlers = Object.fromEntries(
  Object.keys(told).map((kind) => [
    kind,
    async (_t: unknown, items: never[]) => void told[kind as keyof Changes].push(...items),
  ]),
) as CallbackHandlers;
const hooks = hooksFor({ [phoneNumberId]: app.accountSid, [wabaId]: app.accountSid }, handlers);

async function hear(): Promise<void> {
  await control.advance(10_000);
  app.clock.advance(10_000);
  await untilDone(app, hooks);
}

let count = 0;
async function send(content: Content, more: Partial<OutboundMessage> = {}) {
  count += 1;
  const opaque = `SM${String(count).padStart(26, '0')}`;
  const names = { mediaIds: new Map(Object.entries(media)), flowIds: new Map([[flowSid, flowId]]) };
  const recipient = { phone: `+${customer}` };
  const message = {
    phoneNumberId,
    transport: 'cloud_api',
    recipient,
    content,
    ...names,
    replyTo: null,
    opaque,
  } as const;
  return { opaque, answer: await provider.send(connection, { ...message, ...more }) };
}

const statusesOf = (opaque: string) =>
  told.statuses.filter((status) => status.opaque === opaque).map(({ status }) => status);

const files = {
  image: [
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ],
  video: ['video/mp4', mp4().toString('base64')],
  audio: ['audio/ogg', ogg().toString('base64')],
  document: ['application/pdf', 'JVBERi0xLjQKJSVFT0YK'],
  sticker: ['image/webp', 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='],
} as const;
const media: Record<string, string> = {};
for (const [name, [mimeType, text]] of Object.entries(files)) {
  const bytes = Buffer.from(text, 'base64');
  const open = () => Readable.from([bytes], { objectMode: false });
  const file = { filename: `a.${name}`, mimeType, sizeBytes: bytes.length, open };
  const uploaded = await provider.uploadMedia(connection, phoneNumberId, file);
  assert.ok(uploaded.ok, JSON.stringify(uploaded));
  media[`ME-${name}`] = uploaded.value.mediaId;
}

const flowSid = 'FL01J9ZK3V7T8Q2M4N6P8R0S2T4V';
const made = await fetch(`${connection.baseUrl}/v24.0/${wabaId}/flows`, {
  method: 'POST',
  headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'survey', categories: ['SURVEY'], flow_json: '{}', publish: true }),
});
const flowId = String(((await made.json()) as { id: string }).id);

// Free-form messages need a window, and a reaction something to react to.
await control.inbound({ from: customer, to: phoneNumberId, type: 'text', text: 'Hello' });
await hear();

const catalogId = sandboxCatalogId;
const sections = [{ title: 'Pots', productItems: [{ productRetailerId: 'sku-17' }] }];
const productList = { catalogId, header: 'Spring', body: 'Picked for you', sections };
const address = {
  body: 'Where shall we deliver?',
  country: 'IN' as const,
  values: { name: 'Asha', in_pin_code: '400063' },
  validationErrors: { in_pin_code: 'Six digits are needed' },
  savedAddresses: [{ id: 'home', value: { name: 'Asha' } }],
};
const cards = [0, 1].map((cardIndex) => ({ cardIndex, catalogId, productRetailerId: `sku-${cardIndex}` }));
const carousel = { body: 'New this week', cards };
const body = 'Choose';

const contents: Content[] = [
  { type: 'text', text: { body: 'Your parcel: https://track.example/p/77', previewUrl: true } },
  { type: 'template', template: { name: 'hello_world', language: 'en' } },
  { type: 'image', media: { sid: 'ME-image', caption: 'Front' } },
  { type: 'video', media: { sid: 'ME-video', caption: 'Unboxing' } },
  { type: 'audio', media: { sid: 'ME-audio', voice: true } },
  { type: 'document', media: { sid: 'ME-document', filename: 'invoice.pdf', caption: 'Invoice' } },
  { type: 'sticker', media: { sid: 'ME-sticker' } },
  { type: 'location', location: { latitude: 45.764, longitude: 4.8357, name: 'Depot', address: 'Lyon' } },
  {
    type: 'contacts',
    contacts: {
      contacts: [
        {
          formattedName: 'Ines Moreau',
          phones: [{ value: '+33612003499', type: 'work' }],
          emails: [{ value: 'ines@depot.example', type: 'home' }],
        },
      ],
    },
  },
  { type: 'reaction', reaction: { targetMessageId: told.inbound[0]!.providerMessageId, emoji: '👍' } },
  {
    type: 'interactive',
    interactive: { subtype: 'button', body, footer: 'Depot', buttons: [{ id: 'a', title: 'A' }] },
  },
  {
    type: 'interactive',
    interactive: {
      subtype: 'list',
      body,
      button: 'Slots',
      sections: [{ rows: [{ id: 'm9', title: '09:00', description: 'Ground' }] }],
    },
  },
  {
    type: 'interactive',
    interactive: { subtype: 'cta_url', body, displayText: 'Open', url: 'https://track.example/p/77' },
  },
  { type: 'interactive', interactive: { subtype: 'location_request', body } },
  { type: 'interactive', interactive: { subtype: 'product_list', ...productList } },
  { type: 'interactive', interactive: { subtype: 'carousel', ...carousel } },
  { type: 'product', product: { catalogId, productRetailerId: 'sku-17', body, footer: 'Depot' } },
  { type: 'catalog', catalog: { catalogId, body, thumbnailProductRetailerId: 'sku-17' } },
  {
    type: 'flow',
    flow: { flowSid, body, ctaText: 'Book', action: 'navigate', screen: 'SLOT', data: { city: 'Lyon' } },
  },
  { type: 'flow', flow: { flowSid, body, ctaText: 'Book', action: 'data_exchange' } },
  { type: 'product_list', productList },
  { type: 'carousel', carousel },
];
/** Only people of that country can be asked for an address there. */
const inIndia: Content[] = [
  { type: 'address', address },
  { type: 'interactive', interactive: { subtype: 'address', ...address } },
];

const label = (content: Content) =>
  content.type === 'interactive' ? `interactive ${content.interactive.subtype}` : content.type;

suite('a message, sent and reported', () => {
  for (const content of contents) {
    test(label(content), async () => {
      const { opaque, answer } = await send(content);
      assert.ok(answer.ok, JSON.stringify(answer));
      assert.equal(answer.value.waId, customer);
      await hear();
      const found = statusesOf(opaque);
      assert.ok(found.includes('sent'), `statuses: ${found}`);
      const { providerMessageId } = told.statuses.find((status) => status.opaque === opaque)!;
      assert.equal(providerMessageId, answer.value.providerMessageId);
    });
  }
  for (const content of inIndia) {
    test(`${label(content)}, to somebody there`, async () => {
      await control.inbound({ from: '919800000001', to: phoneNumberId, type: 'text', text: 'Hi' });
      const { answer } = await send(content, { recipient: { phone: '+919800000001' } });
      assert.ok(answer.ok, JSON.stringify(answer));
    });
  }
  test('every type was tried', () => {
    const tried = new Set([...contents, ...inIndia].map(({ type }) => type));
    assert.deepEqual([...tried].sort(), contentTypes.toSorted());
  });
  test('a reply, and a BSUID in place of the number', async () => {
    const { bsuid } = told.inbound[0]!.from;
    assert.ok(bsuid);
    const text: Content = { type: 'text', text: { body: 'Hello' } };
    const replyTo = told.inbound[0]!.providerMessageId;
    const { answer } = await send(text, { recipient: { bsuid }, replyTo });
    assert.deepEqual(answer.ok && [answer.value.waId, answer.value.bsuid], [null, bsuid]);
  });
  test('a delivered message is priced', () => {
    const priced = told.statuses.filter(({ pricing }) => pricing !== null);
    assert.ok(priced.length > 0);
    assert.ok(priced.every(({ pricing }) => pricing!.model === 'PMP' && pricing!.category !== null));
  });
});

const templates: Record<string, { language: string; components: TemplateComponent[] }> = {
  order_update: {
    language: 'fr',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', parameterName: 'first_name', text: 'Ines' },
          { type: 'text', parameterName: 'order', text: '77' },
        ],
      },
    ],
  },
  appointment_reminder: {
    language: 'en',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ines' },
          { type: 'date_time', fallbackValue: '3 May' },
        ],
      },
      { type: 'button', subType: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: 'yes' }] },
      { type: 'button', subType: 'quick_reply', index: 1, parameters: [{ type: 'payload', payload: 'no' }] },
    ],
  },
  spring_offer: {
    language: 'en',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ines' },
          { type: 'currency', fallbackValue: '20 €', code: 'EUR', amount1000: 20_000 },
        ],
      },
    ],
  },
  login_code: {
    language: 'en',
    components: [
      { type: 'body', parameters: [{ type: 'text', text: '481920' }] },
      { type: 'button', subType: 'otp', index: 0, parameters: [{ type: 'text', text: '481920' }] },
    ],
  },
};

suite('templates, sent and reported', () => {
  for (const [name, { language, components }] of Object.entries(templates)) {
    test(name, async () => {
      const { opaque, answer } = await send({ type: 'template', template: { name, language, components } });
      assert.ok(answer.ok, JSON.stringify(answer));
      await hear();
      assert.ok(statusesOf(opaque).includes('delivered'));
    });
  }
  test('a marketing template over its own transport, and never over another', async () => {
    const { language, components } = templates.spring_offer!;
    const content: Content = { type: 'template', template: { name: 'spring_offer', language, components } };
    const { opaque, answer } = await send(content, { transport: 'marketing_messages' });
    assert.ok(answer.ok, JSON.stringify(answer));
    await hear();
    const delivered = told.statuses.find((status) => status.opaque === opaque && status.pricing !== null);
    assert.equal(delivered?.pricing?.category, 'marketing_lite');
    control.change('wabas', wabaId, { marketingOnboarding: 'ELIGIBLE' });
    const refused = await send(content, { transport: 'marketing_messages' });
    control.change('wabas', wabaId, { marketingOnboarding: 'ONBOARDED' });
    assert.equal(!refused.answer.ok && refused.answer.failure.code, 'MARKETING_MESSAGES_NOT_ONBOARDED');
  });
});

suite("every code of the provider's", () => {
  const text: Content = { type: 'text', text: { body: 'Hello' } };
  test('in an answer means what the table says', async () => {
    for (const { sample, code, retryable } of knownCodes) {
      control.addRule({ behaviour: { refuse: { code: sample } }, count: 1 });
      const { answer } = await send(text);
      assert.ok(!answer.ok, `${sample} was refused`);
      const { failure } = answer;
      assert.deepEqual([failure.code, failure.retryable, failure.providerCode], [code, retryable, sample]);
    }
  });
  test('in a failed status means the same', async () => {
    const expected = new Map<string, { code: string; retryable: boolean; sample: number }>();
    for (const known of knownCodes) {
      control.addRule({ behaviour: { fail: { code: known.sample } }, count: 1 });
      const { opaque, answer } = await send(text);
      assert.ok(answer.ok, JSON.stringify(answer));
      expected.set(opaque, known);
    }
    await hear();
    for (const [opaque, { code, retryable, sample }] of expected) {
      const failure = told.statuses.find(
        (status) => status.opaque === opaque && status.status === 'failed',
      )?.failure;
      assert.deepEqual([failure?.code, failure?.retryable, failure?.providerCode], [code, retryable, sample]);
    }
  });
  for (const answer of ['lost', 'garbage', 'bad-gateway', 'bad-gateway-accepted', 'closed-before'] as const) {
    test(`an answer that is ${answer} leaves the result unknown`, async () => {
      control.addRule({ behaviour: { answer }, count: 1 });
      const { answer: result } = await send(text);
      assert.equal(!result.ok && result.failure.code, 'PROVIDER_RESULT_UNKNOWN');
    });
  }
  test('a token that is none of its own', async () => {
    const answer = await provider.getPhoneNumber({ ...connection, accessToken: 'EAAG' }, phoneNumberId);
    assert.equal(!answer.ok && answer.failure.code, 'PROVIDER_TOKEN_INVALID');
  });
});

suite('what people and the provider do', () => {
  const types = [
    'text image video audio document sticker location contacts reaction button interactive order unsupported',
  ].flatMap((words) => words.split(' '));
  for (const type of types) {
    test(`${type} is received`, async () => {
      const before = told.inbound.length;
      const answered = told.statuses[0]!.providerMessageId;
      const context = { id: answered };
      await control.inbound({ from: customer, to: phoneNumberId, type, text: 'x', context });
      await hear();
      assert.equal(told.inbound.length, before + 1);
      assert.notEqual(told.inbound.at(-1)!.content.type, 'unknown');
    });
  }
  test('files people send can be fetched', async () => {
    const image = told.inbound.find(({ content }) => content.type === 'image')!.content;
    assert.ok('media' in image);
    const described = await provider.describeMedia(connection, image.media.providerMediaId);
    assert.ok(described.ok, JSON.stringify(described));
    let length = 0;
    const write = async (chunk: Buffer) => {
      length += chunk.length;
    };
    const sink = { maxBytes: 1_000_000, write };
    assert.ok((await provider.downloadMedia(connection, described.value.url, sink)).ok);
    assert.equal(length, described.value.sizeBytes);
  });
  test('stopping and resuming marketing', async () => {
    control.marketingPreference({ from: customer, to: phoneNumberId, value: 'stop' });
    await hear();
    control.marketingPreference({ from: customer, to: phoneNumberId, value: 'resume' });
    await hear();
    assert.deepEqual(
      told.userPreferences.map(({ value }) => value),
      ['stop', 'resume'],
    );
  });
  test('a template is made, listed, reviewed and removed', async () => {
    const template = {
      name: 'back_in_stock',
      language: 'en',
      category: 'UTILITY',
      parameterFormat: 'POSITIONAL' as const,
      components: [{ type: 'BODY', text: 'Your pot is back in stock.' }],
    };
    const created = await provider.createTemplate(connection, wabaId, template);
    assert.ok(created.ok, JSON.stringify(created));
    await hear();
    const update = told.templateUpdates.find(({ templateId }) => templateId === created.value.id);
    assert.equal(update?.kind === 'status' && update.event, 'APPROVED');
    const listed = await provider.listTemplates(connection, wabaId, null);
    assert.ok(listed.ok && listed.value.items.some(({ id }) => id === created.value.id));
    assert.ok((await provider.deleteTemplate(connection, wabaId, template.name)).ok);
  });
  test('numbers, profiles and subscriptions answer', async () => {
    const number = await provider.getPhoneNumber(connection, phoneNumberId);
    assert.equal(number.ok && number.value.status, 'CONNECTED');
    const listed = await provider.listPhoneNumbers(connection, wabaId, null);
    assert.equal(listed.ok && listed.value.items[0]!.id, phoneNumberId);
    assert.ok((await provider.updateBusinessProfile(connection, phoneNumberId, { about: 'Pots' })).ok);
    const profile = await provider.getBusinessProfile(connection, phoneNumberId);
    assert.equal(profile.ok && profile.value.about, 'Pots');
    assert.ok((await provider.subscribe(connection, wabaId)).ok);
    const subscribed = await provider.listSubscribedApps(connection, wabaId);
    assert.deepEqual(subscribed.ok && subscribed.value.apps, [{ appId: simulatorAppId, overrideUrl: null }]);
    const account = await provider.getWaba(connection, wabaId);
    assert.equal(account.ok && account.value.marketingMessages, 'ONBOARDED');
    const catalogs = await provider.listCatalogs(connection, wabaId);
    assert.deepEqual(catalogs.ok && catalogs.value.catalogIds, [sandboxCatalogId]);
    const key = await provider.getFlowKey(connection, phoneNumberId);
    assert.equal(key.ok && key.value.flowKey, 'VALID');
    assert.ok((await provider.blockUsers(connection, phoneNumberId, [`+${customer}`])).ok);
    assert.ok((await provider.unblockUsers(connection, phoneNumberId, [`+${customer}`])).ok);
  });
  test('what was counted and what became of a message is told', async () => {
    const sent = await provider.send(connection, {
      phoneNumberId,
      transport: 'cloud_api',
      recipient: { phone: '+4915112345678' },
      content: { type: 'template', template: { name: 'hello_world', language: 'en' } },
      mediaIds: new Map(),
      flowIds: new Map(),
      replyTo: null,
      opaque: 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V',
    });
    assert.ok(sent.ok, JSON.stringify(sent));
    await hear();
    const at = control.now();
    const span = { from: new Date(at.getTime() - 2 * 86_400_000), to: new Date(at.getTime() + 86_400_000) };
    const told = await provider.pricingAnalytics(connection, wabaId, span);
    assert.ok(told.ok, JSON.stringify(told));
    const german = told.value.counts.find(({ country }) => country === 'DE')!;
    assert.deepEqual(
      { ...german, cost: null },
      {
        day: at.toISOString().slice(0, 10),
        phoneNumber: '33180001000',
        country: 'DE',
        category: 'utility',
        type: 'regular',
        volume: 1,
        cost: null,
      },
    );
    assert.ok(german.cost! > 0);
    const history = await provider.messageHistory(connection, phoneNumberId, sent.value.providerMessageId);
    assert.deepEqual(history.ok && history.value.events.map(({ status }) => status), [
      'sent',
      'delivered',
      'read',
    ]);
    const strange = await provider.messageHistory(connection, phoneNumberId, 'wamid.nobody');
    assert.deepEqual(strange.ok && strange.value.events, []);
  });
});
