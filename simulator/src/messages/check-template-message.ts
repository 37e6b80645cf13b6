// The template object of a message, as far as it can be judged without the template itself.
import { location, media, productSections, retailerId } from '../http/common-shapes.ts';
import {
  anyCaseWords,
  anyObject,
  byWord,
  closed,
  list,
  maybe,
  numeric,
  type Shape,
  text,
  url,
  whole,
  words,
} from '../http/shape.ts';

const parameter = (type: string, fields: Record<string, Shape>) =>
  closed({ type: anyCaseWords(type), ...fields });
const fallback = text(0, 1024);

const parameters: Record<string, Shape> = {
  text: parameter('text', { text: text(1, 1024), parameter_name: maybe(text(1, 128)) }),
  currency: parameter('currency', {
    currency: closed({
      fallback_value: fallback,
      code: text(3, 3, /^[A-Z]{3}$/),
      amount_1000: whole(-1e15, 1e15),
    }),
    parameter_name: maybe(text(1, 128)),
  }),
  date_time: parameter('date_time', {
    date_time: closed({ fallback_value: fallback }),
    parameter_name: maybe(text(1, 128)),
  }),
  image: parameter('image', { image: media({}) }),
  video: parameter('video', { video: media({}) }),
  document: parameter('document', { document: media({ filename: maybe(text(1, 240)) }) }),
  location: parameter('location', { location }),
  product: parameter('product', {
    product: closed({ product_retailer_id: retailerId, catalog_id: text(1, 128) }),
  }),
  payload: parameter('payload', { payload: text(1, 256) }),
  coupon_code: parameter('coupon_code', { coupon_code: text(1, 20) }),
  limited_time_offer: parameter('limited_time_offer', {
    limited_time_offer: closed({ expiration_time_ms: whole(1, 1e15) }),
  }),
  tap_target_configuration: parameter('tap_target_configuration', {
    tap_target_configuration: list(closed({ url: url(), title: text(1, 60) }), 1, 1),
  }),
  ttl_minutes: parameter('ttl_minutes', { ttl_minutes: whole(1, 43_200) }),
  action: parameter('action', {
    action: closed({
      thumbnail_product_retailer_id: maybe(retailerId),
      sections: maybe(productSections(true)),
      flow_token: maybe(text(1, 1024)),
      flow_action_data: maybe(anyObject),
      order_details: maybe(anyObject),
    }),
  }),
};

const parameterList = list(byWord('type', parameters, true), 0, 100);
const index = numeric(0, 9);

const components: Record<string, Shape> = {
  header: closed({ type: anyCaseWords('header'), parameters: parameterList }),
  body: closed({ type: anyCaseWords('body'), parameters: parameterList }),
  button: closed({
    type: anyCaseWords('button'),
    sub_type: anyCaseWords(
      'quick_reply',
      'url',
      'copy_code',
      'catalog',
      'mpm',
      'flow',
      'order_details',
      'voice_call',
    ),
    index,
    parameters: maybe(parameterList),
  }),
  limited_time_offer: closed({ type: anyCaseWords('limited_time_offer'), parameters: parameterList }),
  tap_target_configuration: closed({
    type: anyCaseWords('tap_target_configuration'),
    parameters: parameterList,
  }),
};

const cardComponents = byWord(
  'type',
  { header: components.header!, body: components.body!, button: components.button! },
  true,
);
components.carousel = closed({
  type: anyCaseWords('carousel'),
  cards: list(closed({ card_index: whole(0, 9), components: list(cardComponents, 0, 12) }), 2, 10),
});

export const template = closed({
  name: text(1, 512, /^[a-z0-9_]+$/),
  language: closed({ code: text(2, 16), policy: maybe(words('deterministic')) }),
  components: maybe(list(byWord('type', components, true), 0, 20)),
});
