// What a message can carry, as people write it: seventeen types, the parts of a template, the interactive variants.
// Messages, reusable contents and the provider's adapter speak of content in these shapes.
import { type Static, Type } from 'typebox';
import { Closed, NamedObject, Sid, Text, Word } from '../../platform/http/input/schema.ts';

const maybe = Type.Optional;
const list = <S extends Parameters<typeof Type.Array>[0]>(item: S, minItems: number, maxItems: number) =>
  Type.Array(item, { minItems, maxItems });
const Url = (maxLength: number) => Type.String({ format: 'uri', maxLength });
const TextMap = Type.Record(Type.String(), Text(1024));

const TextContent = NamedObject('TextContent', { body: Text(4096, 1), previewUrl: maybe(Type.Boolean()) });

const MediaContent = NamedObject('MediaContent', {
  sid: Sid('ME'),
  caption: maybe(Text(1024)),
  filename: maybe(Text(255, 1)),
  voice: maybe(Type.Boolean()),
});

const Latitude = Type.Number({ minimum: -90, maximum: 90 });
const Longitude = Type.Number({ minimum: -180, maximum: 180 });
const place = {
  latitude: Latitude,
  longitude: Longitude,
  name: maybe(Text(1000)),
  address: maybe(Text(1000)),
};
const LocationContent = NamedObject('LocationContent', place);

const ContactCard = NamedObject('ContactCard', {
  formattedName: Text(256, 1),
  firstName: maybe(Text(128)),
  lastName: maybe(Text(128)),
  phones: maybe(list(Closed({ value: Text(32, 1), type: maybe(Text(32)) }), 0, 20)),
  emails: maybe(list(Closed({ value: Text(320, 3), type: maybe(Text(32)) }), 0, 20)),
});
const ContactsContent = NamedObject('ContactsContent', { contacts: list(ContactCard, 1, 10) });

const ReactionContent = NamedObject('ReactionContent', { targetMessageId: Text(256, 1), emoji: Text(16) });

const ProductItem = NamedObject('ProductItem', { productRetailerId: Text(256, 1) });
const ProductSection = NamedObject('ProductSection', {
  title: Text(24, 1),
  productItems: list(ProductItem, 1, 30),
});

const productList = {
  catalogId: Text(128, 1),
  header: Text(60, 1),
  body: maybe(Text(1024)),
  footer: maybe(Text(60)),
  sections: list(ProductSection, 1, 10),
};
const address = {
  body: Text(1024, 1),
  country: Word('IN', 'SG'),
  values: maybe(TextMap),
  validationErrors: maybe(TextMap),
  savedAddresses: maybe(list(NamedObject('SavedAddress', { id: Text(128, 1), value: TextMap }), 0, 10)),
};
const carousel = {
  body: Text(1024, 1),
  cards: list(
    NamedObject('CarouselCard', {
      cardIndex: Type.Integer({ minimum: 0, maximum: 9 }),
      catalogId: Text(128, 1),
      productRetailerId: Text(256, 1),
    }),
    2,
    10,
  ),
};

/** A union told apart by one word, so that a wrong value gives the errors of the meant branch and no others. */
function branches<B extends Record<string, ReturnType<typeof Closed>>>(name: string, by: string, of: B) {
  return Type.Unsafe<Static<B[keyof B]>>({
    title: name,
    type: 'object',
    discriminator: { propertyName: by },
    oneOf: Object.values(of),
  });
}

const Interactive = branches('Interactive', 'subtype', {
  button: NamedObject('InteractiveButton', {
    subtype: Word('button'),
    body: Text(1024, 1),
    footer: maybe(Text(60)),
    buttons: list(Closed({ id: Text(256, 1), title: Text(20, 1) }), 1, 3),
  }),
  list: NamedObject('InteractiveList', {
    subtype: Word('list'),
    body: Text(1024, 1),
    footer: maybe(Text(60)),
    button: Text(20, 1),
    sections: list(
      Closed({
        title: maybe(Text(24)),
        rows: list(Closed({ id: Text(200, 1), title: Text(24, 1), description: maybe(Text(72)) }), 1, 10),
      }),
      1,
      10,
    ),
  }),
  cta_url: NamedObject('InteractiveCtaUrl', {
    subtype: Word('cta_url'),
    body: Text(1024, 1),
    displayText: Text(20, 1),
    url: Url(2048),
  }),
  location_request: NamedObject('InteractiveLocationRequest', {
    subtype: Word('location_request'),
    body: Text(1024, 1),
  }),
  product_list: NamedObject('InteractiveProductList', { subtype: Word('product_list'), ...productList }),
  address: NamedObject('InteractiveAddress', { subtype: Word('address'), ...address }),
  carousel: NamedObject('InteractiveCarousel', { subtype: Word('carousel'), ...carousel }),
});

