// One good message of every kind, to be sent as it is or spoilt.
import type { Wire } from '../src/http/shape.ts';

const link = 'https://img.example/a.jpg';
const catalog_id = '880011223344556';
const body = { text: 'When may we come?' };
const interactive = (variant: object): Wire => ({ type: 'interactive', interactive: { body, ...variant } });
const cta = (url: string) => ({ name: 'cta_url', parameters: { display_text: 'Open', url } });

export const sampleMessages: Record<string, Wire> = {
  text: {
    type: 'text',
    text: { body: 'Your parcel left Lyon: https://track.example/p/77', preview_url: true },
  },
  image: { type: 'image', image: { link, caption: 'Front view' } },
  video: { type: 'video', video: { link, caption: 'Unboxing' } },
  audio: { type: 'audio', audio: { link } },
  voice: { type: 'audio', audio: { link, voice: true } },
  document: { type: 'document', document: { link, filename: 'invoice-77.pdf', caption: 'Invoice 77' } },
  sticker: { type: 'sticker', sticker: { link } },
  location: {
    type: 'location',
    location: { latitude: 45.764, longitude: '4.8357', name: 'Depot', address: 'Lyon' },
  },
  reaction: { type: 'reaction', reaction: { message_id: 'wamid.IN1', emoji: '👍' } },
  contacts: {
    type: 'contacts',
    contacts: [
      {
        name: { formatted_name: 'Ines Moreau', first_name: 'Ines', last_name: 'Moreau' },
        phones: [{ phone: '+33612003499', type: 'WORK', wa_id: '33612003499' }],
        emails: [{ email: 'ines@depot.example', type: 'WORK' }],
        addresses: [
          {
            street: '1 quai Demo',
            city: 'Lyon',
            zip: '69000',
            country: 'France',
            country_code: 'fr',
            type: 'WORK',
          },
        ],
        org: { company: 'Depot SA', department: 'Support', title: 'Agent' },
        urls: [{ url: 'https://depot.example', type: 'WORK' }],
        birthday: '1990-02-11',
      },
    ],
  },
  button: interactive({
    type: 'button',
    header: { type: 'text', text: 'Delivery' },
    footer: { text: 'Depot SA' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'am', title: 'Morning' } },
        { type: 'reply', reply: { id: 'pm', title: 'Afternoon' } },
      ],
    },
  }),
  list: interactive({
    type: 'list',
    action: {
      button: 'Slots',
      sections: [{ title: 'Monday', rows: [{ id: 'm9', title: '09:00', description: 'Ground floor' }] }],
    },
  }),
  cta_url: interactive({ type: 'cta_url', action: cta('https://track.example/p/77') }),
  location_request: interactive({ type: 'location_request_message', action: { name: 'send_location' } }),
  product: interactive({ type: 'product', action: { catalog_id, product_retailer_id: 'sku-17' } }),
  product_list: interactive({
    type: 'product_list',
    header: { type: 'text', text: 'Spring' },
    action: { catalog_id, sections: [{ title: 'Pots', product_items: [{ product_retailer_id: 'sku-17' }] }] },
  }),
  catalog: interactive({
    type: 'catalog_message',
    action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'sku-17' } },
  }),
  flow: interactive({
    type: 'flow',
    action: {
      name: 'flow',
      parameters: {
        flow_message_version: '3',
        flow_id: '990077665544331',
        flow_cta: 'Book',
        flow_token: 't-1',
        mode: 'published',
        flow_action: 'navigate',
        flow_action_payload: { screen: 'SLOT', data: { city: 'Lyon' } },
      },
    },
  }),
  address: interactive({
    type: 'address_message',
    action: {
      name: 'address_message',
      parameters: {
        country: 'IN',
        values: { name: 'Asha', in_pin_code: '40006' },
        validation_errors: { in_pin_code: 'Six digits are needed' },
        saved_addresses: [{ id: 'home', value: { name: 'Asha', in_pin_code: '400063', city: 'Mumbai' } }],
      },
    },
  }),
  product_carousel: interactive({
    type: 'carousel',
    action: {
      cards: [0, 1].map((card_index) => ({
        card_index,
        type: 'product',
        action: { catalog_id, product_retailer_id: `sku-${card_index}` },
      })),
    },
  }),
  media_carousel: interactive({
    type: 'carousel',
    action: {
      cards: [0, 1].map((card_index) => ({
        card_index,
        type: 'cta_url',
        header: { type: 'image', image: { link } },
        body: { text: 'Offer' },
        action: cta('https://shop.example/a'),
      })),
    },
  }),
  contact_request: interactive({ type: 'request_contact_info', action: { name: 'request_contact_info' } }),
  template: {
    type: 'template',
    template: {
      name: 'order_update',
      language: { code: 'fr' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'first_name', text: 'Ines' },
            { type: 'text', parameter_name: 'order', text: '77' },
          ],
        },
      ],
    },
  },
  quick_replies: {
    type: 'template',
    template: {
      name: 'appointment_reminder',
      language: { code: 'en' },
      components: [
        {
          type: 'BODY',
          parameters: [
            { type: 'text', text: 'Ines' },
            { type: 'date_time', date_time: { fallback_value: '3 May' } },
          ],
        },
        {
          type: 'button',
          sub_type: 'QUICK_REPLY',
          index: 1,
          parameters: [{ type: 'payload', payload: 'later' }],
        },
      ],
    },
  },
  code: {
    type: 'template',
    template: {
      name: 'login_code',
      language: { code: 'en' },
      components: [
        { type: 'body', parameters: [{ type: 'text', text: '481920' }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '481920' }] },
      ],
    },
  },
};
