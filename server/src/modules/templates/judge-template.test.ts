import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { judgeTemplate, type TemplateDraft } from './judge-template.ts';
import type { Button, TemplatePart } from './schema.ts';

const draft = (components: TemplatePart[], more: Partial<TemplateDraft> = {}): TemplateDraft => ({
  category: 'UTILITY',
  parameterFormat: 'POSITIONAL',
  components,
  ...more,
});
const paths = (components: TemplatePart[], more: Partial<TemplateDraft> = {}) =>
  judgeTemplate(draft(components, more)).map(({ path }) => path);
const good = (components: TemplatePart[], more: Partial<TemplateDraft> = {}) =>
  assert.deepEqual(judgeTemplate(draft(components, more)), []);

const plain: TemplatePart = { type: 'BODY', text: 'Hello there.' };
const body = (text: string, ...examples: string[]): TemplatePart => ({
  type: 'BODY',
  text,
  ...(examples.length > 0 && { example: { bodyText: [examples] } }),
});
const buttons = (...given: Button[]): TemplatePart => ({ type: 'BUTTONS', buttons: given });

suite('parts', () => {
  test('a body must be there, and nothing twice', () => {
    assert.deepEqual(paths([{ type: 'FOOTER', text: 'Depot' }]), ['components']);
    assert.deepEqual(paths([plain, plain]), ['components[1].type']);
  });
  test('a field of another part is told', () => {
    assert.deepEqual(paths([{ ...plain, buttons: [] }]), ['components[0].buttons']);
    assert.deepEqual(paths([plain, { type: 'FOOTER', text: 'Depot', format: 'TEXT' }]), [
      'components[1].format',
    ]);
  });
  test('lengths are those of the provider', () => {
    good([body('x'.repeat(1024)), { type: 'FOOTER', text: 'x'.repeat(60) }]);
    assert.deepEqual(paths([plain, { type: 'FOOTER', text: 'x'.repeat(61) }]), ['components[1].text']);
    const header = (n: number): TemplatePart => ({ type: 'HEADER', format: 'TEXT', text: 'x'.repeat(n) });
    good([header(60), plain]);
    assert.deepEqual(paths([header(61), plain]), ['components[0].text']);
    const offer: TemplatePart = { type: 'LIMITED_TIME_OFFER', limitedTimeOffer: { text: 'May' } };
    good([body('x'.repeat(600)), offer], { category: 'MARKETING' });
    assert.deepEqual(paths([body('x'.repeat(601)), offer], { category: 'MARKETING' }), [
      'components[0].text',
    ]);
    assert.deepEqual(paths([plain, offer]), ['components[1]']);
  });
  test('a media header brings the handle of a sample', () => {
    assert.deepEqual(paths([{ type: 'HEADER', format: 'IMAGE' }, plain]), [
      'components[0].example.headerHandle',
    ]);
    good([{ type: 'HEADER', format: 'IMAGE', example: { headerHandle: ['4::x'] } }, plain]);
    good([{ type: 'HEADER', format: 'LOCATION' }, plain]);
  });
});

suite('variables', () => {
  test('by position: numbered without a gap, each with an example', () => {
    good([body('Hello {{1}}, order {{2}}, {{1}}!', 'Ines', '77')]);
    assert.deepEqual(paths([body('Hello {{1}} and {{3}}.', 'a', 'b')]), ['components[0].text']);
    assert.deepEqual(paths([body('Hello {{name}}.', 'a')]), ['components[0].text']);
    assert.deepEqual(paths([body('Hello {{1}} {{2}}.', 'a')]), ['components[0].example.bodyText']);
    assert.deepEqual(paths([body('Hello.', 'a')]), ['components[0].example.bodyText']);
  });
  test('by name: well-formed, each with one example', () => {
    const named = { parameterFormat: 'NAMED' } as const;
    const with_ = (text: string, ...names: string[]): TemplatePart => ({
      type: 'BODY',
      text,
      example: { bodyTextNamedParams: names.map((paramName) => ({ paramName, example: 'x' })) },
    });
    good([with_('Hello {{first_name}}, {{order}}.', 'order', 'first_name')], named);
    assert.deepEqual(paths([with_('Hello {{First}}.', 'First')], named), ['components[0].text']);
    const example = 'components[0].example.bodyTextNamedParams';
    assert.deepEqual(paths([with_('Hello {{a}} {{b}}.', 'a')], named), [example]);
    assert.deepEqual(paths([with_('Hello {{a}}.', 'a', 'a')], named), [example]);
    assert.deepEqual(paths([with_('Hello {{a}}.', 'a', 'c')], named), [example]);
    assert.deepEqual(paths([body('Hello {{a}}.', 'x')], named), ['components[0].example.bodyText']);
  });
  test('neither first nor last, and no stray braces', () => {
    assert.deepEqual(paths([body('{{1}} hello.', 'a')]), ['components[0].text']);
    assert.deepEqual(paths([body('Hello {{1}}', 'a')]), ['components[0].text']);
    assert.deepEqual(paths([body('Hello {{1 there.')]), ['components[0].text']);
    assert.deepEqual(paths([body('Hello 1}} there.')]), ['components[0].text']);
  });
  test('one in a header, none in a footer', () => {
    const header = (text: string, ...headerText: string[]): TemplatePart => ({
      type: 'HEADER',
      format: 'TEXT',
      text,
      ...(headerText.length > 0 && { example: { headerText } }),
    });
    good([header('Order {{1}}', '77'), plain]);
    assert.ok(paths([header('{{1}} {{2}}', 'a', 'b'), plain]).includes('components[0].text'));
    assert.deepEqual(paths([header('Order {{1}}'), plain]), ['components[0].example.headerText']);
    assert.deepEqual(paths([plain, { type: 'FOOTER', text: 'To {{1}}' }]), ['components[1].text']);
  });
});

