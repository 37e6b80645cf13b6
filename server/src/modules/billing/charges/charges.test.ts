import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce, billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { runCron } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { passingQuery, Sql } from '../../../platform/db/query.ts';
import { createPager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { addPeriod, closeUntil, nameInvoice, nameStatement, positionAt } from '../periods/periods.ts';
import { hold, release } from '../wallets/holds.ts';
import { type FinalPrice, settle } from '../wallets/settle.ts';
import { addAdjustment } from './adjust.ts';
import { adjustmentsOf, chargeOf, listChargesOf, usageBetween } from './charges.ts';
import { keepChargesMonths } from './crons.ts';
import type { ChargeResource } from './schema.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const day = 86_400_000;
const usd = (amountMinor: number) => ({ amountMinor: String(amountMinor), currency: 'USD', scale: 6 });

async function given() {
  const { accountSid, liveKey } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  await billing.credit(1_000_000n);
  const { id: walletId } = await billing.wallet();
  const send = async (held: bigint, wabaSid: string | null = null) => {
    const messageSid = billing.message();
    await billing.write((t) => hold(t, [{ messageSid, amountMinor: held, wabaSid }]));
    return messageSid;
  };
  const take = async (messageSid: string, amountMinor: bigint, more: Partial<FinalPrice> = {}) => {
    await billing.write((t) => settle(t, [priceFor(messageSid, amountMinor, more)]));
    return messageSid;
  };
  const at = `/v1/accounts/${accountSid}/billing/charges`;
  return {
    ...billing,
    accountSid,
    walletId,
    send,
    take,
    get: (path: string) => app.get(`${at}${path}`, bearer(liveKey)),
    async list(query = ''): Promise<ChargeResource[]> {
      const { status, body } = await app.get(`${at}?${query}`, bearer(liveKey));
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    },
    close: (startsAt: Date, endsAt: Date) =>
      billing.write(async (t) => {
        await closeUntil(t, walletId, endsAt);
        return addPeriod(t, { walletId, startsAt, endsAt });
      }),
  };
}

suite('a charge', () => {
  test('is written with the settlement, free messages included, and none without one', async () => {
    const wallet = await given();
    const senderSid = newSid('WA', app.clock.now());
    const wabaSid = newSid('WB', app.clock.now());
    const paid = await wallet.take(await wallet.send(5000n, wabaSid), 4000n, { senderSid });
    app.clock.advance(1000);
    const free = await wallet.take(await wallet.send(5000n), 0n, {
      pricingType: 'FREE_ENTRY_POINT',
      category: 'marketing',
      reported: null,
    });
    const unsent = await wallet.send(10n);
    await wallet.write((t) => release(t, [unsent]));
    // Settled and released holds are left as they are, and so are the charges.
    await wallet.take(paid, 9n);
    await wallet.take(unsent, 9n);
    const charges = await wallet.list();
    assert.deepEqual(
      charges.map(({ messageSid }) => messageSid),
      [free, paid],
    );
    assert.deepEqual(charges[1], {
      object: 'charge',
      id: charges[1]!.id,
      accountSid: wallet.accountSid,
      livemode: true,
      walletId: wallet.walletId,
      kind: 'MESSAGE',
      messageSid: paid,
      senderSid,
      campaignSid: null,
      wabaSid,
      category: 'UTILITY',
      pricingType: 'REGULAR',
      transport: 'CLOUD_API',
      market: 'FR',
      rateCardVersion: 1,
      basis: 'PROVIDER_REPORT',
      lines: [{ kind: 'platform_fee', price: usd(4000) }],
      amount: usd(4000),
      invoiceSid: null,
      statementSid: null,
      caseSid: null,
      chargedAt: new Date(app.clock.now().getTime() - 1000).toISOString(),
    });
    const { category, pricingType, basis, amount, wabaSid: none } = charges[0]!;
    assert.deepEqual(
      [category, pricingType, basis, amount, none],
      ['MARKETING', 'FREE_ENTRY_POINT', 'ESTIMATE', usd(0), null],
    );
    await wallet.balances();
  });

  test('keeps what its own message was charged as among others settled at once', async () => {
    const wallet = await given();
    const sids = [await wallet.send(9n), await wallet.send(9n), await wallet.send(9n)] as const;
    const finals = [
      priceFor(sids[0], 1n),
      priceFor(sids[1], 2n, { category: 'marketing', market: 'IN', reported: null }),
      priceFor(sids[2], 3n, { passThroughMinor: 1n }),
    ];
    await wallet.write((t) => settle(t, finals));
    const charges = new Map((await wallet.list()).map((charge) => [charge.messageSid, charge]));
    assert.deepEqual(
      sids.map((sid) => {
        const { category, market, basis, amount, lines } = charges.get(sid)!;
        return [category, market, basis, amount.amountMinor, lines.length];
      }),
      [
        ['UTILITY', 'FR', 'PROVIDER_REPORT', '1', 1],
        ['MARKETING', 'IN', 'ESTIMATE', '2', 1],
        ['UTILITY', 'FR', 'PROVIDER_REPORT', '3', 2],
      ],
    );
    assert.equal(new Set([...charges.values()].map(({ id }) => id)).size, 3);
    await wallet.balances();
  });

  test('has the provider’s part as a line of its own, and takes it first', async () => {
    const wallet = await given();
    const prices: [held: bigint, fee: bigint, pass: bigint][] = [
      [100n, 30n, 50n],
      [100n, 30n, 90n],
      [100n, 30n, 150n],
      [0n, 30n, 50n],
    ];
    for (const [held, fee, pass] of prices) {
      app.clock.advance(1);
      const message = await wallet.send(held);
      await wallet.take(message, fee + pass, { passThroughMinor: pass });
      const charge = await wallet.write((t) => chargeOf(t, message));
      assert.deepEqual([charge?.feeMinor, charge?.passThroughMinor], [fee, pass]);
    }
    const { available, held, revenue, provider_cost } = await wallet.balances();
    assert.deepEqual([held, revenue, provider_cost], [0n, 120n, 340n]);
    assert.equal(available, 1_000_000n - 460n);
    const all = await wallet.list();
    assert.deepEqual(all[0]!.lines, [
      { kind: 'platform_fee', price: usd(30) },
      { kind: 'provider_pass_through', price: usd(50) },
    ]);
  });

  test('is never changed or removed, by the owner of the database either', async () => {
    const wallet = await given();
    await wallet.take(await wallet.send(10n), 7n);
    for (const statement of ['update charges set fee_minor = 1', 'delete from charges', 'truncate charges']) {
      await assert.rejects(app.sql(statement), { code: '42501' }, statement);
    }
    const [charge] = await wallet.list();
    assert.deepEqual(charge!.amount, usd(7));
  });

  test('stands on the invoice and the statement of the period it falls into, the end of a period being the next one’s', async () => {
    const wallet = await given();
    const start = app.clock.now();
    const first = await wallet.take(await wallet.send(10n), 7n);
    app.clock.advance(1000);
    const end = app.clock.now();
    const onTheEdge = await wallet.take(await wallet.send(10n), 8n);
    app.clock.advance(1000);
    await wallet.close(start, end);
    await wallet.write(async (t) => {
      await nameInvoice(t, { walletId: wallet.walletId, from: 1, to: 1 }, 'IN1');
      await nameStatement(t, wallet.walletId, 1, 'ST1');
    });
    // A process whose clock is behind charges into the open period.
    app.clock.advance(-10_000);
    const late = await wallet.take(await wallet.send(10n), 9n);
    app.clock.advance(10_000);
    const rows = await wallet.write(async (t) => {
      const found = [];
      for (const sid of [first, onTheEdge, late]) found.push(await chargeOf(t, sid));
      return found;
    });
    assert.deepEqual(
      rows.map((row) => [row?.invoiceSid, row?.statementSid, row?.chargedAt]),
      [
        ['IN1', 'ST1', start.toISOString()],
        [null, null, end.toISOString()],
        [null, null, end.toISOString()],
      ],
    );
    await wallet.balances();
  });
});

suite('the list of charges', () => {
  test('is of a time, a sender or a campaign, from the first instant up to before the last', async () => {
    const wallet = await given();
    const [senderSid, campaignSid] = [newSid('WA', app.clock.now()), newSid('CP', app.clock.now())];
    const start = app.clock.now().toISOString();
    const a = await wallet.take(await wallet.send(10n), 1n, { senderSid });
    app.clock.advance(1000);
    const middle = app.clock.now().toISOString();
    const b = await wallet.take(await wallet.send(10n), 2n, { campaignSid });
    app.clock.advance(1000);
    const end = app.clock.now().toISOString();
    const c = await wallet.take(await wallet.send(10n), 3n, { senderSid, campaignSid });
    const listed = async (query: string) => (await wallet.list(query)).map(({ messageSid }) => messageSid);
    assert.deepEqual(await listed(''), [c, b, a]);
    assert.deepEqual(await listed(`from=${middle}`), [c, b]);
    assert.deepEqual(await listed(`to=${end}`), [b, a]);
    assert.deepEqual(await listed(`from=${start}&to=${middle}`), [a]);
    assert.deepEqual(await listed(`senderSid=${senderSid}`), [c, a]);
    assert.deepEqual(await listed(`campaignSid=${campaignSid}&from=${end}`), [c]);
    assert.deepEqual(await listed(`senderSid=${newSid('WA', app.clock.now())}`), []);
    const { status, body } = await wallet.get(`?from=${end}&to=${middle}`);
    assert.deepEqual(
      [status, body.error.code, body.error.details.map(({ path }: { path: string }) => path)],
      [400, 'VALIDATION_ERROR', ['to']],
    );
  });

  test('comes in pages over the months, each charge once', async () => {
    const wallet = await given();
    const [senderSid, campaignSid] = [newSid('WA', app.clock.now()), newSid('CP', app.clock.now())];
    const expected: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      // Several at the same instant, and a month between.
      const messages = [await wallet.send(1n), await wallet.send(1n), await wallet.send(1n)];
      await wallet.write((t) =>
        settle(
          t,
          messages.map((sid) => priceFor(sid, 1n, { senderSid, campaignSid })),
        ),
      );
      expected.push(...messages);
      app.clock.advance(31 * day);
    }
    const pages = async (query: string) => {
      const seen: ChargeResource[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await wallet.get(`?limit=5${query}${cursor}`);
        seen.push(...body.data);
        if (!body.hasMore) return seen;
        cursor = `&cursor=${body.nextCursor}`;
      }
    };
    const seen = await pages('');
    assert.deepEqual(seen.map(({ messageSid }) => messageSid).toSorted(), expected.toSorted());
    const times = seen.map(({ chargedAt }) => chargedAt);
    assert.deepEqual(times, times.toSorted().toReversed(), 'the newest first');
    // Those of a sender and of a campaign come by other indexes, in the same order.
    assert.deepEqual(await pages(`&senderSid=${senderSid}`), seen);
    assert.deepEqual(await pages(`&campaignSid=${campaignSid}`), seen);
    await wallet.balances();
  });

  test('shows nothing of another account or environment', async () => {
    const [wallet, other] = [await given(), await given()];
    await wallet.take(await wallet.send(1n), 1n);
    assert.deepEqual(await other.list(), []);
    const [{ id }] = (await wallet.list()) as [ChargeResource];
    assert.equal((await other.get(`/${id}`)).status, 404);
    assert.equal((await wallet.get(`/${id}`)).status, 200);
  });
});

