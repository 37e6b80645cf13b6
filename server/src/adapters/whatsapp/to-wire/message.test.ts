import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Content, contentTypes, type OutboundMessage } from '../../../modules/provider/index.ts';
import { messageBody } from './message.ts';

const image = 'ME01J9ZK3V7T8Q2M4N6P8R0S2T4V';
const survey = 'FL01J9ZK3V7T8Q2M4N6P8R0S2T4V';
const opaque = 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V';

const message = (content: Content, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  phoneNumberId: '106000300040005',
  transport: 'cloud_api',
  recipient: { phone: '+33612003400' },
  content,
  mediaIds: new Map([[image, '1402220011330044']]),
  flowIds: new Map([[survey, '990077665544331']]),
  replyTo: null,
  opaque,
  ...more,
});

/** The body without what every message has. */
function built(content: Content): Record<string, unknown> {
  const { messaging_product, recipient_type, to, biz_opaque_callback_data, ...rest } = messageBody(
    message(content),
  ) as Record<string, unknown>;
  return rest;
}

const catalogId = '880011223344556';
const sections = [{ title: 'Pots', productItems: [{ productRetailerId: 'sku-17' }] }];
const wireSections = [{ title: 'Pots', product_items: [{ product_retailer_id: 'sku-17' }] }];
const addressOf = { body: 'Where shall we deliver?', country: 'IN' as const, values: { name: 'Asha' } };
const wireAddress = {
  type: 'address_message',
  body: { text: 'Where shall we deliver?' },
  action: { name: 'address_message', parameters: { country: 'IN', values: { name: 'Asha' } } },
};
const cards = [0, 1].map((cardIndex) => ({ cardIndex, catalogId, productRetailerId: `sku-${cardIndex}` }));
const wireCarousel = {
  type: 'carousel',
  body: { text: 'New this week' },
  action: {
    cards: [0, 1].map((index) => ({
      card_index: index,
      type: 'product',
      action: { catalog_id: catalogId, product_retailer_id: `sku-${index}` },
    })),
  },
};
const productListOf = { catalogId, header: 'Spring', body: 'Picked for you', sections };
const wireProductList = {
  type: 'product_list',
  header: { type: 'text', text: 'Spring' },
  body: { text: 'Picked for you' },
  action: { catalog_id: catalogId, sections: wireSections },
};

const simple: { content: Content; wire: object }[] = [
  {
    content: { type: 'text', text: { body: 'Hello', previewUrl: true } },
    wire: { type: 'text', text: { body: 'Hello', preview_url: true } },
  },
  {
    content: { type: 'template', template: { name: 'hello_world', language: 'en_US' } },
    wire: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
  },
  {
    content: { type: 'image', media: { sid: image, caption: 'Front view', filename: 'a.jpg', voice: true } },
    wire: { type: 'image', image: { id: '1402220011330044', caption: 'Front view' } },
  },
  {
    content: { type: 'video', media: { sid: image, caption: 'Unboxing' } },
    wire: { type: 'video', video: { id: '1402220011330044', caption: 'Unboxing' } },
  },
  {
    content: { type: 'audio', media: { sid: image, voice: true, caption: 'never' } },
    wire: { type: 'audio', audio: { id: '1402220011330044', voice: true } },
  },
  {
    content: { type: 'document', media: { sid: image, filename: 'invoice-77.pdf', caption: 'Invoice 77' } },
    wire: {
      type: 'document',
      document: { id: '1402220011330044', caption: 'Invoice 77', filename: 'invoice-77.pdf' },
    },
  },
  {
    content: { type: 'sticker', media: { sid: image, caption: 'never' } },
    wire: { type: 'sticker', sticker: { id: '1402220011330044' } },
  },
  {
    content: {
      type: 'location',
      location: { latitude: 45.764, longitude: 4.8357, name: 'Depot', address: '1 quai Demo, Lyon' },
    },
    wire: {
      type: 'location',
      location: { latitude: 45.764, longitude: 4.8357, name: 'Depot', address: '1 quai Demo, Lyon' },
    },
  },
  {
    content: {
      type: 'contacts',
      contacts: {
        contacts: [
          {
            formattedName: 'Ines Moreau',
            lastName: 'Moreau',
            phones: [{ value: '+33612003499', type: 'work' }],
            emails: [{ value: 'ines@depot.example' }],
          },
        ],
      },
    },
    wire: {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ines Moreau', first_name: 'Ines Moreau', last_name: 'Moreau' },
          phones: [{ phone: '+33612003499', type: 'WORK' }],
          emails: [{ email: 'ines@depot.example' }],
        },
      ],
    },
  },
  {
    content: { type: 'reaction', reaction: { targetMessageId: 'wamid.OUT', emoji: '' } },
    wire: { type: 'reaction', reaction: { message_id: 'wamid.OUT', emoji: '' } },
  },
  {
    content: {
      type: 'interactive',
      interactive: {
        subtype: 'button',
        body: 'When may we come?',
        footer: 'Depot SA',
        buttons: [{ id: 'am', title: 'Morning' }],
      },
    },
    wire: {
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'When may we come?' },
        footer: { text: 'Depot SA' },
        action: { buttons: [{ type: 'reply', reply: { id: 'am', title: 'Morning' } }] },
      },
    },
  },
  {
    content: { type: 'product', product: { catalogId, productRetailerId: 'sku-17', body: 'Back in stock' } },
    wire: {
      type: 'interactive',
      interactive: {
        type: 'product',
        body: { text: 'Back in stock' },
        action: { catalog_id: catalogId, product_retailer_id: 'sku-17' },
      },
    },
  },
  {
    content: {
      type: 'catalog',
      catalog: { catalogId, body: 'Our catalogue', thumbnailProductRetailerId: 'sku-17' },
    },
    wire: {
      type: 'interactive',
      interactive: {
        type: 'catalog_message',
        body: { text: 'Our catalogue' },
        action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'sku-17' } },
      },
    },
  },
  {
    content: {
      type: 'flow',
      flow: {
        flowSid: survey,
        body: 'Book a visit',
        ctaText: 'Book',
        screen: 'SLOT',
        data: { city: 'Lyon' },
      },
    },
    wire: {
      type: 'interactive',
      interactive: {
        type: 'flow',
        body: { text: 'Book a visit' },
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_id: '990077665544331',
            flow_cta: 'Book',
            flow_token: opaque,
            mode: 'published',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'SLOT', data: { city: 'Lyon' } },
          },
        },
      },
    },
  },
  {
    content: { type: 'product_list', productList: productListOf },
    wire: { type: 'interactive', interactive: wireProductList },
  },
  {
    content: { type: 'address', address: addressOf },
    wire: { type: 'interactive', interactive: wireAddress },
  },
  {
    content: { type: 'carousel', carousel: { body: 'New this week', cards } },
    wire: { type: 'interactive', interactive: wireCarousel },
  },
];

