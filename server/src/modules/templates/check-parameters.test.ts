import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { newSid } from '../../platform/ids.ts';
import type { TemplateComponent } from '../provider/index.ts';
import { checkTemplateParameters, type TemplateShape } from './check-parameters.ts';

const media = newSid('ME', new Date('2026-08-21'));
const shape = (
  components: TemplateShape['components'],
  more: Partial<TemplateShape> = {},
): TemplateShape => ({
  category: 'UTILITY',
  parameterFormat: 'POSITIONAL',
  components,
  ...more,
});
const text = (value: string, parameterName?: string) => ({
  type: 'text' as const,
  text: value,
  ...(parameterName && { parameterName }),
});
const body = (...parameters: object[]) => ({ type: 'body', parameters }) as TemplateComponent;
const header = (...parameters: object[]) => ({ type: 'header', parameters }) as TemplateComponent;
const button = (subType: string, index: number, ...parameters: object[]) =>
  ({ type: 'button', subType, index, parameters }) as TemplateComponent;
const paths = (template: TemplateShape, ...given: TemplateComponent[]) =>
  checkTemplateParameters(template, given).map(({ path }) => path);
const fits = (template: TemplateShape, ...given: TemplateComponent[]) =>
  assert.deepEqual(checkTemplateParameters(template, given), []);

const plain = { type: 'BODY', text: 'Hello.' };

suite('variables by position', () => {
  const two = shape([{ type: 'BODY', text: 'Hello {{1}}, order {{2}} is {{1}}.' }]);
  test('as many values as variables fit, whatever kinds a body takes', () => {
    fits(two, body(text('Ines'), text('77')));
    fits(
      two,
      body(
        { type: 'currency', fallbackValue: '12 €', code: 'EUR', amount1000: 12_000 },
        { type: 'date_time', fallbackValue: '3 May' },
      ),
    );
  });
  test('too few, too many, none at all and the wrong kind are each told where they stand', () => {
    assert.deepEqual(paths(two, body(text('Ines'))), ['[0].parameters']);
    assert.deepEqual(paths(two, body(text('a'), text('b'), text('c'))), ['[0].parameters']);
    assert.deepEqual(paths(two), ['']);
    assert.deepEqual(paths(two, body(text('a'), { type: 'payload', payload: 'x' })), [
      '[0].parameters[1].type',
    ]);
  });
  test('a blank value and a name are refused', () => {
    assert.deepEqual(paths(two, body(text(' '), text('b', 'order'))), [
      '[0].parameters[0].text',
      '[0].parameters[1].parameterName',
    ]);
  });
  test('a template without variables takes none', () => {
    fits(shape([plain]));
    fits(shape([plain]), body());
    assert.deepEqual(paths(shape([plain]), body(text('x'))), ['[0].parameters']);
  });
});

suite('variables by name', () => {
  const named = shape([{ type: 'BODY', text: 'Hello {{ first_name }}, order {{order}}.' }], {
    parameterFormat: 'NAMED',
  });
  test('every name once, in any order', () =>
    fits(named, body(text('77', 'order'), text('Ines', 'first_name'))));
  test('an unknown, a repeated, a missing and an absent name are each told', () => {
    assert.deepEqual(paths(named, body(text('x', 'other'), text('77', 'order'))), [
      '[0].parameters[0].parameterName',
      '[0].parameters',
    ]);
    assert.deepEqual(paths(named, body(text('x', 'order'), text('y', 'order'))), [
      '[0].parameters[1].parameterName',
      '[0].parameters',
    ]);
    assert.deepEqual(paths(named, body(text('x'), text('77', 'order'))), [
      '[0].parameters[0].parameterName',
      '[0].parameters',
    ]);
  });
  test('only text can be named', () => {
    const given = body({ type: 'date_time', fallbackValue: 'x' }, text('77', 'order'));
    assert.deepEqual(paths(named, given), ['[0].parameters[0].type', '[0].parameters']);
  });
});

suite('headers', () => {
  for (const [format, parameter] of [
    ['IMAGE', { type: 'image', sid: media }],
    ['VIDEO', { type: 'video', sid: media }],
    ['DOCUMENT', { type: 'document', sid: media, filename: 'bill.pdf' }],
    ['LOCATION', { type: 'location', latitude: 1, longitude: 2 }],
    ['PRODUCT', { type: 'product', catalogId: '1', productRetailerId: 'sku' }],
  ] as const) {
    const template = shape([{ type: 'HEADER', format }, plain]);
    test(`${format} takes its own kind, and must be given`, () => {
      fits(template, header(parameter));
      assert.deepEqual(paths(template), ['']);
      assert.deepEqual(paths(template, header()), ['[0].parameters']);
      const other = format === 'IMAGE' ? { type: 'video', sid: media } : { type: 'image', sid: media };
      assert.deepEqual(paths(template, header(other)), ['[0].parameters[0].type']);
    });
  }
  test('a text header takes text if it has a variable, and nothing if it has none', () => {
    const template = shape([{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }, plain]);
    fits(template, header(text('77')));
    assert.deepEqual(paths(template, header({ type: 'date_time', fallbackValue: 'x' })), [
      '[0].parameters[0].type',
    ]);
    const fixed = shape([{ type: 'HEADER', format: 'TEXT', text: 'Hello' }, plain]);
    assert.deepEqual(paths(fixed, header(text('77'))), ['[0].parameters']);
    assert.deepEqual(paths(shape([plain]), header(text('77'))), ['[0].parameters']);
  });
});

