// A message of ours as the body of the provider's request.
import type {
  Content,
  ContentObjects,
  ContentType,
  OutboundMessage,
} from '../../../modules/provider/index.ts';
import { address, carousel, catalog, flow, interactive, product, productList } from './interactive.ts';
import { type Names, namesOf } from './names.ts';
import { template } from './template.ts';

type Of<T extends ContentType> = Extract<Content, { type: T }>;
/** The wire's type and the object of that type. */
type Built = Record<string, unknown> & { type: string };
type Builder<T extends ContentType> = (content: Of<T>, names: Names, token: string) => Built;

const asInteractive = (object: object): Built => ({ type: 'interactive', interactive: object });

const builders: { [T in ContentType]: Builder<T> } = {
  text: ({ text: { body, previewUrl } }) => ({
    type: 'text',
    text: { body, ...(previewUrl !== undefined && { preview_url: previewUrl }) },
  }),
  template: (content, names, token) => ({
    type: 'template',
    template: template(content.template, names, token),
  }),
  image: ({ media }, names) => ({ type: 'image', image: { ...fileOf(media, names), ...captionOf(media) } }),
  video: ({ media }, names) => ({ type: 'video', video: { ...fileOf(media, names), ...captionOf(media) } }),
  audio: ({ media }, names) => ({
    type: 'audio',
    audio: { ...fileOf(media, names), ...(media.voice && { voice: true }) },
  }),
  document: ({ media }, names) => ({
    type: 'document',
    document: {
      ...fileOf(media, names),
      ...captionOf(media),
      ...(media.filename && { filename: media.filename }),
    },
  }),
  sticker: ({ media }, names) => ({ type: 'sticker', sticker: fileOf(media, names) }),
  location: ({ location: { latitude, longitude, name, address: street } }) => ({
    type: 'location',
    location: { latitude, longitude, ...(name && { name }), ...(street && { address: street }) },
  }),
  contacts: ({ contacts }) => ({ type: 'contacts', contacts: contacts.contacts.map(cardOf) }),
  reaction: ({ reaction: { targetMessageId, emoji } }) => ({
    type: 'reaction',
    reaction: { message_id: targetMessageId, emoji },
  }),
  interactive: (content) => asInteractive(interactive(content.interactive)),
  product: (content) => asInteractive(product(content.product)),
  catalog: (content) => asInteractive(catalog(content.catalog)),
  flow: (content, names, token) => asInteractive(flow(content.flow, names.flow(content.flow.flowSid), token)),
  product_list: (content) => asInteractive(productList(content.productList)),
  address: (content) => asInteractive(address(content.address)),
  carousel: (content) => asInteractive(carousel(content.carousel)),
};

type Media = ContentObjects['media'];
const fileOf = ({ sid }: Media, names: Names) => ({ id: names.media(sid) });
const captionOf = ({ caption }: Media) => (caption ? { caption } : {});

type Card = ContentObjects['contacts']['contacts'][number];

function cardOf({ formattedName, firstName, lastName, phones = [], emails = [] }: Card): object {
  const typeOf = (type: string | undefined) => (type ? { type: type.toUpperCase() } : {});
  return {
    name: {
      formatted_name: formattedName,
      // The provider has asked for a second part of the name at times, and never minds one.
      first_name: firstName || formattedName,
      ...(lastName && { last_name: lastName }),
    },
    ...(phones.length > 0 && {
      phones: phones.map(({ value, type }) => ({ phone: value, ...typeOf(type) })),
    }),
    ...(emails.length > 0 && {
      emails: emails.map(({ value, type }) => ({ email: value, ...typeOf(type) })),
    }),
  };
}

export function messageBody(message: OutboundMessage): object {
  const { content, recipient, replyTo, opaque, transport } = message;
  const build = builders[content.type] as Builder<ContentType>;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // Without a plus sign the provider may put the business's own country code in front.
    ...('phone' in recipient ? { to: withPlus(recipient.phone) } : { recipient: recipient.bsuid }),
    ...build(content as never, namesOf(message), opaque),
    ...(replyTo !== null && content.type !== 'reaction' && { context: { message_id: replyTo } }),
    // What was asked for or nothing: the provider's default would quietly send, and charge, another way.
    ...(transport === 'marketing_messages' && { product_policy: 'STRICT' }),
    biz_opaque_callback_data: opaque,
  };
}

const withPlus = (phone: string) => (phone.startsWith('+') ? phone : `+${phone}`);