suite('buttons', () => {
  const reply: Button = { type: 'QUICK_REPLY', text: 'Yes' };
  const link: Button = { type: 'URL', text: 'Shop', url: 'https://shop.example' };
  test('as many of each as the provider takes', () => {
    good([plain, buttons(reply, reply, link, link)]);
    assert.deepEqual(paths([plain, buttons(link, link, link)]), ['components[1].buttons']);
    const call: Button = { type: 'PHONE_NUMBER', text: 'Call', phoneNumber: '+33100000000' };
    assert.deepEqual(paths([plain, buttons(call, call)]), ['components[1].buttons']);
  });
  test('quick replies stand together', () => {
    assert.deepEqual(paths([plain, buttons(reply, link, reply)]), ['components[1].buttons']);
  });
  test('a URL has its variable at the end, and an example if it has one', () => {
    const at = 'components[1].buttons[0]';
    const url = (text: string, example?: string): TemplatePart[] => [
      plain,
      buttons({ type: 'URL', text: 'Go', url: text, ...(example && { example: [example] }) }),
    ];
    good(url('https://x.example/{{1}}', 'https://x.example/77'));
    assert.deepEqual(paths(url('https://x.example/{{1}}')), [`${at}.example`]);
    assert.deepEqual(paths(url('https://x.example/', 'https://x.example/77')), [`${at}.example`]);
    assert.deepEqual(paths(url('https://{{1}}.example/', 'x')), [`${at}.url`]);
    assert.deepEqual(paths(url('javascript:alert(1)')), [`${at}.url`]);
  });
  test('each has what it needs and nothing of another', () => {
    assert.deepEqual(paths([plain, buttons({ type: 'URL', text: 'Go' })]), ['components[1].buttons[0].url']);
    assert.deepEqual(paths([plain, buttons({ ...reply, url: 'https://x.example' })]), [
      'components[1].buttons[0].url',
    ]);
    assert.deepEqual(paths([plain, buttons({ type: 'FLOW', text: 'Go' })]), [
      'components[1].buttons[0].flowId',
    ]);
    assert.deepEqual(paths([plain, buttons({ type: 'COPY_CODE', example: ['x'.repeat(16)] })]), [
      'components[1].buttons[0].example[0]',
    ]);
  });
});

suite('authentication and time to live', () => {
  const code = { category: 'AUTHENTICATION' } as const;
  const otp = buttons({ type: 'OTP', otpType: 'COPY_CODE', text: 'Copy' });
  test('the provider writes the text, the business an OTP button', () => {
    good(
      [{ type: 'BODY', addSecurityRecommendation: true }, { type: 'FOOTER', codeExpirationMinutes: 10 }, otp],
      code,
    );
    assert.deepEqual(paths([plain, otp], code), ['components[0].text']);
    assert.deepEqual(paths([{ type: 'BODY' }], code), ['components']);
    assert.deepEqual(paths([{ type: 'BODY' }, { type: 'FOOTER', text: 'x' }, otp], code), [
      'components[1].codeExpirationMinutes',
      'components[1].text',
    ]);
    assert.deepEqual(paths([plain, otp]), ['components[1].buttons[0].type']);
    assert.deepEqual(paths([{ type: 'BODY' }, buttons({ type: 'OTP', otpType: 'ONE_TAP' })], code), [
      'components[1].buttons[0].supportedApps',
    ]);
  });
  test('each category has its range', () => {
    const ttl = (category: TemplateDraft['category'], seconds: number) =>
      judgeTemplate(draft([plain], { category, messageSendTtlSeconds: seconds })).some(
        ({ path }) => path === 'messageSendTtlSeconds',
      );
    assert.deepEqual(
      [
        ttl('UTILITY', 29),
        ttl('UTILITY', 30),
        ttl('UTILITY', 43_200),
        ttl('UTILITY', 43_201),
        ttl('UTILITY', -1),
      ],
      [true, false, false, true, false],
    );
    assert.deepEqual(
      [ttl('MARKETING', 43_199), ttl('MARKETING', 43_200), ttl('MARKETING', -1)],
      [true, false, true],
    );
    assert.deepEqual([ttl('AUTHENTICATION', 900), ttl('AUTHENTICATION', 901)], [false, true]);
  });
});
