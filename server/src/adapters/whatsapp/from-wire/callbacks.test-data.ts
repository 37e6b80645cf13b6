// Callbacks as the provider writes them, for tests.
type Fields = Record<string, unknown>;

export const wabaId = '104000200030001';
export const phoneNumberId = '106000300040005';
export const metadata = { display_phone_number: '33180001000', phone_number_id: phoneNumberId };
const ines = {
  profile: { name: 'Ines', username: 'ines.m' },
  wa_id: '33612003400',
  user_id: 'FR.48120077310552911',
};

export const callback = (...changes: { field: string; value: unknown }[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: wabaId, time: 1777000000, changes }],
});

/** The provider writes what is not ASCII as \uXXXX, and signs those bytes. */
export const wireBytes = (value: unknown): Buffer =>
  Buffer.from(
    JSON.stringify(value)
      .replaceAll('/', '\\/')
      .replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

export const messagesChange = (value: Fields) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata, contacts: [ines], ...value },
});

export const inboundOf = (type: string, more: Fields, id = `wamid.${type}`): Fields => ({
  from: '33612003400',
  from_user_id: 'FR.48120077310552911',
  id,
  timestamp: '1777000001',
  type,
  ...more,
});

const media = { id: '1500330011220099', mime_type: 'image/jpeg', sha256: 'q83vEjRWeJA=' };

/** One of every type people can send. */
export const inboundSamples: Fields[] = [
  inboundOf('text', { text: { body: 'Hello' } }),
  inboundOf('image', { image: { ...media, caption: 'Broken', url: 'https://lookaside.example/a' } }),
  inboundOf('video', { video: { ...media, mime_type: 'video/mp4' } }),
  inboundOf('audio', { audio: { ...media, mime_type: 'audio/ogg; codecs=opus', voice: true } }),
  inboundOf('document', { document: { ...media, filename: 'invoice.pdf', caption: 'Here' } }),
  inboundOf('sticker', { sticker: { ...media, animated: true } }),
  inboundOf('location', { location: { latitude: 45.764, longitude: '4.8357', name: 'Depot' } }),
  inboundOf('contacts', {
    contacts: [
      {
        name: { formatted_name: 'Ines Moreau', first_name: 'Ines' },
        phones: [{ phone: '+33612003499', type: 'WORK', wa_id: '33612003499' }],
        emails: [{ email: 'ines@depot.example', type: 'WORK' }],
      },
    ],
  }),
  inboundOf('reaction', { reaction: { message_id: 'wamid.OUT77', emoji: '👍' } }),
  inboundOf('button', { context: { id: 'wamid.OUT77' }, button: { payload: 'confirm-77', text: 'Confirm' } }),
  inboundOf('interactive', {
    interactive: { type: 'button_reply', button_reply: { id: 'am', title: 'Morning' } },
  }),
  inboundOf('order', {
    order: {
      catalog_id: '880011223344556',
      text: 'Gift wrap',
      product_items: [{ product_retailer_id: 'sku-17', quantity: 2, item_price: 9.5, currency: 'EUR' }],
    },
  }),
  inboundOf('system', {
    system: { body: 'Ines changed', wa_id: '33612003477', type: 'user_changed_number' },
  }),
  inboundOf('unsupported', {
    errors: [{ code: 131051, title: 'Message type unknown', error_data: { details: 'Polls.' } }],
    unsupported: { type: 'poll' },
  }),
  inboundOf('edit', {
    edit: { original_message_id: 'wamid.IN01', message: { type: 'text', text: { body: 'Hello!' } } },
  }),
  inboundOf('revoke', { revoke: { original_message_id: 'wamid.IN01' } }),
];

export const statusOf = (status: string, more: Fields = {}): Fields => ({
  id: 'wamid.OUT77',
  status,
  timestamp: '1777000020',
  recipient_id: '33612003400',
  recipient_user_id: 'FR.48120077310552911',
  biz_opaque_callback_data: 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V',
  ...more,
});

export const preferenceOf = (value: string, timestamp: number, more: Fields = {}) => ({
  field: 'user_preferences',
  value: {
    messaging_product: 'whatsapp',
    metadata,
    contacts: [ines],
    user_preferences: [
      {
        wa_id: '33612003400',
        user_id: 'FR.48120077310552911',
        detail: 'User asked',
        category: 'marketing_messages',
        value,
        timestamp,
        ...more,
      },
    ],
  },
});

/** One of every change that concerns a whole account. */
export const accountSamples: { field: string; value: Fields }[] = [
  {
    field: 'message_template_status_update',
    value: {
      event: 'PAUSED',
      message_template_id: 770011223344,
      message_template_name: 'flash_sale',
      message_template_language: 'en_US',
      message_template_category: 'MARKETING',
      reason: null,
      other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours.' },
    },
  },
  {
    field: 'message_template_quality_update',
    value: { previous_quality_score: 'GREEN', new_quality_score: 'RED', message_template_id: 77 },
  },
  {
    field: 'template_category_update',
    value: { message_template_id: 77, previous_category: 'UTILITY', new_category: 'MARKETING' },
  },
  {
    field: 'message_template_components_update',
    value: { message_template_id: 77, message_template_element: 'Hello' },
  },
  {
    field: 'phone_number_quality_update',
    value: {
      display_phone_number: '33180001000',
      event: 'THROUGHPUT_UPGRADE',
      max_daily_conversations_per_business: 'TIER_10K',
    },
  },
  {
    field: 'phone_number_name_update',
    value: { display_phone_number: '+33 1 80 00 10 00', decision: 'APPROVED', requested_verified_name: 'D' },
  },
  { field: 'security', value: { display_phone_number: '33180001000', event: 'PIN_CHANGED', requester: 1 } },
  {
    field: 'business_username_update',
    value: { display_phone_number: '33180001000', username: 'depot', status: 'approved' },
  },
  {
    field: 'account_update',
    value: {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'June 1, 2026' },
    },
  },
  { field: 'account_review_update', value: { decision: 'APPROVED' } },
  { field: 'business_capability_update', value: { max_daily_conversations_per_business: 2000 } },
  { field: 'account_alerts', value: { entity_type: 'BUSINESS', alert_info: { alert_type: 'OBA_APPROVED' } } },
  {
    field: 'flows',
    value: { event: 'FLOW_STATUS_CHANGE', flow_id: '99', old_status: 'DRAFT', new_status: 'PUBLISHED' },
  },
];
