import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { errorCatalogue } from '../../platform/errors/error-catalogue.ts';
import { type Doing, failureOf, knownCodes } from './errors.ts';

const send: Doing = { purpose: 'send' };

// What each code means, written down a second time: by hand, from the provider's documentation.
const expected: Record<string, string> = {
  PROVIDER_TOKEN_INVALID: '0 10 190 200 250 299 131005',
  PROVIDER_TEMPORARY_ERROR: '1+ 2+ 131000+ 131016+ 131057+ 133004+ 139102+ 139103+ 2494100+',
  PROVIDER_PERMANENT_ERROR:
    '3 100 131008 131009 135000 137000 131020 131041 131059 131201 131215 131044 138000 138025 139100 139101 ' +
    '2494164 2494179 2593079 2593085',
  PROVIDER_RATE_LIMITED: '4+ 613+ 80007+ 80008+ 130429+ 131056+',
  SENDER_NOT_READY: '33 131045 133010',
  WABA_RESTRICTED: '368 131031',
  NOT_FOUND: '803',
  RECIPIENT_UNREACHABLE: '1026 131026',
  ONBOARDING_CODE_EXPIRED: '36007 36009',
  CONTACT_SUPPRESSED: '130403',
  RECIPIENT_IN_EXPERIMENT: '130472',
  DESTINATION_POLICY_BLOCKED: '130497 131030',
  VALIDATION_ERROR: '131021 192 2388040 2388047 2388072 2388073 2388293 2388299 2388077',
  DISPLAY_NAME_NOT_APPROVED: '131037',
  PAYMENT_REQUIRED: '131042 134011',
  SERVICE_WINDOW_CLOSED: '131047',
  SENDER_RESTRICTED: '131048',
  RECIPIENT_MARKETING_CAP: '131049',
  RECIPIENT_OPTED_OUT: '131050',
  CAPABILITY_UNAVAILABLE: '131051 131060 147002 147003 147004 200005 200006 200007 2593109',
  MEDIA_PROVIDER_ERROR: '131052 131053',
  TRANSPORT_CATEGORY_MISMATCH: '131055 131061 131063 134100',
  RECIPIENT_ADDRESSING_UNSUPPORTED: '131062',
  SENDER_TEMPLATE_RESTRICTED: '131064',
  TEMPLATE_PROVIDER_ERROR: '132000 132005 132007 132008 132012 132018 200002 2388039',
  TEMPLATE_NOT_APPROVED: '132001 132016',
  TEMPLATE_PAUSED: '132015',
  FLOW_BLOCKED: '132068 139000',
  FLOW_ERROR: '132069+ 139001 139002 139003 139004 139006',
  MARKETING_MESSAGES_ERROR: '134101+ 134102 134103',
  REGISTRATION_ERROR:
    '133000+ 133005 133006 133008+ 133009+ 133015+ 133016 136024 136025 2388001 2388091 2388093 2388103',
  CONFLICT: '1752041 2593107 2593108 147001 147005 2388012 2388024',
  TEMPLATE_CAP_REACHED: '2388019',
  TEMPLATE_NAME_LOCKED: '2388023',
};
const rows = Object.entries(expected).flatMap(([code, numbers]) =>
  numbers.split(' ').map((text) => ({
    code,
    provider: Number(text.replace('+', '')),
    retryable: text.endsWith('+'),
  })),
);

