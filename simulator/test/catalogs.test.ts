// A message can only offer what the business sells.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Wire } from '../src/http/shape.ts';
import { type Kit, sampleMessages, sandboxCatalogId, startKit, wabaId } from './harness.ts';

const outcome = async (kit: Kit, message: Wire) => {
  const { body } = await kit.send(message);
  return body.error?.code ?? 'accepted';
};
const catalogOf = (kit: Kit, ...catalogIds: string[]) => kit.control.change('wabas', wabaId, { catalogIds });
/** A sample with one of its products replaced. */
const offering = (name: string, change: (action: Wire) => void) => {
  const message = structuredClone(sampleMessages[name]!);
  change(message.interactive.action);
  return message;
};
const product = (retailerId: string) =>
  offering('product', (action) => {
    action.product_retailer_id = retailerId;
  });
const productList = (...retailerIds: string[]) =>
  offering('product_list', (action) => {
    action.sections[0].product_items = retailerIds.map((id) => ({ product_retailer_id: id }));
  });
const cards = (...retailerIds: string[]) =>
  offering('product_carousel', (action) => {
    for (const [i, id] of retailerIds.entries()) action.cards[i].action.product_retailer_id = id;
  });

suite('a message that offers products', () => {
  const offers = ['product', 'product_list', 'catalog', 'product_carousel'].map(
    (name) => sampleMessages[name]!,
  );

  test('is accepted for what is in the catalog of the account', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    for (const message of offers) assert.equal(await outcome(kit, message), 'accepted');
  });
  test('of a catalog that is not connected is refused with 131009, whichever kind it is', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    catalogOf(kit, '880000000000001');
    const named = offers.filter(({ interactive }) => interactive.type !== 'catalog_message');
    for (const message of named) assert.equal(await outcome(kit, message), 131009);
    catalogOf(kit);
    for (const message of offers) assert.equal(await outcome(kit, message), 131009);
  });
  test('that is not there is refused; a list is sent with those that are', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    assert.equal(await outcome(kit, product('unheard-of')), 131009);
    assert.equal(await outcome(kit, productList('unheard-of', 'sku-17')), 'accepted');
    assert.equal(await outcome(kit, productList('unheard-of', 'neither')), 131009);
    assert.equal(await outcome(kit, cards('sku-1', 'unheard-of')), 131009);
    const thumbnail = offering('catalog', (action) => {
      action.parameters.thumbnail_product_retailer_id = 'unheard-of';
    });
    assert.equal(await outcome(kit, thumbnail), 131009);
  });
  test('may offer what was added by the catalog API, which lists it', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    const path = `/v25.0/${sandboxCatalogId}/products`;
    const added = await kit.call('POST', path, { retailer_id: 'blue-pot', name: 'Blue pot' });
    assert.match(added.body.id, /^\d+$/);
    assert.equal((await kit.call('POST', path, { retailer_id: 'blue-pot' })).body.error.code, 100);
    assert.equal((await kit.call('POST', path, { name: 'x' })).body.error.code, 100);
    assert.equal(await outcome(kit, product('blue-pot')), 'accepted');
    const { body } = await kit.call(
      'GET',
      `${path}?after=${Buffer.from('880000000000099').toString('base64url')}`,
    );
    assert.deepEqual(body.data, [{ id: added.body.id, retailer_id: 'blue-pot', name: 'Blue pot' }]);
    assert.equal((await kit.call('GET', '/v25.0/880000000000001/products')).body.error.error_subcode, 33);
  });
});

test('a template with products is judged like any other message', async (context) => {
  const kit = await startKit(context);
  await kit.known();
  for (const [name, buttons] of [
    ['shop_all', [{ type: 'CATALOG', text: 'View catalog' }]],
    ['shop_some', [{ type: 'MPM', text: 'View items' }]],
  ] as const) {
    const components = [
      { type: 'BODY', text: 'Look at this.' },
      { type: 'BUTTONS', buttons },
    ];
    const made = { name, language: 'en', category: 'MARKETING', components };
    assert.equal((await kit.call('POST', `/v25.0/${wabaId}/message_templates`, made)).status, 200);
  }
  await kit.control.settle();
  const sending = (name: string, sub_type: string, action: object) => ({
    type: 'template',
    template: {
      name,
      language: { code: 'en' },
      components: [{ type: 'button', sub_type, index: '0', parameters: [{ type: 'action', action }] }],
    },
  });
  const some = (...retailerIds: string[]) => ({
    thumbnail_product_retailer_id: 'sku-17',
    sections: [{ title: 'Pots', product_items: retailerIds.map((id) => ({ product_retailer_id: id })) }],
  });
  const thumbnail = (id: string) => ({ thumbnail_product_retailer_id: id });
  assert.equal(await outcome(kit, sending('shop_all', 'catalog', thumbnail('sku-17'))), 'accepted');
  assert.equal(await outcome(kit, sending('shop_all', 'CATALOG', thumbnail('unheard-of'))), 131009);
  assert.equal(await outcome(kit, sending('shop_some', 'mpm', some('sku-17', 'unheard-of'))), 'accepted');
  assert.equal(await outcome(kit, sending('shop_some', 'mpm', some('unheard-of'))), 131009);
});
