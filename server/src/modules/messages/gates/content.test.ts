import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { sandboxCatalogId } from '@godwit/simulator';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { deskOf } from '../../../../test/harness/inboxes.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { newSid } from '../../../platform/ids.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { insertReadyMedia } from '../../media/fixtures.ts';
import { type ContentType, fieldOfType } from '../../provider/index.ts';

const sid = (prefix: string) => `${prefix}01J9ZK3V7T8Q2M4N6P8R0S2T4V`;

let app: TestApp;
/** Somebody who wrote a moment ago, and the sender they wrote to. */
let way: { from: string; to: string };
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  way = await inConversation();
});

async function inConversation(phone = newPhone()) {
  const desk = deskOf(app);
  const from = await desk.sender();
  await desk.hears(from, phone.slice(1));
  return { from, to: phone };
}

type Detail = { path: string };
const refusalOf = (error: { code: string; details?: Detail[] }) => [
  error.code,
  (error.details ?? []).map(({ path }) => path),
];

/** What preflight says and what sending answers, which must be the same. */
async function verdict(body: object) {
  const asked = (await app.post(`${app.at}/messages/preflight`, { ...way, ...body })).body;
  const { status, body: tried, text } = await app.post(`${app.at}/messages`, { ...way, ...body });
  if (asked.accepted) {
    assert.equal(status, 201, text);
    return null;
  }
  assert.deepEqual(refusalOf(asked.error), refusalOf(tried.error));
  const failing = asked.checks.find(({ outcome }: { outcome: string }) => outcome === 'fail');
  return [failing.gate, ...refusalOf(tried.error)];
}

/** The same content given in the message and stored before. */
async function bothWays(type: ContentType, object: object) {
  const given = { type, [fieldOfType[type]]: object };
  const stored = await app.post(`${app.at}/contents`, { name: 'Stored', ...given });
  assert.equal(stored.status, 201, stored.text);
  return [given, { contentSid: stored.body.sid as string }];
}

const wrong: [title: string, type: ContentType, object: object, paths: string[]][] = [
  ['a caption on a sticker', 'sticker', { sid: sid('ME'), caption: 'x' }, ['media.caption']],
  ['a file name on an image', 'image', { sid: sid('ME'), filename: 'x.png' }, ['media.filename']],
  ['a voice video', 'video', { sid: sid('ME'), voice: true }, ['media.voice']],
  [
    'two buttons of one id',
    'interactive',
    {
      subtype: 'button',
      body: 'b',
      buttons: [
        { id: 'a', title: 'A' },
        { id: 'a', title: 'B' },
      ],
    },
    ['interactive.buttons'],
  ],
  [
    'eleven rows over two sections',
    'interactive',
    {
      subtype: 'list',
      body: 'b',
      button: 'Go',
      sections: [0, 1].map((section) => ({
        title: `s${section}`,
        rows: Array.from({ length: 6 }, (_, row) => ({ id: `${section}-${row}`, title: `r${row}` })),
      })),
    },
    ['interactive.sections'],
  ],
  [
    'a section without a title beside another',
    'interactive',
    {
      subtype: 'list',
      body: 'b',
      button: 'Go',
      sections: [{ title: 's', rows: [{ id: '1', title: 'r' }] }, { rows: [{ id: '2', title: 'r' }] }],
    },
    ['interactive.sections[1].title'],
  ],
  [
    'thirty-one products over two sections',
    'product_list',
    {
      catalogId: 'c',
      header: 'h',
      sections: [16, 15].map((count) => ({
        title: 't',
        productItems: Array.from({ length: count }, (_, at) => ({ productRetailerId: `p${at}` })),
      })),
    },
    ['productList.sections'],
  ],
  [
    'cards of two catalogs with one index',
    'carousel',
    {
      body: 'b',
      cards: ['a', 'b'].map((catalogId) => ({ cardIndex: 0, catalogId, productRetailerId: 'p' })),
    },
    ['carousel.cards', 'carousel.cards'],
  ],
  [
    'a screen for a flow that asks for its data',
    'flow',
    { flowSid: sid('FL'), body: 'b', ctaText: 'Go', action: 'data_exchange', screen: 'S', data: { a: 1 } },
    ['flow.screen', 'flow.data'],
  ],
  [
    'empty data for a flow',
    'flow',
    { flowSid: sid('FL'), body: 'b', ctaText: 'Go', data: {} },
    ['flow.data'],
  ],
  ['a reaction that is also a reply', 'reaction', { targetMessageId: 'wamid.x', emoji: '👍' }, ['context']],
  [
    'a file name longer than the provider takes',
    'document',
    { sid: sid('ME'), filename: `${'x'.repeat(237)}.pdf` },
    ['media.filename'],
  ],
  [
    'a long file name in the header of a template',
    'template',
    {
      name: 'hello_world',
      language: 'en',
      components: [
        {
          type: 'header',
          parameters: [{ type: 'document', sid: sid('ME'), filename: 'ü'.repeat(241) }],
        },
      ],
    },
    ['template.components[0].parameters[0].filename'],
  ],
];

