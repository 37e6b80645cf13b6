import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  TemplateComponent as ComponentSchema,
  type TemplateComponent,
  type TemplateParameter,
} from '../../../modules/provider/index.ts';
import { template } from './template.ts';

const sid = 'ME01J9ZK3V7T8Q2M4N6P8R0S2T4V';
const token = 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V';
const names = { media: () => '1402220011330047', flow: () => '990077665544331' };

const components = (...given: TemplateComponent[]) =>
  (
    template({ name: 'order_update', language: 'fr', components: given }, names, token) as {
      components: unknown;
    }
  ).components;

suite('a template message on the wire', () => {
  test('header, body and buttons with every kind of value', () => {
    assert.deepEqual(
      components(
        { type: 'header', parameters: [{ type: 'document', sid, filename: 'invoice-77.pdf' }] },
        {
          type: 'body',
          parameters: [
            { type: 'text', parameterName: 'first_name', text: 'Ines' },
            { type: 'currency', fallbackValue: '12,50 €', code: 'EUR', amount1000: 12500 },
            { type: 'date_time', fallbackValue: '3 mai 2026' },
          ],
        },
        {
          type: 'button',
          subType: 'quick_reply',
          index: 0,
          parameters: [{ type: 'payload', payload: 'confirm-77' }],
        },
        { type: 'button', subType: 'url', index: 1, parameters: [{ type: 'text', text: '77' }] },
      ),
      [
        {
          type: 'header',
          parameters: [
            { type: 'document', document: { id: '1402220011330047', filename: 'invoice-77.pdf' } },
          ],
        },
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'first_name', text: 'Ines' },
            { type: 'currency', currency: { fallback_value: '12,50 €', code: 'EUR', amount_1000: 12500 } },
            { type: 'date_time', date_time: { fallback_value: '3 mai 2026' } },
          ],
        },
        {
          type: 'button',
          sub_type: 'quick_reply',
          index: '0',
          parameters: [{ type: 'payload', payload: 'confirm-77' }],
        },
        { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: '77' }] },
      ],
    );
  });

  const headers: [TemplateParameter, object][] = [
    [
      { type: 'image', sid },
      { type: 'image', image: { id: '1402220011330047' } },
    ],
    [
      { type: 'video', sid },
      { type: 'video', video: { id: '1402220011330047' } },
    ],
    [
      { type: 'location', latitude: 45.7, longitude: 4.8, name: 'Depot' },
      { type: 'location', location: { latitude: 45.7, longitude: 4.8, name: 'Depot' } },
    ],
    [
      { type: 'product', catalogId: '88', productRetailerId: 'sku-17' },
      { type: 'product', product: { catalog_id: '88', product_retailer_id: 'sku-17' } },
    ],
  ];
  for (const [parameter, wire] of headers) {
    test(`a header of kind ${parameter.type}`, () => {
      assert.deepEqual(components({ type: 'header', parameters: [parameter] }), [
        { type: 'header', parameters: [wire] },
      ]);
    });
  }

  test('an offer that ends, its code, and a target to tap', () => {
    assert.deepEqual(
      components(
        {
          type: 'limited_time_offer',
          parameters: [{ type: 'limited_time_offer', expirationTimeMs: 1777800000000 }],
        },
        {
          type: 'button',
          subType: 'copy_code',
          index: 0,
          parameters: [{ type: 'coupon_code', couponCode: 'MAY25' }],
        },
        {
          type: 'tap_target_configuration',
          parameters: [
            { type: 'tap_target_configuration', url: 'https://shop.example/may', title: 'See offers' },
          ],
        },
      ),
      [
        {
          type: 'limited_time_offer',
          parameters: [
            { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1777800000000 } },
          ],
        },
        {
          type: 'button',
          sub_type: 'copy_code',
          index: '0',
          parameters: [{ type: 'coupon_code', coupon_code: 'MAY25' }],
        },
        {
          type: 'tap_target_configuration',
          parameters: [
            {
              type: 'tap_target_configuration',
              tap_target_configuration: [{ url: 'https://shop.example/may', title: 'See offers' }],
            },
          ],
        },
      ],
    );
  });
  test('a one-time password travels as a URL button', () => {
    assert.deepEqual(
      components({ type: 'button', subType: 'otp', parameters: [{ type: 'text', text: '481920' }] }),
      [{ type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '481920' }] }],
    );
  });
  test('catalogue and product buttons carry their sections', () => {
    const action: TemplateParameter = {
      type: 'action',
      thumbnailProductRetailerId: 'sku-17',
      sections: [{ title: 'Pots', productItems: [{ productRetailerId: 'sku-17' }] }],
    };
    assert.deepEqual(components({ type: 'button', subType: 'mpm', index: 0, parameters: [action] }), [
      {
        type: 'button',
        sub_type: 'mpm',
        index: '0',
        parameters: [
          {
            type: 'action',
            action: {
              thumbnail_product_retailer_id: 'sku-17',
              sections: [{ title: 'Pots', product_items: [{ product_retailer_id: 'sku-17' }] }],
            },
          },
        ],
      },
    ]);
    assert.equal(components({ type: 'button', subType: 'catalog', index: 0 }), undefined);
  });
  test("a single product's button becomes the header it stands for", () => {
    const product: TemplateParameter = { type: 'product', catalogId: '88', productRetailerId: 'sku-17' };
    assert.deepEqual(components({ type: 'button', subType: 'spm', index: 0, parameters: [product] }), [
      {
        type: 'header',
        parameters: [{ type: 'product', product: { catalog_id: '88', product_retailer_id: 'sku-17' } }],
      },
    ]);
  });
  test('a flow button carries our SID, so that the answer finds its message', () => {
    assert.deepEqual(components({ type: 'button', subType: 'flow', index: 2 }), [
      {
        type: 'button',
        sub_type: 'flow',
        index: '2',
        parameters: [{ type: 'action', action: { flow_token: token } }],
      },
    ]);
  });
  test('a component that fills in nothing is left out', () => {
    assert.equal(components({ type: 'body', parameters: [] }, { type: 'header' }), undefined);
  });
  test('every kind of component and button the API takes has a form on the wire', () => {
    const words = (name: 'type' | 'subType') =>
      (ComponentSchema.properties[name] as unknown as { enum: string[] }).enum;
    for (const type of words('type')) {
      for (const subType of type === 'button' ? words('subType') : [undefined]) {
        const parameters: TemplateParameter[] = [{ type: 'text', text: '1' }];
        const component = { type, ...(subType && { subType }), parameters } as TemplateComponent;
        assert.equal((components(component) as unknown[]).length, 1, `${type} ${subType}`);
      }
    }
  });
});
