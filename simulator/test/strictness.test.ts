// Every type with every way of getting it wrong that the provider would notice.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Kit, sampleMessages, startKit } from './harness.ts';

const x = (length: number) => 'x'.repeat(length);
const times = (count: number, make: (i: number) => unknown) =>
  Array.from({ length: count }, (_, i) => make(i));

/** Sets a value deep inside a copy; undefined removes it. */
function spoil(message: unknown, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(message) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop()!;
  // biome-ignore lint/suspicious/noExplicitAny: walks a body of any shape
  const target = names.reduce((at: any, name) => at[name], copy);
  if (value === undefined) delete target[last];
  else target[last] = value;
  return copy;
}

type Case = [path: string, value: unknown, code: number];
const link = 'https://img.example/a.jpg';
const media = (type: string): Case[] => [
  [`${type}.link`, undefined, 131008],
  [`${type}.id`, '1402220011330044', 131009],
  [`${type}.link`, 'ftp://img.example/a', 131009],
  [`${type}.link`, 7, 100],
  [`${type}.colour`, 'red', 100],
  [type, 'a string', 100],
];
const captioned = (type: string): Case[] => [...media(type), [`${type}.caption`, x(1025), 131009]];
const button = (id: string, title: string) => ({ type: 'reply', reply: { id, title } });
const rows = (count: number) => times(count, (i) => ({ id: `r${i}`, title: `Row ${i}` }));
const section = (count: number, title = 'Monday') => ({ title, rows: rows(count) });
const products = (count: number, title?: string) => ({
  title,
  product_items: times(count, (i) => ({ product_retailer_id: `sku-${i}` })),
});
const action = 'interactive.action';
const everyVariant: Case[] = [
  ['interactive.body', undefined, 131008],
  ['interactive.body.text', x(1025), 131009],
  ['interactive.body.text', '', 131008],
  ['interactive.action', undefined, 131008],
  ['interactive.stray', 1, 100],
  ['interactive.type', 'quiz', 100],
];
const footed: Case[] = [...everyVariant, ['interactive.footer', { text: x(61) }, 131009]];
const parameters = 'template.components.0.parameters';

