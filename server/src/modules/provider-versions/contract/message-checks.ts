// Messages: each kind is accepted as we write it, and refusals mean what we take them for.
import type { ErrorCode } from '../../../platform/errors/errors.ts';
import type { Content, OutboundMessage } from '../../provider/index.ts';
import { nobody } from './account-checks.ts';
import { type Check, given, holds, refusedWith, type Stage, writing } from './check.ts';
import { files, upload } from './media-checks.ts';

const somebody = '+4915750000002';
/** Every account of the simulator sells from it. */
const catalogId = '880011223344556';
const body = 'Choose';

type How = Partial<Pick<OutboundMessage, 'transport' | 'recipient' | 'replyTo' | 'flowIds'>>;

async function send(stage: Stage, content: Content, how: How = {}) {
  const { provider, connection, phoneNumberId } = stage;
  return provider.send(connection, {
    phoneNumberId,
    transport: 'cloud_api',
    recipient: { phone: somebody },
    content,
    mediaIds: await mediaFor(stage, content),
    flowIds: new Map(),
    replyTo: null,
    opaque: 'contract',
    ...how,
  });
}

/** The file a content names, uploaded. */
async function mediaFor(stage: Stage, content: Content): Promise<Map<string, string>> {
  if (!('media' in content)) return new Map();
  return new Map([[content.media.sid, await upload(stage, files[content.type])]]);
}

async function acceptedBy(stage: Stage, content: Content, how: How = {}): Promise<string> {
  const { providerMessageId } = given(await send(stage, content, how));
  holds(providerMessageId.startsWith('wamid.'), 'an id such as wamid.…', providerMessageId);
  return providerMessageId;
}

const accepted = (name: string, content: Content, how: How = {}): Check =>
  writing(name, async (stage) => void (await acceptedBy(stage, content, how)));

const refused = (name: string, content: Content, how: How, ...codes: ErrorCode[]): Check =>
  writing(name, async (stage) => refusedWith(await send(stage, content, how), ...codes));

const text: Content = {
  type: 'text',
  text: { body: 'Your parcel: https://track.example/p/77', previewUrl: true },
};
const template = (name: string, values: string[] = []): Content => ({
  type: 'template',
  template: {
    name,
    language: 'en',
    ...(values.length > 0 && {
      components: [{ type: 'body', parameters: values.map((value) => ({ type: 'text', text: value })) }],
    }),
  },
});
const offer = template('spring_offer', ['Ines', '20%']);
const sections = [{ title: 'Pots', productItems: [{ productRetailerId: 'sku-17' }] }];
const productList = { catalogId, header: 'Spring', body: 'Picked for you', sections };
const cards = [0, 1].map((cardIndex) => ({ cardIndex, catalogId, productRetailerId: `sku-${cardIndex}` }));
const place = { latitude: 45.764, longitude: 4.8357, name: 'Depot', address: 'Lyon' };
const card = { formattedName: 'Ines Moreau', phones: [{ value: '+33612003499', type: 'work' }] };
const address = { body: 'Where shall we deliver?', country: 'IN' as const, values: { name: 'Asha' } };
const flow: Content = {
  type: 'flow',
  flow: {
    flowSid: 'FL1',
    body: 'When shall we come?',
    ctaText: 'Choose',
    action: 'navigate',
    screen: 'SLOT',
  },
};
const inIndia = { recipient: { phone: '+919800000001' } };

const contents: Check[] = [
  accepted('text is accepted', text),
  accepted('image is accepted', { type: 'image', media: { sid: 'ME1', caption: 'Front' } }),
  accepted('document is accepted', { type: 'document', media: { sid: 'ME1', filename: 'invoice.pdf' } }),
  accepted('video is accepted', { type: 'video', media: { sid: 'ME1', caption: 'Tour' } }),
  accepted('audio is accepted', { type: 'audio', media: { sid: 'ME1' } }),
  accepted('sticker is accepted', { type: 'sticker', media: { sid: 'ME1' } }),
  writing('reaction is accepted, and taken back', async (stage) => {
    const targetMessageId = await acceptedBy(stage, text);
    for (const emoji of ['👍', ''])
      await acceptedBy(stage, { type: 'reaction', reaction: { targetMessageId, emoji } });
  }),
  accepted('location is accepted', { type: 'location', location: place }),
  accepted('contact cards are accepted', { type: 'contacts', contacts: { contacts: [card] } }),
  accepted('buttons are accepted', {
    type: 'interactive',
    interactive: { subtype: 'button', body, footer: 'Depot', buttons: [{ id: 'a', title: 'A' }] },
  }),
  accepted('list is accepted', {
    type: 'interactive',
    interactive: {
      subtype: 'list',
      body,
      button: 'Slots',
      sections: [{ rows: [{ id: 'm9', title: '09:00' }] }],
    },
  }),
  accepted('link button is accepted', {
    type: 'interactive',
    interactive: { subtype: 'cta_url', body, displayText: 'Open', url: 'https://track.example/p/77' },
  }),
  accepted('request for a location is accepted', {
    type: 'interactive',
    interactive: { subtype: 'location_request', body },
  }),
  accepted('product is accepted', {
    type: 'product',
    product: { catalogId, productRetailerId: 'sku-17', body },
  }),
  accepted('list of products is accepted', { type: 'product_list', productList }),
  accepted('catalog is accepted', { type: 'catalog', catalog: { catalogId, body } }),
  accepted('carousel is accepted', { type: 'carousel', carousel: { body: 'New this week', cards } }),
  accepted('request for an address is accepted', { type: 'address', address }, inIndia),
  writing('flow is accepted', async (stage) => {
    const id = await stage.byHand.publishFlow(stage.connection, stage.wabaId);
    await acceptedBy(stage, flow, { flowIds: new Map([['FL1', id]]) });
  }),
  refused(
    'flow that nobody made is refused',
    flow,
    { flowIds: new Map([['FL1', nobody]]) },
    'PROVIDER_PERMANENT_ERROR',
    'VALIDATION_ERROR',
  ),
];

