import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf, draftRateCard, publishRateCard } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { expectedPricingType, marketOf, pricedAs } from './pricing-rules.ts';
import {
  categories,
  hasPassThrough,
  loadRateCards,
  loadRates,
  priceOf,
  pricingTypes,
  providerCostOf,
  type RateCard,
} from './rates.ts';

let app: TestApp;
let rates: RateCard;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  rates = await billingOf(app).write(loadRates);
});

const usual = { category: 'utility', pricingType: 'REGULAR', transport: 'cloud_api', market: 'FR' } as const;

suite('the price of a message', () => {
  test('is there for everything that can be sent, anywhere, and the lines are the total', () => {
    const anywhere = fc.oneof(
      fc.constantFrom(...rates.marketOfCountry.keys(), ...rates.marketOfCountry.values(), 'OTHER'),
      fc.stringMatching(/^[A-Z]{2}$/),
    );
    const sendable = fc.oneof(
      fc.record({ category: fc.constantFrom(...categories), transport: fc.constant('cloud_api' as const) }),
      fc.constant({ category: 'marketing', transport: 'marketing_messages' } as const),
    );
    fc.assert(
      fc.property(sendable, fc.constantFrom(...pricingTypes), anywhere, (sent, pricingType, market) => {
        const quote = priceOf(rates, { ...sent, pricingType, market });
        assert.equal(
          quote.lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
          quote.totalMinor,
        );
        assert.ok(quote.totalMinor >= 0n && providerCostOf(rates, { ...sent, pricingType, market }) >= 0n);
        if (pricingType !== 'REGULAR') assert.equal(quote.totalMinor, 0n);
        assert.deepEqual([quote.rateCardVersion, quote.currency, quote.scale], [1, 'USD', 6]);
      }),
      { numRuns: 2_000 },
    );
  });
  test('follows the market of the country: its own, its group, or OTHER', () => {
    const sent = (market: string) => {
      const quote = priceOf(rates, { ...usual, market });
      return [quote.market, quote.totalMinor, providerCostOf(rates, { ...usual, market })];
    };
    assert.deepEqual(sent('IN'), ['IN', 2000n, 1400n]);
    assert.deepEqual(sent('FR'), ['FR', 4000n, 30000n]);
    assert.deepEqual(sent('BE'), ['EUROPE_WEST', 4000n, 17100n]);
    assert.deepEqual(sent('US'), ['NORTH_AMERICA', 4000n, 3400n]);
    assert.deepEqual(sent('MT'), ['OTHER', 4000n, 7700n]);
    assert.deepEqual(sent('OTHER'), ['OTHER', 4000n, 7700n]);
  });
  test('in the mode partner is what direct costs and, on a line of its own, what the provider bills', async () => {
    const cards = await billingOf(app).write((t) => loadRateCards(t, [1, 2]));
    const second = cards.get(2)!.get('USD')!;
    assert.deepEqual([hasPassThrough(rates), hasPassThrough(second)], [false, true]);
    for (const market of ['FR', 'BE', 'IN', 'MT']) {
      const priced = { ...usual, market };
      const [direct, partner] = [priceOf(second, priced), priceOf(second, priced, 'partner')];
      // The mode direct costs what it did before there was another.
      assert.deepEqual({ ...direct, rateCardVersion: 1 }, priceOf(rates, priced));
      assert.deepEqual(partner.lines, [
        ...direct.lines,
        { kind: 'provider_pass_through', amountMinor: providerCostOf(second, priced) },
      ]);
      assert.equal(partner.totalMinor, direct.totalMinor + partner.passThroughMinor);
      assert.deepEqual(
        [direct.passThroughMinor, partner.passThroughMinor],
        [0n, providerCostOf(rates, priced)],
      );
    }
    const free = priceOf(second, { ...usual, pricingType: 'FREE_ENTRY_POINT' }, 'partner');
    assert.deepEqual([free.totalMinor, free.lines.length], [0n, 2]);
    // A card without such prices names none, rather than nothing.
    assert.throws(() => priceOf(rates, usual, 'partner'), RangeError);
  });
  test('of what no card knows is an error, not a guess', () => {
    assert.throws(() => priceOf(rates, { ...usual, transport: 'marketing_messages' }), RangeError);
  });
});

