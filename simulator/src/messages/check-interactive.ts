// Interactive messages, every variant with its limits.
import { media, productSections, retailerId } from '../http/common-shapes.ts';
import {
  anyObject,
  byWord,
  closed,
  exactlyOne,
  invalid,
  list,
  maybe,
  type Shape,
  text,
  unique,
  url,
  type Wire,
  whole,
  words,
} from '../http/shape.ts';

const textHeader = closed({ type: words('text'), text: text(1, 60) });
const anyHeader = byWord('type', {
  text: textHeader,
  image: closed({ type: words('image'), image: media({}) }),
  video: closed({ type: words('video'), video: media({}) }),
  document: closed({ type: words('document'), document: media({ filename: maybe(text(1, 240)) }) }),
});
const body = (most = 1024) => closed({ text: text(1, most) });
const footer = maybe(closed({ text: text(0, 60) }));
const catalogId = text(1, 128);

const buttons = list(
  closed({ type: words('reply'), reply: closed({ id: text(1, 256), title: text(1, 20) }) }),
  1,
  3,
);

const row = closed({ id: text(1, 200), title: text(1, 24), description: maybe(text(0, 72)) });
const sections = list(closed({ title: maybe(text(0, 24)), rows: list(row, 1, 10) }), 1, 10);

const rowsOf = (value: Wire) => value.action.sections.flatMap((section: Wire) => section.rows);
const productsOf = (value: Wire) => value.action.sections.flatMap((section: Wire) => section.product_items);

function everySectionTitled(value: Wire, at: string): void {
  const { sections: all } = value.action;
  if (all.length > 1 && all.some(({ title }: Wire) => !title))
    throw invalid(`${at}.action.sections need a title each when there are several.`);
}

const flowParameters = closed(
  {
    flow_message_version: words('3'),
    flow_id: maybe(text(1, 64, /^\d+$/)),
    flow_name: maybe(text(1, 200)),
    flow_cta: text(1, 30),
    flow_token: maybe(text(1, 1024)),
    mode: maybe(words('published', 'draft')),
    flow_action: maybe(words('navigate', 'data_exchange')),
    flow_action_payload: maybe(closed({ screen: text(1, 256), data: maybe(anyObject) })),
  },
  (value, at) => {
    exactlyOne(value, at, 'flow_id', 'flow_name');
    if (value.flow_action === 'data_exchange' && value.flow_action_payload)
      throw invalid(`${at}.flow_action_payload goes only with navigate.`);
    const { data } = value.flow_action_payload ?? {};
    if (data && Object.keys(data).length === 0)
      throw invalid(`${at}.flow_action_payload.data must not be an empty object.`);
  },
);

const addressFields: Record<string, string[]> = {
  IN: [
    'name',
    'phone_number',
    'in_pin_code',
    'house_number',
    'floor_number',
    'tower_number',
    'building_name',
    'address',
    'landmark_area',
    'city',
    'state',
  ],
  SG: ['name', 'phone_number', 'sg_post_code', 'address', 'unit_number', 'city'],
};
const everyAddressField = Object.fromEntries(
  Object.values(addressFields)
    .flat()
    .map((name) => [name, maybe(text(0, 1024))]),
);
const addressValues = closed(everyAddressField);

const address = closed(
  {
    country: words('IN', 'SG'),
    values: maybe(addressValues),
    validation_errors: maybe(addressValues),
    saved_addresses: maybe(list(closed({ id: text(1, 128), value: addressValues }), 0, 10)),
  },
  (value, at) => {
    const given = [
      value.values,
      value.validation_errors,
      ...(value.saved_addresses ?? []).map((s: Wire) => s.value),
    ];
    const stray = given
      .flatMap((fields) => Object.keys(fields ?? {}))
      .find((name) => !addressFields[value.country]!.includes(name));
    if (stray) throw invalid(`${at}: "${stray}" is no field of an address in ${value.country}.`);
  },
);

const ctaAction = closed({
  name: words('cta_url'),
  parameters: closed({ display_text: text(1, 20), url: url() }),
});
const productAction = closed({ catalog_id: catalogId, product_retailer_id: retailerId });

const productCard = closed({ card_index: whole(0, 9), type: words('product'), action: productAction });
const mediaCard = (action: Shape) =>
  closed({
    card_index: whole(0, 9),
    // One word for both kinds of media card; it may be left out.
    type: maybe(words('cta_url')),
    header: byWord('type', {
      image: closed({ type: words('image'), image: closed({ link: url(2048) }) }),
      video: closed({ type: words('video'), video: closed({ link: url(2048) }) }),
    }),
    body: maybe(closed({ text: text(1, 160) })),
    action,
  });