suite("the provider's error codes", () => {
  for (const { code, provider, retryable } of rows) {
    test(`${provider} means ${code}${retryable ? ', and may be tried again' : ''}`, () => {
      const failure = failureOf({ code: provider, message: `(#${provider}) Title` }, send)!;
      assert.deepEqual(
        [failure.code, failure.retryable, failure.providerCode, failure.reason],
        [code, retryable, provider, `(#${provider}) Title`],
      );
    });
  }
  test('how long a PIN must wait is read from the words, where they tell', () => {
    const waits = ['Wait 20 seconds before the next try.', 'Try again in 720 minutes.', 'Later.'].map(
      (details) => failureOf({ code: 133009, error_data: { details } }, send)?.retryAfterMs,
    );
    assert.deepEqual(waits, [20_000, 720 * 60_000, null]);
    assert.equal(
      failureOf({ code: 133005, error_data: { details: 'Wait 9 hours.' } }, send)?.retryAfterMs,
      null,
    );
  });
  test('1 may be a fault of the provider or of the request: tried in vain it counts as final', () => {
    assert.deepEqual(
      knownCodes.flatMap(({ sample }) => failureOf({ code: sample }, send)?.endsAs ?? []),
      ['PROVIDER_PERMANENT_ERROR'],
    );
    assert.equal(failureOf({ code: 1 }, send)?.endsAs, 'PROVIDER_PERMANENT_ERROR');
  });
  test('every code of the table is expected here', () => {
    const tried = new Set(rows.map(({ provider }) => provider));
    assert.deepEqual(
      knownCodes.filter(({ sample }) => !tried.has(sample)),
      [],
    );
  });
  test('every code it maps to stands in the catalogue', () => {
    assert.deepEqual(
      knownCodes.filter(({ code }) => !Object.hasOwn(errorCatalogue, code)),
      [],
    );
  });

  const known = rows.filter(({ provider }) => provider >= 2_388_000 && provider < 2_500_000);
  test('management calls say what is wrong in the subcode', () => {
    for (const { provider, code, retryable } of known) {
      const failure = failureOf({ code: 100, error_subcode: provider }, { purpose: 'manage' })!;
      assert.deepEqual([failure.code, failure.retryable], [code, retryable]);
      assert.deepEqual([failure.providerCode, failure.providerSubcode], [100, provider]);
    }
  });
  test('an object the token does not reach is a connection that is gone', () => {
    assert.equal(failureOf({ code: 100, error_subcode: 33 }, send)?.code, 'WABA_NOT_CONNECTED');
  });
  test('a bad parameter is the fault of whoever waits, and of nobody once it was accepted', () => {
    assert.equal(failureOf({ code: 100 }, { purpose: 'manage' })?.code, 'VALIDATION_ERROR');
    assert.equal(failureOf({ code: 100 }, send)?.code, 'PROVIDER_PERMANENT_ERROR');
  });
  test('a PIN that does not match is no restriction of the account', () => {
    assert.equal(failureOf({ code: 131031 }, { purpose: 'register' })?.code, 'REGISTRATION_ERROR');
  });
  test('marketing withheld in the USA is the market, elsewhere the person', () => {
    const to = (recipient: string) => failureOf({ code: 131049 }, { purpose: 'send', recipient })?.code;
    assert.equal(to('+12125550123'), 'MARKET_EXCLUDED');
    assert.equal(to('12125550123'), 'MARKET_EXCLUDED');
    assert.equal(to('+14165550123'), 'RECIPIENT_MARKETING_CAP'); // Canada shares the country code
    assert.equal(to('+33612003400'), 'RECIPIENT_MARKETING_CAP');
  });
  test('words decide where the code alone does not', () => {
    const saying = (code: number, details: string, doing: Doing = { purpose: 'manage' }) =>
      failureOf({ code, error_data: { details } }, doing)?.code;
    assert.equal(saying(139002, 'The public key is not signed.'), 'FLOW_ENCRYPTION_KEY_MISSING');
    assert.equal(saying(2388103, 'Destination has no valid payment method'), 'PAYMENT_REQUIRED');
    assert.equal(saying(2388103, 'The display name is not approved'), 'DISPLAY_NAME_NOT_APPROVED');
    assert.equal(saying(134102, 'WABA is not onboarded', send), 'MARKETING_MESSAGES_NOT_ONBOARDED');
    assert.equal(
      saying(100, 'Numbers on the WhatsApp Business app cannot be deregistered', { purpose: 'deregister' }),
      'COEXISTENCE_DEREGISTER_UNSUPPORTED',
    );
  });

  test('a code nobody knows is final, unless the provider calls it passing', () => {
    const unknown = (more: object, httpStatus: number) => {
      const failure = failureOf({ code: 999_999, ...more }, send, { httpStatus })!;
      return [failure.code, failure.retryable, failure.providerCode];
    };
    assert.deepEqual(unknown({}, 400), ['PROVIDER_PERMANENT_ERROR', false, 999_999]);
    assert.deepEqual(unknown({}, 500), ['PROVIDER_TEMPORARY_ERROR', true, 999_999]);
    assert.deepEqual(unknown({ is_transient: true }, 400), ['PROVIDER_TEMPORARY_ERROR', true, 999_999]);
  });
  test('the code decides, whatever the HTTP status', () => {
    assert.equal(failureOf({ code: 131047 }, send, { httpStatus: 500 })?.retryable, false);
    assert.equal(failureOf({ code: 130429 }, send, { httpStatus: 429 })?.retryable, true);
  });
  test('what carries no code is no error of the provider', () => {
    for (const error of [null, undefined, 'x', {}, { code: 'abc' }, { code: 1.5 }, [], { code: null }]) {
      assert.equal(failureOf(error, send), null);
    }
  });
  test('the reason is what the provider said, however it said it', () => {
    const reasonOf = (error: object) => failureOf({ code: 131026, ...error }, send)?.reason;
    assert.equal(reasonOf({ title: 'T', message: 'T', error_data: { details: 'D.' } }), 'D. T');
    assert.equal(reasonOf({ error_data: 'bare' }), 'bare');
    assert.equal(reasonOf({ error_user_msg: 'For people.' }), 'For people.');
    assert.equal(reasonOf({}), 'The provider gave no reason.');
    assert.equal(reasonOf({ message: 'x'.repeat(5_000) })?.length, 1_000);
  });
});