const templates: Check[] = [
  accepted('template without parameters is accepted', template('hello_world')),
  accepted('template with parameters is accepted', offer),
  accepted('template with names of parameters is accepted', {
    type: 'template',
    template: {
      name: 'order_update',
      language: 'en',
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
  }),
  accepted('template with quick replies is accepted', {
    type: 'template',
    template: {
      name: 'appointment_reminder',
      language: 'en',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ines' },
            { type: 'date_time', fallbackValue: '3 May' },
          ],
        },
        {
          type: 'button',
          subType: 'quick_reply',
          index: 0,
          parameters: [{ type: 'payload', payload: 'yes' }],
        },
        {
          type: 'button',
          subType: 'quick_reply',
          index: 1,
          parameters: [{ type: 'payload', payload: 'no' }],
        },
      ],
    },
  }),
  accepted('code to sign in with is accepted', {
    type: 'template',
    template: {
      name: 'login_code',
      language: 'en',
      components: [
        { type: 'body', parameters: [{ type: 'text', text: '481920' }] },
        { type: 'button', subType: 'otp', index: 0, parameters: [{ type: 'text', text: '481920' }] },
      ],
    },
  }),
  accepted('marketing message is accepted on its own transport', offer, { transport: 'marketing_messages' }),
  refused('template that nobody made is refused', template('nobody_made_this'), {}, 'TEMPLATE_NOT_APPROVED'),
  refused(
    'template with too few parameters is refused',
    template('spring_offer', ['Ines']),
    {},
    'TEMPLATE_PROVIDER_ERROR',
  ),
  refused(
    'utility template is refused on the transport of marketing',
    template('hello_world'),
    { transport: 'marketing_messages' },
    'TRANSPORT_CATEGORY_MISMATCH',
  ),
];

/** The last digits of these numbers decide what the simulator answers. */
const to = (ending: string) => ({ recipient: { phone: `+49151${ending}` } });

const outcomes: Check[] = [
  refused('throughput that is used up is told as a limit', text, to('91130429'), 'PROVIDER_RATE_LIMITED'),
  refused('too much to one person is told as a limit', text, to('91131056'), 'PROVIDER_RATE_LIMITED'),
  refused('failure that may pass is told as temporary', text, to('91131016'), 'PROVIDER_TEMPORARY_ERROR'),
  refused('restriction for spam is told as one of the sender', text, to('91131048'), 'SENDER_RESTRICTED'),
  refused('payment that is not set up is told', text, to('91131042'), 'PAYMENT_REQUIRED'),
  refused('token that was withdrawn is told', text, to('91000190'), 'PROVIDER_TOKEN_INVALID'),
  refused('answer that was lost leaves the result unknown', text, to('92000020'), 'PROVIDER_RESULT_UNKNOWN'),
  refused(
    'answer nobody can read leaves the result unknown',
    text,
    to('92000024'),
    'PROVIDER_RESULT_UNKNOWN',
  ),
  refused('failure on the way leaves the result unknown', text, to('92000025'), 'PROVIDER_RESULT_UNKNOWN'),
  writing('message is sent from no number that nobody has', async (stage) => {
    const answered = await send({ ...stage, phoneNumberId: '999999999999999' }, text);
    refusedWith(answered, 'WABA_NOT_CONNECTED', 'SENDER_NOT_READY');
  }),
  writing('message that was accepted has a history', async (stage) => {
    const { provider, connection, phoneNumberId } = stage;
    const { providerMessageId } = given(await send(stage, template('hello_world')));
    given(await provider.messageHistory(connection, phoneNumberId, providerMessageId));
  }),
];

export const messageChecks: Check[] = [...contents, ...templates, ...outcomes];
