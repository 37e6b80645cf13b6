import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { billingOf } from '../../../test/harness/billing.ts';
import { peopleOf, refused } from '../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { hold } from './wallets/holds.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const usd = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });

suite('wallets', () => {
  test('begin with play money in the sandbox and with nothing in live', async () => {
    const { accountSid, sandboxKey, liveKey } = await app.newAccount();
    const walletOf = async (key: string) =>
      (await app.get(`/v1/accounts/${accountSid}/billing/wallets`, bearer(key))).body.data;
    const [sandbox, ...more] = await walletOf(sandboxKey);
    assert.deepEqual(more, []);
    assert.deepEqual(
      { ...sandbox, id: null },
      {
        object: 'wallet',
        id: null,
        accountSid,
        livemode: false,
        currency: 'USD',
        commercialMode: 'prepaid',
        billingStatus: 'active',
        dunningState: 'none',
        available: usd('1000000000'),
        held: usd('0'),
        creditLimit: usd('0'),
        spendable: usd('1000000000'),
        createdAt: app.clock.now().toISOString(),
        updatedAt: app.clock.now().toISOString(),
      },
    );
    const [live] = await walletOf(liveKey);
    assert.deepEqual([live.livemode, live.available, live.spendable], [true, usd('0'), usd('0')]);
  });
  test('show what is held', async () => {
    const { accountSid, sandboxKey } = await app.newAccount();
    const billing = billingOf(app, { accountSid, livemode: false });
    await billing.write((t) => hold(t, [{ messageSid: billing.message(), amountMinor: 4000n }]));
    const { body } = await app.get(`/v1/accounts/${accountSid}/billing/wallets`, bearer(sandboxKey));
    assert.deepEqual([body.data[0].available, body.data[0].held], [usd('999996000'), usd('4000')]);
  });
  test('are found by currency, mode and state', async () => {
    const found = async (query: string) =>
      (await app.get(`${app.at}/billing/wallets?${query}`)).body.data.length;
    for (const query of [
      'currency=USD',
      'commercialMode=prepaid',
      'billingStatus=active',
      'dunningState=none',
    ])
      assert.equal(await found(query), 1, query);
    for (const query of ['currency=EUR', 'commercialMode=hybrid', 'billingStatus=x', 'dunningState=due'])
      assert.equal(await found(query), 0, query);
    refused(await app.get(`${app.at}/billing/wallets?currency=usd`), 400, 'VALIDATION_ERROR', 'currency');
    refused(await app.get(`${app.at}/billing/wallets?cursor=x`), 400, 'VALIDATION_ERROR', 'cursor');
  });
  test('come page by page, each once', async () => {
    const { accountSid, sandboxKey } = await app.newAccount();
    await app.sql(
      `insert into wallets (account_sid, livemode, id, currency, scale, pays, created_at, updated_at)
       select $1, false, gen_random_uuid(), code, 6, false, $2, $2 from unnest('{EUR,GBP,INR}'::text[]) as code`,
      [accountSid, app.clock.now()],
    );
    const at = `/v1/accounts/${accountSid}/billing/wallets?limit=1`;
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await app.get(cursor ? `${at}&cursor=${cursor}` : at, bearer(sandboxKey));
      seen.push(...body.data.map(({ currency }: { currency: string }) => currency));
      cursor = body.nextCursor;
    } while (cursor);
    assert.deepEqual(seen.sort(), ['EUR', 'GBP', 'INR', 'USD']);
  });
});

suite('prices', () => {
  test('are public, in every currency, and tell nothing of what the provider costs', async () => {
    const { status, body, text } = await app.get('/v1/pricing', { authorization: undefined });
    assert.equal(status, 200);
    assert.deepEqual([body.object, body.rateCardVersion, body.defaultMarket], ['pricing', 1, 'OTHER']);
    const of = (currency: string) =>
      body.rates.find(
        // biome-ignore lint/suspicious/noExplicitAny: a row of the answer
        (rate: any) =>
          rate.category === 'UTILITY' &&
          rate.pricingType === 'REGULAR' &&
          rate.market === 'OTHER' &&
          rate.price.currency === currency,
      ).price;
    assert.deepEqual(
      [of('USD'), of('EUR')],
      [usd('4000'), { amountMinor: '3600', currency: 'EUR', scale: 6 }],
    );
    assert.doesNotMatch(text, /cost|margin/i);
    // Only the provider's costs tell France apart.
    const priced = new Set(body.rates.map(({ market }: { market: string }) => market));
    assert.deepEqual([...priced].sort(), ['ID', 'IN', 'OTHER', 'PK']);
    assert.equal(body.rates.length, 72);
    const west = body.markets.find(({ market }: { market: string }) => market === 'EUROPE_WEST');
    assert.ok(west.countries.includes('BE'));
  });
  test('of an account are in the currency it pays in', async () => {
    const { body } = await app.get(`${app.at}/billing/rate-card`);
    assert.deepEqual([body.object, body.accountSid, body.version], ['rate_card', app.accountSid, 1]);
    const pricing = (await app.get('/v1/pricing')).body;
    assert.deepEqual(
      body.rates,
      pricing.rates.filter(({ price }: { price: { currency: string } }) => price.currency === 'USD'),
    );
    assert.deepEqual(body.markets, pricing.markets);
  });
});