suite('a month of charges', () => {
  test('is there whenever a message is settled, a year ahead and by many at once', async () => {
    const wallet = await given();
    const messages: string[] = [];
    for (let i = 0; i < 16; i += 1) messages.push(await wallet.send(1n));
    app.clock.advance(366 * day);
    const results = await atOnce(messages, (message) => wallet.take(message, 1n));
    assert.deepEqual(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    const month = `charges_${app.clock.now().toISOString().slice(0, 7).replace('-', '')}`;
    const [{ count }] = (await app.sql(
      `select count(*)::integer as count from ${month} where wallet_id = $1`,
      [wallet.walletId],
    )) as [{ count: number }];
    assert.equal(count, 16);
    await wallet.balances();
  });
  test('is made ahead, and no serving role gets around the rules of the whole', async () => {
    app.clock.advance(90 * day);
    await runCron(app, keepChargesMonths);
    const wallet = await given();
    app.clock.advance(31 * day);
    const month = `charges_${app.clock.now().toISOString().slice(0, 7).replace('-', '')}`;
    assert.equal(await app.count(`pg_class where relname = '${month}'`), 1);
    const past = passingQuery(new Sql([`select from ${month}`], []));
    await assert.rejects(
      wallet.write((t) => t.run(past)),
      { code: '42501' },
    );
  });
});

suite('an adjustment', () => {
  test('moves the difference, whatever is left, and is a charge of its own', async () => {
    const wallet = await given();
    const message = await wallet.take(await wallet.send(4000n), 4000n);
    const before = await wallet.balances();
    const caseSid = newSid('CS', app.clock.now());
    const add = (amountMinor: bigint, passThroughMinor = 0n) =>
      wallet.write((t) =>
        addAdjustment(t, {
          walletId: wallet.walletId,
          caseSid,
          amountMinor,
          passThroughMinor,
          messageSid: message,
        }),
      );
    app.clock.advance(1000);
    await add(2100n, 100n);
    app.clock.advance(1000);
    await add(-540n, -40n);
    app.clock.advance(1000);
    const id = await add(3_000_000n);
    const { available, revenue, provider_cost } = await wallet.balances();
    assert.deepEqual(
      [available! - before.available!, revenue! - before.revenue!, provider_cost],
      [-3_001_560n, 3_001_500n, 60n],
    );
    const adjustments = await wallet.write((t) => adjustmentsOf(t, message));
    assert.deepEqual(
      adjustments.map(({ kind, basis, feeMinor, passThroughMinor }) => [
        kind,
        basis,
        feeMinor,
        passThroughMinor,
      ]),
      [
        ['ADJUSTMENT', 'REMEDIATION', 3_000_000n, 0n],
        ['ADJUSTMENT', 'REMEDIATION', -500n, -40n],
        ['ADJUSTMENT', 'REMEDIATION', 2000n, 100n],
      ],
    );
    const { body } = await wallet.get(`/${id}`);
    assert.deepEqual(
      [
        body.charge.caseSid,
        body.charge.amount,
        body.movements.map(({ kind }: { kind: string }) => kind),
        body.report,
      ],
      [caseSid, usd(3_000_000), ['adjust_charge'], null],
    );
    assert.equal((await wallet.write((t) => chargeOf(t, message)))?.feeMinor, 4000n);
    await assert.rejects(
      wallet.write((t) => addAdjustment(t, { walletId: crypto.randomUUID(), caseSid, amountMinor: 1n })),
    );
  });
});

suite('why a message cost what it cost', () => {
  test('is told down to the row of the card, the provider’s word, the hold and the transfers', async () => {
    const wallet = await given();
    const start = app.clock.now();
    const message = await wallet.take(await wallet.send(5000n), 4000n);
    app.clock.advance(1000);
    const period = await wallet.close(start, app.clock.now());
    const [{ id }] = (await wallet.list()) as [ChargeResource];
    const { body } = await wallet.get(`/${id}`);
    assert.equal(body.charge.messageSid, message);
    assert.deepEqual(
      { ...body, charge: null },
      {
        object: 'charge_explanation',
        charge: null,
        rate: {
          version: 1,
          effectiveFrom: '2025-07-01T00:00:00.000Z',
          market: 'FR',
          lines: [{ kind: 'platform_fee', price: usd(4000) }],
        },
        report: { type: 'regular', category: 'utility', model: 'pmp', billable: true },
        hold: { amount: usd(5000), heldAt: start.toISOString(), closedAt: start.toISOString() },
        movements: [
          { kind: 'capture', amount: usd(4000), at: start.toISOString() },
          { kind: 'hold', amount: usd(5000), at: start.toISOString() },
          { kind: 'release', amount: usd(1000), at: start.toISOString() },
        ],
        period: {
          number: 1,
          startsAt: period.startsAt,
          endsAt: period.endsAt,
          invoiceSid: null,
          statementSid: null,
        },
        invoiceLine: null,
      },
    );
  });
  test('is not told of a charge that is not there, whatever its id', async () => {
    const wallet = await given();
    for (const id of [
      crypto.randomUUID(),
      'ffffffff-ffff-4fff-bfff-ffffffffffff',
      '00000000-0000-0000-0000-000000000000',
    ]) {
      assert.equal((await wallet.get(`/${id}`)).status, 404, id);
    }
    assert.equal((await wallet.get('/x')).status, 400);
  });
});

test('usage is grouped by what messages were charged as and for how much each, and each group lists its charges', async () => {
  const wallet = await given();
  const start = app.clock.now();
  for (const [amount, more] of [
    [10n, {}],
    [10n, {}],
    [20n, {}],
    [10n, { market: 'IN' }],
    [0n, { pricingType: 'FREE_ENTRY_POINT' }],
  ] as const) {
    await wallet.take(await wallet.send(50n), amount, more);
  }
  app.clock.advance(1000);
  const end = app.clock.now();
  await wallet.take(await wallet.send(50n), 50n);
  app.clock.advance(1000);
  const usage = await wallet.write((t) => usageBetween(t, wallet.walletId, start, end));
  assert.deepEqual(
    usage.map((u) => [
      u.category,
      u.market,
      u.pricingType,
      u.transport,
      u.unitPriceMinor,
      u.quantity,
      u.amountMinor,
    ]),
    [
      ['utility', 'FR', 'FREE_ENTRY_POINT', 'cloud_api', 0n, 1, 0n],
      ['utility', 'FR', 'REGULAR', 'cloud_api', 10n, 2, 20n],
      ['utility', 'FR', 'REGULAR', 'cloud_api', 20n, 1, 20n],
      ['utility', 'IN', 'REGULAR', 'cloud_api', 10n, 1, 10n],
    ],
  );
  const group = { ...usage[1]!, walletId: wallet.walletId, from: start, to: end };
  const pager = createPager(app.sealer, 'test', null, {});
  const { data } = await wallet.write((t) => listChargesOf(t, group, pager));
  assert.deepEqual(
    data.map(({ amount, market, pricingType }) => [amount, market, pricingType]),
    [
      [usd(10), 'FR', 'REGULAR'],
      [usd(10), 'FR', 'REGULAR'],
    ],
  );
  const position = (at: Date) => wallet.write((t) => positionAt(t, wallet.walletId, at));
  assert.equal(await position(end), 1_000_000n - 50n);
  assert.equal(await position(app.clock.now()), 1_000_000n - 100n);
  assert.deepEqual(await wallet.write((t) => usageBetween(t, wallet.walletId, null, start)), []);
});