const fits: [title: string, type: ContentType, object: object][] = [
  [
    'ten rows over two sections',
    'interactive',
    {
      subtype: 'list',
      body: 'b',
      button: 'Go',
      sections: [0, 1].map((section) => ({
        title: `s${section}`,
        rows: Array.from({ length: 5 }, (_, row) => ({ id: `${section}-${row}`, title: `r${row}` })),
      })),
    },
  ],
  [
    'thirty products over two sections',
    'product_list',
    {
      catalogId: sandboxCatalogId,
      header: 'h',
      sections: [0, 1].map((section) => ({
        title: `s${section}`,
        productItems: Array.from({ length: 15 }, (_, at) => ({ productRetailerId: `p${at}` })),
      })),
    },
  ],
];

suite('what the provider asks beyond the contract', () => {
  for (const [title, type, object, paths] of wrong) {
    test(`${title}: refused at its path, given or stored, asked or sent`, async () => {
      const context = type === 'reaction' ? { context: { providerMessageId: 'wamid.y' } } : {};
      for (const content of await bothWays(type, object)) {
        assert.deepEqual(await verdict({ ...content, ...context }), ['content', 'VALIDATION_ERROR', paths]);
      }
    });
  }
  for (const [title, type, object] of fits) {
    test(`${title} are sent, given or stored`, async () => {
      for (const content of await bothWays(type, object)) assert.equal(await verdict(content), null);
    });
  }
});

suite('a catalog', () => {
  const item = { productRetailerId: 'sku-17' };
  const sections = [{ title: 'Pots', productItems: [item] }];
  const cards = (catalogId: string) => [0, 1].map((cardIndex) => ({ cardIndex, catalogId, ...item }));
  const naming = (catalogId: string): [ContentType, object, paths: string[]][] => [
    ['catalog', { catalogId, body: 'All of it' }, ['catalog.catalogId']],
    ['product', { catalogId, ...item }, ['product.catalogId']],
    ['product_list', { catalogId, header: 'h', sections }, ['productList.catalogId']],
    ['interactive', { subtype: 'product_list', catalogId, header: 'h', sections }, ['interactive.catalogId']],
    [
      'carousel',
      { body: 'b', cards: cards(catalogId) },
      ['carousel.cards[0].catalogId', 'carousel.cards[1].catalogId'],
    ],
    [
      'interactive',
      { subtype: 'carousel', body: 'b', cards: cards(catalogId) },
      ['interactive.cards[0].catalogId', 'interactive.cards[1].catalogId'],
    ],
  ];

  test('must be the one connected to the sender, whatever shows it', async () => {
    for (const [type, object, paths] of naming('123')) {
      for (const content of await bothWays(type, object)) {
        assert.deepEqual(await verdict(content), ['content', 'VALIDATION_ERROR', paths]);
      }
    }
    for (const [type, object] of naming(sandboxCatalogId)) {
      for (const content of await bothWays(type, object)) assert.equal(await verdict(content), null);
    }
  });

  test('cannot be shown where none is connected, and is not judged where nobody knows', async () => {
    const { from } = way;
    const connect = (catalogIds: string[] | null) =>
      app.sql('update wabas set catalog_ids = $2 where sid = (select waba_sid from senders where sid = $1)', [
        from,
        catalogIds,
      ]);
    const content = { type: 'catalog', catalog: { catalogId: '123', body: 'All of it' } };
    await connect([]);
    assert.deepEqual(await verdict(content), ['content', 'CAPABILITY_UNAVAILABLE', ['catalog.catalogId']]);
    await connect(null);
    assert.equal(await verdict(content), null);
    await connect([sandboxCatalogId]);
  });
});