suite('buttons', () => {
  const buttons = shape([
    plain,
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'URL', text: 'Track', url: 'https://track.example/{{1}}' },
        { type: 'URL', text: 'Shop', url: 'https://shop.example' },
        { type: 'COPY_CODE', example: ['MAY25'] },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+33100000000' },
      ],
    },
  ]);
  const tracked = button('url', 1, text('77'));
  const coupon = button('copy_code', 3, { type: 'coupon_code', couponCode: 'MAY25' });
  test('what is needed is needed, what can be left out can', () => {
    fits(buttons, tracked, coupon);
    fits(buttons, button('quick_reply', 0, { type: 'payload', payload: 'yes' }), tracked, coupon);
    fits(buttons, button('quick_reply', 0), tracked, coupon);
    assert.deepEqual(paths(buttons), ['', '']);
  });
  test('a wrong index, a wrong subType, a repeated and a dumb button are told', () => {
    assert.deepEqual(paths(buttons, tracked, coupon, button('url', 9, text('x'))), ['[2].index']);
    assert.deepEqual(paths(buttons, button('quick_reply', 1, text('x')), coupon), ['[0].subType']);
    assert.deepEqual(paths(buttons, tracked, coupon, tracked), ['[2].index']);
    assert.deepEqual(paths(buttons, tracked, coupon, button('url', 4)), ['[2].index']);
    assert.deepEqual(paths(buttons, tracked, coupon, button('url', 2, text('x'))), ['[2].parameters']);
  });
  test('index and subType belong to buttons, and buttons need both', () => {
    const bare = { type: 'button', parameters: [text('77')] } as TemplateComponent;
    assert.deepEqual(paths(shape([plain]), bare), ['[0].subType', '[0].index']);
    assert.deepEqual(paths(shape([plain]), { type: 'body', subType: 'url', index: 0 }), [
      '[0].subType',
      '[0].index',
    ]);
  });
  test('products of a list are counted over all its sections', () => {
    const list = shape([plain, { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'See' }] }]);
    const items = (n: number) => Array.from({ length: n }, (_, i) => ({ productRetailerId: `sku-${i}` }));
    const action = (...counts: number[]) =>
      button('mpm', 0, {
        type: 'action',
        sections: counts.map((n) => ({ title: 'Pots', productItems: items(n) })),
      });
    fits(list, action(20, 10));
    assert.deepEqual(paths(list, action(20, 11)), ['[0].parameters[0].sections']);
    assert.deepEqual(paths(list, button('mpm', 0, { type: 'action' })), ['[0].parameters[0].sections']);
  });
  test('catalogs, flows and single products', () => {
    const of = (type: string) => shape([plain, { type: 'BUTTONS', buttons: [{ type, text: 'See' }] }]);
    fits(of('CATALOG'));
    fits(of('CATALOG'), button('catalog', 0, { type: 'action', thumbnailProductRetailerId: 'sku' }));
    fits(of('FLOW'), button('flow', 0));
    fits(of('SPM'), button('spm', 0));
    assert.deepEqual(paths(of('SPM'), button('spm', 0, text('x'))), ['[0].parameters']);
    assert.deepEqual(paths(of('FLOW'), button('flow', 0, text('x'))), ['[0].parameters']);
  });
});

suite('codes and offers', () => {
  const code = shape(
    [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
    ],
    { category: 'AUTHENTICATION' },
  );
  test('a code stands in the text and on the button, under either name of the button', () => {
    fits(code, body(text('481920')), button('otp', 0, text('481920')));
    fits(code, body(text('481920')), button('url', 0, text('481920')));
  });
  test('two different codes, a long one and a missing one are refused', () => {
    assert.deepEqual(paths(code, body(text('481920')), button('otp', 0, text('111111'))), [
      '[1].parameters[0].text',
    ]);
    const long = '1'.repeat(16);
    assert.deepEqual(paths(code, body(text(long)), button('otp', 0, text(long))), ['[0].parameters[0].text']);
    assert.deepEqual(paths(code, body(text('481920'))), ['']);
    assert.deepEqual(paths(code, button('otp', 0, text('481920'))), ['']);
  });
  test('an offer that ends says when; one that does not takes nothing', () => {
    const offer = (has_expiration: boolean) =>
      shape([plain, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'May', has_expiration } }]);
    const end = {
      type: 'limited_time_offer',
      parameters: [{ type: 'limited_time_offer', expirationTimeMs: 1 }],
    } as TemplateComponent;
    fits(offer(true), end);
    fits(offer(false));
    assert.deepEqual(paths(offer(true)), ['']);
    assert.deepEqual(paths(offer(false), end), ['[0]']);
  });
  test('a tap target is one, and of its kind', () => {
    const target = { type: 'tap_target_configuration', url: 'https://shop.example', title: 'See' };
    fits(shape([plain]), { type: 'tap_target_configuration', parameters: [target] } as TemplateComponent);
    const wrong = { type: 'tap_target_configuration', parameters: [text('x')] } as TemplateComponent;
    assert.deepEqual(paths(shape([plain]), wrong), ['[0].parameters[0].type']);
  });
  test('a carousel cannot be sent', () => {
    assert.deepEqual(paths(shape([plain, { type: 'CAROUSEL', cards: [] }])), ['']);
  });
  test('a repeated body or header is told', () => {
    assert.deepEqual(paths(shape([plain]), body(), body()), ['[1].type']);
  });
});

test('whatever a template holds, judging it never throws', () => {
  const part = fc.record(
    {
      type: fc.constantFrom('HEADER', 'BODY', 'BUTTONS', 'FOOTER', 'STRANGE'),
      format: fc.string(),
      text: fc.string(),
    },
    { requiredKeys: ['type'] },
  );
  fc.assert(
    fc.property(
      fc.array(part),
      fc.array(fc.constantFrom(body(), header(), button('url', 0, text('x')))),
      (parts, given) => {
        assert.ok(Array.isArray(checkTemplateParameters(shape(parts), given)));
      },
    ),
  );
});