suite('a message on the wire', () => {
  for (const { content, wire } of simple) {
    test(`${content.type} is written as the provider reads it`, () => {
      assert.deepEqual(built(content), wire);
    });
  }
  test('every type is tried here', () => {
    assert.deepEqual(simple.map(({ content }) => content.type).sort(), contentTypes.toSorted());
  });
  test('a reply quotes its message, and a reaction never does', () => {
    const replyTo = 'wamid.IN';
    const text = messageBody(message(simple[0]!.content, { replyTo })) as Record<string, unknown>;
    assert.deepEqual(text.context, { message_id: replyTo });
    const reaction = simple.find(({ content }) => content.type === 'reaction')!.content;
    assert.ok(!('context' in messageBody(message(reaction, { replyTo }))));
  });
  test('our SID goes along, and the number always has its plus sign', () => {
    const body = messageBody(message(simple[0]!.content, { recipient: { phone: '33612003400' } }));
    assert.partialDeepStrictEqual(body, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+33612003400',
      biz_opaque_callback_data: opaque,
    });
  });
  test('a BSUID takes the place of the number', () => {
    const body = messageBody(
      message(simple[0]!.content, { recipient: { bsuid: 'FR.48120077310552911' } }),
    ) as Record<string, unknown>;
    assert.equal(body.recipient, 'FR.48120077310552911');
    assert.ok(!('to' in body));
  });
  test('a marketing message is sent as one or not at all', () => {
    const body = messageBody(message(simple[1]!.content, { transport: 'marketing_messages' }));
    assert.partialDeepStrictEqual(body, { product_policy: 'STRICT' });
  });
  test('media nobody has uploaded cannot be sent', () => {
    const content: Content = { type: 'image', media: { sid: 'ME01J9ZK3V7T8Q2M4N6P8R0S2T4W' } };
    assert.throws(() => messageBody(message(content)), { name: 'NameMissing' });
  });
});

type Interactive = Extract<Content, { type: 'interactive' }>['interactive'];
const interactive = (content: Interactive) =>
  built({ type: 'interactive', interactive: content }).interactive as Record<string, unknown>;

suite('an interactive message on the wire', () => {
  test('a list gives every section a title', () => {
    const rows = [{ id: 'm9', title: '09:00', description: 'Ground floor only' }];
    assert.deepEqual(
      interactive({ subtype: 'list', body: 'Choose a slot', button: 'Slots', sections: [{ rows }] }),
      {
        type: 'list',
        body: { text: 'Choose a slot' },
        action: { button: 'Slots', sections: [{ title: 'Slots', rows }] },
      },
    );
  });
  test('a link has its button', () => {
    const url = 'https://track.example/p/77';
    assert.deepEqual(interactive({ subtype: 'cta_url', body: 'See your order', displayText: 'Open', url }), {
      type: 'cta_url',
      body: { text: 'See your order' },
      action: { name: 'cta_url', parameters: { display_text: 'Open', url } },
    });
  });
  test('a request for a location', () => {
    assert.deepEqual(interactive({ subtype: 'location_request', body: 'Where are you?' }), {
      type: 'location_request_message',
      body: { text: 'Where are you?' },
      action: { name: 'send_location' },
    });
  });
  test('products, addresses and carousels are the same as under their own types', () => {
    assert.deepEqual(interactive({ subtype: 'product_list', ...productListOf }), wireProductList);
    assert.deepEqual(interactive({ subtype: 'address', ...addressOf }), wireAddress);
    assert.deepEqual(interactive({ subtype: 'carousel', body: 'New this week', cards }), wireCarousel);
  });
  test('a list of products without a body says its header', () => {
    const { body, ...without } = productListOf;
    assert.deepEqual(interactive({ subtype: 'product_list', ...without }).body, { text: 'Spring' });
  });
  test('a flow that asks its endpoint starts on no screen, and empty data is left out', () => {
    const flow = { flowSid: survey, body: 'Book', ctaText: 'Book', data: {} };
    const parametersOf = (content: Content) => {
      const wire = built(content).interactive as { action: { parameters: Record<string, unknown> } };
      return wire.action.parameters;
    };
    const asking = parametersOf({ type: 'flow', flow: { ...flow, action: 'data_exchange', screen: 'A' } });
    assert.equal(asking.flow_action, 'data_exchange');
    assert.ok(!('flow_action_payload' in asking));
    assert.ok(!('flow_action_payload' in parametersOf({ type: 'flow', flow })));
  });
});