const cases: Record<string, Case[]> = {
  text: [
    ['messaging_product', undefined, 100],
    ['messaging_product', 'telegram', 100],
    ['to', undefined, 131008],
    ['to', 'somebody', 131009],
    ['to', 33612003400, 100],
    ['recipient_type', 'everybody', 100],
    ['type', 'telepathy', 100],
    ['ttl', 60, 100],
    ['biz_opaque_callback_data', x(513), 131009],
    ['context', { message_id: 'not a wamid' }, 131009],
    ['context', { id: 'wamid.A' }, 100],
    ['text', undefined, 131008],
    ['text', null, 100],
    ['text.body', '', 131008],
    ['text.body', x(4097), 131009],
    ['text.body', 5, 100],
    ['text.preview_url', 'yes', 100],
    ['image', { link }, 100],
  ],
  image: captioned('image'),
  video: captioned('video'),
  audio: [...media('audio'), ['audio.caption', 'no captions', 100], ['audio.voice', 'true', 100]],
  document: [...captioned('document'), ['document.filename', '', 131008]],
  sticker: [...media('sticker'), ['sticker.caption', 'no captions', 100]],
  location: [
    ['location.latitude', undefined, 131008],
    ['location.latitude', 91, 131009],
    ['location.longitude', '-181', 131009],
    ['location.longitude', 'east', 100],
    ['location.zoom', 3, 100],
  ],
  contacts: [
    ['contacts', [], 131009],
    ['contacts', {}, 100],
    ['contacts.0.name', undefined, 131008],
    ['contacts.0.name.formatted_name', undefined, 131008],
    ['contacts.0.birthday', '11/02/1990', 131009],
    ['contacts.0.phones.0.wa_id', '+33', 131009],
    ['contacts.0.nickname', 'I', 100],
  ],
  reaction: [
    ['reaction.message_id', undefined, 131008],
    ['reaction.message_id', 'SM1', 131009],
    ['reaction.emoji', 5, 100],
    ['context', { message_id: 'wamid.A' }, 131009],
  ],
  button: [
    ...footed,
    ['interactive.header.text', x(61), 131009],
    ['interactive.header.type', 'audio', 100],
    [`${action}.buttons`, [], 131009],
    [`${action}.buttons`, times(4, (i) => button(`${i}`, `${i}`)), 131009],
    [`${action}.buttons`, [button('a', 'A'), button('a', 'B')], 131009],
    [`${action}.buttons`, [button('a', 'A'), button('b', 'A')], 131009],
    [`${action}.buttons.0.reply.title`, x(21), 131009],
    [`${action}.buttons.0.reply.id`, x(257), 131009],
    [`${action}.buttons.0.type`, 'link', 100],
  ],
  list: [
    ...everyVariant.filter(([, value]) => value !== x(1025)),
    ['interactive.body.text', x(4097), 131009],
    ['interactive.header', { type: 'image', image: { link } }, 100],
    [`${action}.button`, x(21), 131009],
    [`${action}.sections`, [], 131009],
    [`${action}.sections`, times(11, (i) => section(1, `${i}`)), 131009],
    [`${action}.sections`, [section(6), { title: 'T', rows: rows(11).slice(6) }], 131009],
    [`${action}.sections`, [{ rows: rows(1) }, { rows: rows(1) }], 131009],
    [`${action}.sections.0.title`, x(25), 131009],
    [`${action}.sections.0.rows.0.title`, x(25), 131009],
    [`${action}.sections.0.rows.0.id`, x(201), 131009],
    [`${action}.sections.0.rows.0.description`, x(73), 131009],
  ],
  cta_url: [
    ...footed,
    [`${action}.parameters.url`, 'track.example', 131009],
    [`${action}.parameters.display_text`, x(21), 131009],
    [`${action}.name`, 'open', 100],
  ],
  location_request: [
    ...everyVariant,
    ['interactive.footer', { text: 'no' }, 100],
    [`${action}.name`, 'where', 100],
  ],
  product: [
    ['interactive.header', { type: 'text', text: 'no' }, 100],
    [`${action}.catalog_id`, undefined, 131008],
    [`${action}.product_retailer_id`, undefined, 131008],
  ],
  product_list: [
    ...footed,
    ['interactive.header', undefined, 131008],
    [`${action}.catalog_id`, undefined, 131008],
    [`${action}.sections`, [products(16, 'A'), products(15, 'B')], 131009],
    [
      `${action}.sections`,
      [products(1, 'A'), products(1)].map((one) => JSON.parse(JSON.stringify(one))),
      131009,
    ],
    [`${action}.sections.0.title`, x(25), 131009],
  ],
  catalog: [
    ...footed,
    [`${action}.catalog_id`, '880011223344556', 100],
    [`${action}.parameters`, {}, 131008],
  ],
  flow: [
    ...footed,
    [`${action}.parameters.flow_message_version`, '2', 100],
    [`${action}.parameters.flow_name`, 'booking', 131009],
    [`${action}.parameters.flow_id`, undefined, 131008],
    [`${action}.parameters.flow_cta`, undefined, 131008],
    [`${action}.parameters.flow_action`, 'data_exchange', 131009],
    [`${action}.parameters.flow_action_payload.data`, {}, 131009],
    [`${action}.parameters.mode`, 'test', 100],
    [`${action}.parameters.flow_id`, '990077665544331', 131009],
  ],
  address: [
    ...everyVariant,
    [`${action}.parameters.country`, undefined, 131008],
    [`${action}.parameters.country`, 'FR', 100],
    [`${action}.parameters.values`, { sg_post_code: '123456' }, 131009],
    [`${action}.parameters.values`, { planet: 'Earth' }, 100],
  ],
  product_carousel: [
    ...everyVariant,
    [`${action}.cards`, [], 131009],
    [`${action}.cards.1.card_index`, 0, 131009],
    [`${action}.cards.1.action.catalog_id`, 'another', 131009],
    [`${action}.cards.0.body`, { text: 'no' }, 100],
  ],
  media_carousel: [
    [`${action}.cards.0.header`, undefined, 131008],
    [`${action}.cards.0.header`, { type: 'video', video: { link } }, 131009],
    [`${action}.cards.0.header`, { type: 'image', image: { id: '1' } }, 100],
    [`${action}.cards.0.body.text`, x(161), 131009],
    [`${action}.cards.0.body.text`, 'a\nb\nc\nd', 131009],
    [`${action}.cards.0.card_index`, 10, 131009],
  ],
  contact_request: [...everyVariant, [`${action}.name`, 'ask', 100]],
  template: [
    ['template.name', 'no_such_template', 132001],
    ['template.name', 'Not A Name', 131009],
    ['template.language', undefined, 131008],
    ['template.language', 'fr', 100],
    ['template.language.code', 'de', 132001],
    ['template.components', undefined, 132000],
    [parameters, [], 132000],
    [`${parameters}.0.parameter_name`, undefined, 132012],
    [`${parameters}.0.parameter_name`, 'order', 132012],
    [`${parameters}.0.parameter_name`, 'nobody', 132012],
    [`${parameters}.0`, { type: 'image', image: { link } }, 132012],
    [`${parameters}.0.text`, 'a\nb', 132007],
    [`${parameters}.0.text`, x(1000), 132005],
    [`${parameters}.0.text`, x(1025), 131009],
    [`${parameters}.0.stray`, 1, 100],
    [`${parameters}.0.type`, 'riddle', 100],
    ['template.components.1', { type: 'header', parameters: [{ type: 'text', text: 'x' }] }, 132000],
    ['template.components.1', { type: 'button', sub_type: 'url', index: 0, parameters: [] }, 132018],
    ['template.components.1', { type: 'footer' }, 100],
    ['template.components.1', { type: 'limited_time_offer', parameters: [] }, 132018],
    [
      'template.components.1',
      { type: 'carousel', cards: times(2, (i) => ({ card_index: i, components: [] })) },
      132018,
    ],
  ],
  quick_replies: [
    ['template.components.1.index', 2, 132018],
    ['template.components.1.index', 10, 131009],
    ['template.components.1.sub_type', 'url', 132012],
    ['template.components.1.parameters.0', { type: 'text', text: 'x' }, 132012],
    ['template.components.1.parameters.0.payload', x(257), 131009],
    ['template.components.0.parameters.0', { type: 'text', text: 'x', parameter_name: 'first' }, 132012],
  ],
  code: [
    ['template.components.1', undefined, 100],
    ['template.components', [sampleMessages.code!.template.components[0]], 132000],
    ['template.components.0.parameters.0.text', x(16), 132018],
    ['template.components.0.parameters', [], 132000],
  ],
};