suite('a rate card', () => {
  const draft = (version: number, effectiveFrom: string) => draftRateCard(app, version, effectiveFrom);
  const publish = (version: number, at: string) => publishRateCard(app, version, at);
  const feeNow = async () => {
    const card = await billingOf(app).write(loadRates);
    return [card.version, priceOf(card, usual).totalMinor];
  };
  test('counts from its first instant on, and the newer of two that begin together', async () => {
    await draft(12, '2027-01-01T00:00:00Z');
    app.clock.set(new Date('2026-12-31T23:59:59.999Z'));
    assert.deepEqual(await feeNow(), [2, 4000n]);
    await publish(12, '2026-12-01T00:00:00Z');
    assert.deepEqual(await feeNow(), [2, 4000n]);
    app.clock.advance(1);
    assert.deepEqual(await feeNow(), [12, 8000n]);
    await draft(13, '2027-01-01T00:00:00Z');
    assert.deepEqual(await feeNow(), [12, 8000n]);
    await app.sql('update rates set amount_minor = 5 where version = 13');
    await publish(13, '2026-12-31T00:00:00Z');
    assert.deepEqual(await feeNow(), [13, 5n]);
  });
  test('that is published never changes, whoever asks', async () => {
    await draft(9, '2031-01-01T00:00:00Z');
    for (const statement of [
      'update rates set amount_minor = 1 where version = 1',
      'delete from rates where version = 1',
      `insert into rates values (1, 'platform_fee', 'utility', 'REGULAR', 'cloud_api', 'FR', 'USD', 1)`,
      'update rates set version = 1 where version = 9',
      `delete from rate_markets where version = 1 and country = 'FR'`,
      `insert into rate_markets values (1, 'MT', 'EUROPE_WEST')`,
      `update rate_cards set effective_from = '2030-01-01' where version = 1`,
      'delete from rate_cards where version = 1',
      `insert into rate_cards values (8, 6, '2030-01-01', '2029-01-01', 'x')`,
    ]) {
      await assert.rejects(app.sql(statement), { code: '42501' }, statement);
    }
  });
  test('with a gap, or that would begin before it is known, is not published', async () => {
    await draft(5, '2028-01-01T00:00:00Z');
    await assert.rejects(publish(5, '2028-01-01T00:00:01Z'), { code: '23514' });
    await app.sql(
      `delete from rates where version = 5 and currency = 'EUR' and kind = 'platform_fee' and category = 'service'
         and pricing_type = 'REGULAR' and market = 'OTHER'`,
    );
    await assert.rejects(publish(5, '2027-06-01T00:00:00Z'), { code: '23514' });
    await draft(6, '2028-01-01T00:00:00Z');
    await app.sql(
      `delete from rates where version = 6 and currency = 'EUR' and kind = 'provider_pass_through'`,
    );
    await assert.rejects(publish(6, '2027-06-01T00:00:00Z'), { code: '23514' });
    // Accounts that are billed through the operator have a price on every later card.
    await app.sql(`delete from rates where version = 6 and kind = 'provider_pass_through'`);
    await assert.rejects(publish(6, '2027-06-01T00:00:00Z'), { code: '23514' });
    await app.sql('delete from rates where version = 5');
    await assert.rejects(publish(5, '2027-06-01T00:00:00Z'), { code: '23514' });
  });
});

suite('what the provider charges for', () => {
  const before = new Date('2026-09-30T23:59:59.999Z');
  const since = new Date('2026-10-01T00:00:00Z');
  const type = (category: (typeof categories)[number], windowOpen: boolean, at: Date) =>
    expectedPricingType({ category, windowOpen, entryPointOpen: false, at });
  test('inside a service window: utility and service were free until October 2026', () => {
    assert.deepEqual(
      categories.map((category) => type(category, true, before)),
      ['REGULAR', 'REGULAR', 'REGULAR', 'FREE_CUSTOMER_SERVICE', 'FREE_CUSTOMER_SERVICE'],
    );
    for (const category of categories) {
      assert.equal(type(category, true, since), 'REGULAR');
      assert.equal(type(category, false, before), 'REGULAR');
    }
  });
  test('behind an advertisement everything is free, before and since', () => {
    for (const category of categories) {
      for (const at of [before, since]) {
        const occasion = { category, windowOpen: true, entryPointOpen: true, at };
        assert.equal(expectedPricingType(occasion), 'FREE_ENTRY_POINT');
      }
    }
  });
  const admitted = {
    category: 'marketing',
    pricingType: 'REGULAR',
    transport: 'marketing_messages',
  } as const;
  test('as it reports it itself: categories of its own making leave ours, unknown types are not guessed at', () => {
    const read = (typeText: string, category: string) => {
      const priced = pricedAs({ type: typeText, category }, admitted);
      return priced && [priced.pricingType, priced.category, priced.transport];
    };
    assert.deepEqual(read('regular', 'marketing_lite'), ['REGULAR', 'marketing', 'marketing_messages']);
    assert.deepEqual(read('regular', 'marketing'), ['REGULAR', 'marketing', 'cloud_api']);
    assert.deepEqual(read('regular', 'authentication-international'), [
      'REGULAR',
      'authentication_international',
      'cloud_api',
    ]);
    assert.deepEqual(read('free_entry_point', 'referral_conversion'), [
      'FREE_ENTRY_POINT',
      'marketing',
      'cloud_api',
    ]);
    assert.deepEqual(read('free_customer_service', 'service'), [
      'FREE_CUSTOMER_SERVICE',
      'service',
      'cloud_api',
    ]);
    assert.equal(read('half_price', 'utility'), null);
  });
  test('by the country of the number or of the BSUID', () => {
    const at = (identifierType: 'phone_e164' | 'bsuid' | 'username', value: string) =>
      marketOf({ identifierType, value });
    assert.equal(at('phone_e164', '+33612345678'), 'FR');
    assert.equal(at('phone_e164', '+14155552671'), 'US');
    assert.equal(at('phone_e164', '+14165550100'), 'CA');
    assert.equal(at('phone_e164', '+919876543210'), 'IN');
    assert.equal(at('phone_e164', '+88213000000'), 'OTHER');
    assert.equal(at('bsuid', 'FR.48120077310552911'), 'FR');
    assert.equal(at('bsuid', 'BR.ENT.4812'), 'BR');
    assert.equal(at('bsuid', 'ZZ.4812'), 'OTHER');
    assert.equal(at('bsuid', '4812'), 'OTHER');
    assert.equal(at('username', 'ines.martin'), 'OTHER');
  });
});
