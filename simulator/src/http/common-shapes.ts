// Parts that several kinds of message share.
import { closed, exactlyOne, list, maybe, maybeNull, numeric, type Shape, text, url } from './shape.ts';

export const messageId = text(1, 512, /^wamid\./);
const mediaId = text(1, 64, /^\d+$/);

/** Media by id or by link, never both. */
export const media = (more: Record<string, Shape>): Shape =>
  closed({ id: maybe(mediaId), link: maybe(url(2048)), ...more }, (value, at) =>
    exactlyOne(value, at, 'id', 'link'),
  );

export const location = closed({
  latitude: numeric(-90, 90),
  longitude: numeric(-180, 180),
  name: maybe(text(0, 1000)),
  address: maybe(text(0, 1000)),
});

// Clients that write every field of a card leave the empty ones null.
const short = maybeNull(text(0, 256));
const kind = maybeNull(text(0, 64));

const card = closed({
  name: closed({
    formatted_name: text(1, 256),
    first_name: short,
    last_name: short,
    middle_name: short,
    suffix: short,
    prefix: short,
  }),
  phones: maybeNull(
    list(
      closed({ phone: maybeNull(text(1, 64)), type: kind, wa_id: maybeNull(text(1, 32, /^\d+$/)) }),
      0,
      20,
    ),
  ),
  emails: maybeNull(list(closed({ email: text(1, 320), type: kind }), 0, 20)),
  addresses: maybeNull(
    list(
      closed({
        street: short,
        city: short,
        state: short,
        zip: short,
        country: short,
        country_code: short,
        type: kind,
      }),
      0,
      20,
    ),
  ),
  org: maybeNull(closed({ company: short, department: short, title: short })),
  urls: maybeNull(list(closed({ url: text(1, 2000), type: kind }), 0, 20)),
  birthday: maybeNull(text(1, 10, /^\d{4}-\d{2}-\d{2}$/)),
});

// The provider's prose says 257, its machine-readable description 5; here the prose counts.
export const contacts = list(card, 1, 257);

export const retailerId = text(1, 256);
export const productSections = (titleRequired: boolean): Shape =>
  list(
    closed({
      title: titleRequired ? text(1, 24) : maybe(text(0, 24)),
      product_items: list(closed({ product_retailer_id: retailerId }), 1, 30),
    }),
    1,
    10,
  );