suite('a quote', () => {
  let senderSid: string;
  before(async () => {
    senderSid = await peopleOf(app).sender();
  });
  const quote = (change: object = {}) =>
    app.post(`${app.at}/billing/message-quote`, {
      category: 'UTILITY',
      identifierType: 'PHONE_E164',
      recipient: '+33612345678',
      senderSid,
      ...change,
    });
  test('says what a message would cost, and why', async () => {
    const { status, body } = await quote();
    assert.equal(status, 200);
    assert.deepEqual(body, {
      object: 'message_quote',
      accountSid: app.accountSid,
      livemode: false,
      senderSid,
      recipient: { identifierType: 'PHONE_E164', value: '+33612345678' },
      category: 'UTILITY',
      pricingType: 'REGULAR',
      transport: 'CLOUD_API',
      market: 'FR',
      rateCardVersion: 1,
      lines: [{ kind: 'platform_fee', price: usd('4000') }],
      total: usd('4000'),
      createdAt: app.clock.now().toISOString(),
    });
  });
  test('takes each way to name a recipient', async () => {
    const market = async (identifierType: string, recipient: string) =>
      (await quote({ identifierType, recipient })).body.market;
    assert.equal(await market('PHONE_E164', '+91 98765 43210'), 'IN');
    assert.equal(await market('BSUID', 'ID.48120077310552911'), 'ID');
    assert.equal(await market('USERNAME', '@Ines.Martin'), 'OTHER');
  });
  test('knows the service window of the recipient', async () => {
    const people = peopleOf(app);
    const { sid, identifiers } = await people.contact();
    const recipient = identifiers[0].value;
    assert.equal((await quote({ recipient })).body.pricingType, 'REGULAR');
    await people.inbound(senderSid, sid);
    assert.deepEqual((await quote({ recipient })).body.total, usd('0'));
    assert.equal((await quote({ recipient })).body.pricingType, 'FREE_CUSTOMER_SERVICE');
    assert.equal((await quote({ recipient, category: 'MARKETING' })).body.pricingType, 'REGULAR');
    assert.equal((await quote({ recipient, senderSid: await people.sender() })).body.pricingType, 'REGULAR');
  });
  test('knows that the recipient came from an advertisement, for as long as that counts', async () => {
    const people = peopleOf(app);
    const { sid, identifiers } = await people.contact();
    const marketing = () => quote({ recipient: identifiers[0].value, category: 'MARKETING' });
    const hoursAgo = (hours: number) => new Date(app.clock.now().getTime() - hours * 3_600_000);
    await people.inbound(senderSid, sid, hoursAgo(24), { referred: true });
    assert.equal((await marketing()).body.pricingType, 'REGULAR');
    await people.inbound(senderSid, sid, hoursAgo(23), { referred: true });
    const { body } = await marketing();
    assert.deepEqual([body.pricingType, body.total], ['FREE_ENTRY_POINT', usd('0')]);
    assert.equal(
      (await quote({ recipient: '+33612345679', category: 'MARKETING' })).body.pricingType,
      'REGULAR',
    );
  });
  test('prices marketing messages apart, and nothing else by that transport', async () => {
    const transport = 'MARKETING_MESSAGES';
    assert.deepEqual((await quote({ category: 'MARKETING', transport })).body.total, usd('7000'));
    refused(await quote({ transport }), 400, 'VALIDATION_ERROR', 'transport');
  });
  test('names every field that is wrong', async () => {
    const reply = await quote({ category: 'GIFT', recipient: '123', transport: 'MARKETING_MESSAGES' });
    for (const path of ['category', 'recipient', 'transport']) refused(reply, 400, 'VALIDATION_ERROR', path);
    refused(await quote({ category: 'utility' }), 400, 'VALIDATION_ERROR', 'category');
    refused(await quote({ identifierType: 'phone_e164' }), 400, 'VALIDATION_ERROR', 'identifierType');
    refused(await quote({ recipient: '' }), 400, 'VALIDATION_ERROR', 'recipient');
    refused(await quote({ recipient: 'x'.repeat(513) }), 400, 'VALIDATION_ERROR', 'recipient');
    refused(await quote({ recipient: null }), 400, 'VALIDATION_ERROR', 'recipient');
  });
  test('knows no sender of another account, and none of the other environment', async () => {
    const stranger = await app.newAccount();
    const at = `/v1/accounts/${stranger.accountSid}/billing/message-quote`;
    const body = { category: 'UTILITY', identifierType: 'PHONE_E164', recipient: '+33612345678', senderSid };
    refused(await app.post(at, body, bearer(stranger.sandboxKey)), 404, 'NOT_FOUND', 'senderSid');
    const live = await app.post(`${app.at}/billing/message-quote`, body, bearer(app.liveKey));
    refused(live, 404, 'NOT_FOUND', 'senderSid');
  });
});