const linkCard = mediaCard(ctaAction);
const quickReply = closed({
  type: words('quick_reply'),
  quick_reply: closed({ id: text(1, 256), title: text(1, 20) }),
});
const replyCard = mediaCard(closed({ buttons: list(quickReply, 1, 3) }));

const card: Shape = {
  judge(value, at) {
    const one = value as Wire;
    if (one?.type !== undefined) words('product', 'cta_url').judge(one.type, `${at}.type`);
    const shape = one?.type === 'product' ? productCard : one?.action?.buttons ? replyCard : linkCard;
    shape.judge(value, at);
  },
};

const quickRepliesOf = (one: Wire): Wire[] => one.action.buttons ?? [];

const makeOf = (one: Wire): string =>
  [one.type === 'product', one.action.catalog_id, one.header?.type, quickRepliesOf(one).length].join('/');

function alike(value: Wire, at: string): void {
  const { cards } = value.action;
  unique(
    cards.map((one: Wire) => one.card_index),
    `${at}.action.cards[].card_index`,
  );
  const makes = new Set(cards.map(makeOf));
  if (makes.size > 1)
    throw invalid(`${at}.action.cards must all be of one kind and catalog, with as many buttons each.`);
  unique(
    cards.flatMap(quickRepliesOf).map((button: Wire) => button.quick_reply.id),
    `${at}.action.cards[].action.buttons[].quick_reply.id`,
  );
  if (cards.some((one: Wire) => (one.body?.text.split('\n').length ?? 0) > 3))
    throw invalid(`${at}.action.cards[].body.text may have at most 2 line breaks.`);
}

const variant = (type: string, fields: Record<string, Shape>, also?: (value: Wire, at: string) => void) =>
  closed({ type: words(type), ...fields }, also);
const named = (name: string, more: Record<string, Shape> = {}) => closed({ name: words(name), ...more });

export const interactive = byWord('type', {
  button: variant(
    'button',
    { header: maybe(anyHeader), body: body(), footer, action: closed({ buttons }) },
    (value, at) => {
      const replies = value.action.buttons.map((button: Wire) => button.reply);
      unique(
        replies.map(({ id }: Wire) => id),
        `${at}.action.buttons[].reply.id`,
      );
      unique(
        replies.map(({ title }: Wire) => title),
        `${at}.action.buttons[].reply.title`,
      );
    },
  ),
  list: variant(
    'list',
    {
      header: maybe(textHeader),
      body: body(4096),
      footer,
      action: closed({ button: text(1, 20), sections }),
    },
    (value, at) => {
      everySectionTitled(value, at);
      const rows = rowsOf(value);
      if (rows.length > 10) throw invalid(`${at}.action.sections may have at most 10 rows in total.`);
      unique(
        rows.map(({ id }: Wire) => id),
        `${at}.action.sections[].rows[].id`,
      );
    },
  ),
  cta_url: variant('cta_url', { header: maybe(anyHeader), body: body(), footer, action: ctaAction }),
  location_request_message: variant('location_request_message', {
    body: body(),
    action: named('send_location'),
  }),
  product: variant('product', { body: maybe(body()), footer, action: productAction }),
  product_list: variant(
    'product_list',
    {
      header: textHeader,
      body: body(),
      footer,
      action: closed({ catalog_id: catalogId, sections: productSections(false) }),
    },
    (value, at) => {
      everySectionTitled(value, at);
      if (productsOf(value).length > 30)
        throw invalid(`${at}.action.sections may have at most 30 products in total.`);
    },
  ),
  catalog_message: variant('catalog_message', {
    body: body(),
    footer,
    action: named('catalog_message', {
      parameters: maybe(closed({ thumbnail_product_retailer_id: retailerId })),
    }),
  }),
  flow: variant('flow', {
    header: maybe(anyHeader),
    body: body(),
    footer,
    action: named('flow', { parameters: flowParameters }),
  }),
  address_message: variant('address_message', {
    header: maybe(anyHeader),
    body: body(),
    footer,
    action: named('address_message', { parameters: address }),
  }),
  carousel: variant('carousel', { body: body(), action: closed({ cards: list(card, 2, 10) }) }, alike),
  request_contact_info: variant('request_contact_info', {
    body: body(),
    action: named('request_contact_info'),
  }),
});