export const TemplateParameter = branches('TemplateParameter', 'type', {
  text: NamedObject('TemplateParameterText', {
    type: Word('text'),
    text: Text(1024),
    parameterName: maybe(Text(128)),
  }),
  currency: NamedObject('TemplateParameterCurrency', {
    type: Word('currency'),
    fallbackValue: Text(1024),
    code: Text(3, 3),
    amount1000: Type.Integer(),
  }),
  date_time: NamedObject('TemplateParameterDateTime', { type: Word('date_time'), fallbackValue: Text(1024) }),
  payload: NamedObject('TemplateParameterPayload', { type: Word('payload'), payload: Text(256) }),
  image: NamedObject('TemplateParameterImage', { type: Word('image'), sid: Sid('ME') }),
  video: NamedObject('TemplateParameterVideo', { type: Word('video'), sid: Sid('ME') }),
  document: NamedObject('TemplateParameterDocument', {
    type: Word('document'),
    sid: Sid('ME'),
    filename: maybe(Text(255, 1)),
  }),
  location: NamedObject('TemplateParameterLocation', { type: Word('location'), ...place }),
  coupon_code: NamedObject('TemplateParameterCouponCode', {
    type: Word('coupon_code'),
    couponCode: Text(15, 1),
  }),
  limited_time_offer: NamedObject('TemplateParameterLimitedTimeOffer', {
    type: Word('limited_time_offer'),
    expirationTimeMs: Type.Integer({ minimum: 1 }),
  }),
  tap_target_configuration: NamedObject('TemplateParameterTapTarget', {
    type: Word('tap_target_configuration'),
    url: Url(2000),
    title: Text(60, 1),
  }),
  action: NamedObject('TemplateParameterAction', {
    type: Word('action'),
    thumbnailProductRetailerId: maybe(Text(256, 1)),
    sections: maybe(list(ProductSection, 1, 10)),
  }),
  product: NamedObject('TemplateParameterProduct', {
    type: Word('product'),
    catalogId: Text(256, 1),
    productRetailerId: Text(256, 1),
  }),
});
export type TemplateParameter = Static<typeof TemplateParameter>;

export const TemplateComponent = NamedObject('TemplateComponent', {
  type: Word('header', 'body', 'button', 'limited_time_offer', 'tap_target_configuration'),
  subType: maybe(Word('quick_reply', 'url', 'copy_code', 'otp', 'catalog', 'flow', 'mpm', 'spm')),
  index: maybe(Type.Integer({ minimum: 0, maximum: 9 })),
  parameters: maybe(Type.Array(TemplateParameter)),
});
export type TemplateComponent = Static<typeof TemplateComponent>;

const TemplateContent = NamedObject('TemplateContent', {
  name: Text(512, 1),
  language: Text(16, 2),
  components: maybe(Type.Array(TemplateComponent)),
});

/** The objects of which a message carries the one its type names; `media` serves five types. */
export const contentObjects = {
  text: TextContent,
  template: TemplateContent,
  media: MediaContent,
  location: LocationContent,
  contacts: ContactsContent,
  reaction: ReactionContent,
  interactive: Interactive,
  product: NamedObject('ProductContent', {
    catalogId: Text(128, 1),
    productRetailerId: Text(256, 1),
    body: maybe(Text(1024)),
    footer: maybe(Text(60)),
  }),
  catalog: NamedObject('CatalogContent', {
    catalogId: Text(128, 1),
    body: Text(1024, 1),
    footer: maybe(Text(60)),
    thumbnailProductRetailerId: maybe(Text(256, 1)),
  }),
  flow: NamedObject('FlowContent', {
    flowSid: Sid('FL'),
    body: Text(1024, 1),
    ctaText: Text(20, 1),
    action: maybe(Word('navigate', 'data_exchange')),
    screen: maybe(Text(128, 1)),
    data: maybe(Type.Record(Type.String(), Type.Unknown())),
  }),
  // Alone, each of these may still say which variant it is.
  productList: NamedObject('ProductList', { subtype: maybe(Word('product_list')), ...productList }),
  address: NamedObject('Address', { subtype: maybe(Word('address')), ...address }),
  carousel: NamedObject('Carousel', { subtype: maybe(Word('carousel')), ...carousel }),
};
export type ContentObjects = { [K in keyof typeof contentObjects]: Static<(typeof contentObjects)[K]> };
export type ContentField = keyof ContentObjects;

/** Which object goes with which type. */
export const fieldOfType = {
  text: 'text',
  template: 'template',
  image: 'media',
  video: 'media',
  audio: 'media',
  document: 'media',
  sticker: 'media',
  location: 'location',
  contacts: 'contacts',
  reaction: 'reaction',
  interactive: 'interactive',
  product: 'product',
  catalog: 'catalog',
  flow: 'flow',
  product_list: 'productList',
  address: 'address',
  carousel: 'carousel',
} as const satisfies Record<string, ContentField>;
export type ContentType = keyof typeof fieldOfType;
export const contentTypes = Object.keys(fieldOfType) as ContentType[];

/** One content: its type and the object of that type. */
export type Content = {
  [T in ContentType]: { type: T } & Pick<ContentObjects, (typeof fieldOfType)[T]>;
}[ContentType];