suite('a wrong wire body is refused with the right code', () => {
  let kit: Kit;
  const endings: (() => Promise<void>)[] = [];
  before(async () => {
    kit = await startKit({ after: (end) => endings.push(end) });
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });
  test('and each type has its cases', () => {
    const without = Object.keys(sampleMessages).filter((name) => !cases[name] && name !== 'voice');
    assert.deepEqual(without, []);
  });
  for (const [name, wrongs] of Object.entries(cases)) {
    test(name, async () => {
      const good = { messaging_product: 'whatsapp', to: '+33612003400', ...sampleMessages[name] };
      for (const [path, value, code] of wrongs) {
        const { status, body } = await kit.call(
          'POST',
          '/v25.0/106000300040005/messages',
          spoil(good, path, value),
        );
        const what = `${name}: ${path} = ${JSON.stringify(value)?.slice(0, 60)}`;
        assert.equal(body.error?.code, code, `${what} gave ${JSON.stringify(body)}`);
        assert.ok(status >= 400, what);
      }
    });
  }
  test('and nothing of it was accepted', () => {
    assert.equal(kit.control.counts().accepted, 0);
  });
  test('a body that is no JSON, no object or nothing at all', async () => {
    for (const body of ['{', '[]', '"x"', '']) {
      const answer = await kit.call('POST', '/v25.0/106000300040005/messages', body, {
        'content-type': 'application/json',
      });
      assert.deepEqual([answer.status, answer.body.error.code], [400, 100], body);
    }
  });
});