suite('a reaction', () => {
  const reaction = (targetMessageId: string) => bothWays('reaction', { targetMessageId, emoji: '👍' });

  test('to a message that is not there is refused as a reply to it is', async () => {
    const unknown = newSid('SM', app.clock.now());
    for (const content of await reaction(unknown)) {
      assert.deepEqual(await verdict(content), ['content', 'NOT_FOUND', ['reaction.targetMessageId']]);
    }
    const reply = { type: 'text', text: { body: 'x' }, context: { replyToMessageId: unknown } };
    assert.deepEqual(await verdict(reply), ['content', 'NOT_FOUND', ['context.replyToMessageId']]);
  });

  test("to another account's message is refused", async () => {
    const { accountSid, sandboxKey } = await app.newAccount();
    const key = { authorization: `Bearer ${sandboxKey}` };
    const at = `/v1/accounts/${accountSid}`;
    const foreign = await app.post(
      `${at}/messages`,
      {
        from: (await app.get(`${at}/senders`, key)).body.data[0].sid,
        to: newPhone(),
        type: 'template',
        template: { name: 'hello_world', language: 'en' },
      },
      key,
    );
    const [content] = await reaction(foreign.body.sid);
    assert.deepEqual(await verdict(content!), ['content', 'NOT_FOUND', ['reaction.targetMessageId']]);
  });

  test("to a message of the account, or by the provider's own name, is sent", async () => {
    const { body } = await app.post(`${app.at}/messages`, { ...way, type: 'text', text: { body: 'Hello' } });
    for (const content of await reaction(body.sid)) assert.equal(await verdict(content), null);
    for (const content of await reaction('wamid.HBgL')) assert.equal(await verdict(content), null);
  });
});

test('an address is asked of people in its country only, whichever way it is written', async () => {
  const asked = { body: 'Where to?', country: 'IN' };
  const contents = [
    ...(await bothWays('address', asked)).map((content) => [content, 'address.country'] as const),
    ...(await bothWays('interactive', { subtype: 'address', ...asked })).map(
      (content) => [content, 'interactive.country'] as const,
    ),
  ];
  const indian = await inConversation('+919812345678');
  for (const [content, path] of contents) {
    assert.deepEqual(await verdict(content), ['destination', 'VALIDATION_ERROR', [path]]);
    assert.equal(await verdict({ ...content, ...indian }), null);
  }
});

suite('a file', () => {
  const days = (count: number) => new Date(app.clock.now().getTime() + count * 86_400_000);
  const file = (type: string, mimeType: string) =>
    insertReadyMedia(app, { accountSid: app.accountSid, type, mimeType, days: 10 });

  test('that expires before the message is due is refused', async () => {
    const media = { sid: await file('IMAGE', 'image/png') };
    const rest = { type: 'image', media };
    const template = {
      type: 'template',
      template: {
        name: 'hello_world',
        language: 'en',
        components: [{ type: 'header', parameters: [{ type: 'image', sid: media.sid }] }],
      },
    };
    assert.equal(await verdict({ ...rest }), null);
    const late = { sendAt: days(11).toISOString() };
    assert.deepEqual(await verdict({ ...rest, ...late }), ['content', 'MEDIA_REJECTED', ['media.sid']]);
    const path = 'template.components[0].parameters[0].sid';
    assert.deepEqual(await verdict({ ...template, ...late }), ['content', 'MEDIA_REJECTED', [path]]);
  });

  test('goes as what it is: a picture is no document', async () => {
    const picture = { sid: await file('IMAGE', 'image/png') };
    const pdf = { sid: await file('DOCUMENT', 'application/pdf'), filename: `${'x'.repeat(236)}.pdf` };
    assert.deepEqual(await verdict({ type: 'document', media: picture }), [
      'content',
      'VALIDATION_ERROR',
      ['media.sid'],
    ]);
    assert.equal(await verdict({ type: 'document', media: pdf }), null);
  });
});
