import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { errorKinds } from '../src/errors.ts';
import { sandboxToken } from '../src/index.ts';
import { hello, numberId, offer, portfolio, startKit, text, wabaId } from './harness.ts';

const sixDigits = (code: string) => code.padStart(6, '0');

suite('every code of the table', () => {
  const codes = Object.keys(errorKinds).filter((code) => code.length <= 6);
  test('comes back in the answer for a recipient that ends in 91 and the code', async (context) => {
    const kit = await startKit(context);
    for (const code of codes) {
      const { status, body } = await kit.send(hello, `+4915191${sixDigits(code)}`);
      assert.deepEqual([status, body.error.code], [errorKinds[Number(code)]!.http, Number(code)]);
      assert.equal(typeof body.error.fbtrace_id, 'string');
      assert.equal(body.error.type, 'OAuthException');
    }
    assert.equal(kit.control.counts().accepted, 0);
  });
  test('comes in a failed status for a recipient that ends in 90 and the code', async (context) => {
    const kit = await startKit(context);
    for (const code of codes) {
      const to = `+4915190${sixDigits(code)}`;
      assert.equal((await kit.send({ ...hello, biz_opaque_callback_data: code }, to)).status, 200);
    }
    const statuses = await kit.statuses();
    assert.deepEqual(
      statuses.map((one) => [one.status, one.biz_opaque_callback_data, String(one.errors[0].code)]),
      codes.map((code) => ['failed', code, code]),
    );
  });
});

suite('the error envelope', () => {
  test('has the details of WhatsApp codes, and a trace', async (context) => {
    const kit = await startKit(context);
    const { body, headers } = await kit.send(hello, '+4915191131056');
    assert.deepEqual(body.error, {
      message: '(#131056) Pair rate limit hit',
      type: 'OAuthException',
      code: 131056,
      error_data: { messaging_product: 'whatsapp', details: body.error.error_data.details },
      is_transient: true,
      fbtrace_id: headers.get('x-fb-trace-id'),
    });
    assert.match(headers.get('www-authenticate') ?? '', /^OAuth "Facebook Platform"/);
    assert.equal(headers.get('facebook-api-version'), 'v25.0');
    assert.equal(JSON.parse(headers.get('x-business-use-case-usage')!)[wabaId][0].type, 'messaging');
  });
  for (const [what, authorization] of [
    ['no token', ''],
    ['a token of another form', 'Bearer EAAB'],
    ['a token that says nothing', 'Bearer SIM.e30'],
    [
      "a token that claims another portfolio's account",
      `Bearer ${sandboxToken({ ...portfolio, businessId: '299999999999999', phoneNumbers: [] })}`,
    ],
  ] as const) {
    test(`${what} is refused with 401 and 190`, async (context) => {
      const kit = await startKit(context);
      await kit.known();
      const { status, body } = await kit.call('GET', `/v25.0/${numberId}`, undefined, { authorization });
      assert.deepEqual([status, body.error.code, body.error.type], [401, 190, 'OAuthException']);
    });
  }
  test('an object that is not there and one of another portfolio look the same', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    const other = sandboxToken({
      businessId: '300000000000001',
      wabaId: '304000200030001',
      phoneNumbers: [],
    });
    const refusals = await Promise.all([
      kit.call('GET', '/v25.0/999999999999999'),
      kit.call('GET', `/v25.0/${numberId}`, undefined, { authorization: `Bearer ${other}` }),
      kit.call(
        'POST',
        `/v25.0/${numberId}/messages`,
        { messaging_product: 'whatsapp', to: '+33612003400', ...text() },
        { authorization: `Bearer ${other}` },
      ),
    ]);
    for (const { status, body } of refusals) {
      assert.deepEqual(
        [status, body.error.code, body.error.error_subcode, body.error.type],
        [400, 100, 33, 'GraphMethodException'],
      );
    }
  });
});

suite('limits', () => {
  test('80 messages a second and number, then 130429', async (context) => {
    const kit = await startKit(context, { settings: {} });
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, i) => kit.send(hello, `+336120040${String(i).padStart(2, '0')}`)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ body }) => body.error.code),
      Array(10).fill(130429),
    );
    await kit.control.advance(1_000);
    assert.equal((await kit.send(hello)).status, 200);
  });
  test('45 messages to one person at once, then 131056 until six seconds are over', async (context) => {
    const kit = await startKit(context, { settings: {} });
    for (let i = 0; i < 45; i += 1) assert.equal((await kit.send(hello)).status, 200);
    assert.equal((await kit.send(hello)).body.error.code, 131056);
    await kit.control.advance(6_000);
    assert.equal((await kit.send(hello)).status, 200);
    assert.equal((await kit.send(hello)).body.error.code, 131056);
  });
  test('as many people in 24 hours as the portfolio may reach, then 131048; the same ones, and who wrote, still', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    kit.control.change('portfolios', portfolio.businessId, { messagingLimit: 'TIER_50' });
    const to = (i: number) => `+336120041${String(i).padStart(2, '0')}`;
    for (let i = 0; i < 50; i += 1) assert.equal((await kit.send(hello, to(i))).status, 200);
    assert.equal((await kit.send(hello, to(50))).body.error.code, 131048);
    assert.equal((await kit.send(hello, to(7))).status, 200);
    await kit.openWindow('33612004150');
    assert.equal((await kit.send(hello, to(50))).status, 200);
    await kit.control.advance(86_400_000);
    assert.equal((await kit.send(hello, to(51))).status, 200);
  });
  for (const [facts, code] of [
    [{ status: 'DISCONNECTED' }, 133010],
    [{ status: 'BANNED' }, 131031],
    [{ status: 'RESTRICTED' }, 131048],
    [{ status: 'DELETED' }, 33],
    [{ nameStatus: 'DECLINED' }, 131037],
  ] as const) {
    test(`a number with ${JSON.stringify(facts)} sends nothing: ${code}`, async (context) => {
      const kit = await startKit(context);
      await kit.known();
      kit.control.change('numbers', numberId, facts);
      assert.equal((await kit.send(hello)).body.error.code, code);
    });
  }
});

suite('what depends on the recipient or the account fails later', () => {
  test('131050 after the person stopped marketing, until they resume', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    const ends = async () => (await kit.statuses()).at(-1);
    kit.control.marketingPreference({ from: '33612003400', to: numberId, value: 'stop' });
    await kit.send(offer);
    assert.equal((await ends()).errors[0].code, 131050);
    kit.control.marketingPreference({ from: '33612003400', to: numberId, value: 'resume' });
    await kit.send(offer);
    assert.equal((await ends()).status, 'read');
  });
  test('131049 for marketing to the United States, not to Canada', async (context) => {
    const kit = await startKit(context);
    await kit.send(offer, '+12025550143');
    await kit.send(offer, '+14165550143');
    const ends = (await kit.statuses()).map((one) => one.errors?.[0].code ?? one.status);
    assert.deepEqual(ends, [131049, 'sent', 'delivered', 'read']);
  });
  test('131042 when the account cannot pay, 130403 when the person is blocked', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    kit.control.change('wabas', wabaId, { paymentOk: false });
    await kit.send(hello);
    kit.control.change('wabas', wabaId, { paymentOk: true });
    const block = { messaging_product: 'whatsapp', block_users: [{ user: '+33612003400' }] };
    assert.equal((await kit.call('POST', `/v25.0/${numberId}/block_users`, block)).status, 200);
    await kit.send(hello);
    assert.deepEqual(
      (await kit.statuses()).map((one) => one.errors[0].code),
      [131042, 130403],
    );
  });
});
