// What messages cost whose business account the operator pays the provider for.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf } from '../../../../test/harness/billing.ts';
import { partnerPricesBegin } from '../../../../test/harness/billing-mode.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { moveMoney } from '../../billing/index.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import type { ProviderStatus } from '../../provider/index.ts';
import { type BillingMode, setBillingMode } from '../../wabas/index.ts';
import { applyStatuses } from '../index.ts';

let app: TestApp;
let sender: { sid: string; wabaSid: string };
let wallet: ReturnType<typeof billingOf>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  app.clock.set(partnerPricesBegin);
  sender = (await app.get(`${app.at}/senders?limit=1`)).body.data[0];
  wallet = billingOf(app, { livemode: false });
});

// France: 0.004 for the platform, 0.03 for the provider.
const [fee, passed] = ['4000', '30000'];
const usd = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });
const template = { name: 'hello_world', language: 'en' };

const inMode = (mode: BillingMode) => write({ app }, (t) => setBillingMode(t, sender.wabaSid, mode));
const message = () => ({
  to: newPhone(),
  from: sender.sid,
  type: 'template',
  template,
});
async function sent(): Promise<{ sid: string; estimate: string }> {
  const { status, body, text } = await app.post(`${app.at}/messages`, message());
  assert.equal(status, 201, text);
  return { sid: body.sid, estimate: body.price.estimate.amountMinor };
}
const told = (sid: string, status: 'sent' | 'delivered', pricing: ProviderStatus['pricing']) =>
  write({ app }, (t) =>
    applyStatuses(t, [
      {
        providerMessageId: `wamid.${sid}`,
        status,
        opaque: sid,
        occurredAt: app.clock.now(),
        recipient: { waId: null, bsuid: null, parentBsuid: null },
        pricing,
        conversation: null,
        failure: null,
        senderSid: sender.sid,
        wabaSid: sender.wabaSid,
      } as never,
    ]),
  );
const regular = { billable: true, model: 'PMP', type: 'regular', category: 'utility' } as const;
const moves = async (sid: string) =>
  Object.fromEntries(
    (
      await app.sql<{ kind: string; amount: string }>(
        'select kind, amount_minor as amount from ledger_transfers where reference = $1 order by kind',
        [sid],
      )
    ).map(({ kind, amount }) => [kind, amount]),
  );

suite('in the mode partner', () => {
  test('quote, preflight and hold have the provider’s part on a line of its own; direct costs what it did', async () => {
    const quote = async () =>
      (
        await app.post(`${app.at}/billing/message-quote`, {
          category: 'UTILITY',
          identifierType: 'PHONE_E164',
          recipient: '+33612345678',
          senderSid: sender.sid,
        })
      ).body;
    const direct = await quote();
    assert.deepEqual([direct.lines, direct.total], [[{ kind: 'platform_fee', price: usd(fee!) }], usd(fee!)]);
    assert.equal((await sent()).estimate, fee);
    assert.deepEqual((await app.get(`${app.at}/billing/rate-card`)).body.passThroughRates, []);

    await inMode('partner');
    const partner = await quote();
    const lines = [
      ['platform_fee', fee],
      ['provider_pass_through', passed],
    ] as const;
    assert.deepEqual(
      partner.lines,
      lines.map(([kind, amount]) => ({ kind, price: usd(amount!) })),
    );
    assert.deepEqual(partner.total, usd('34000'));
    const preflight = (await app.post(`${app.at}/messages/preflight`, message())).body;
    assert.deepEqual(
      [preflight.cost.total, preflight.cost.lines],
      [usd('34000'), lines.map(([kind, amount]) => ({ kind, amount: usd(amount!) }))],
    );
    const before = await wallet.balances();
    assert.equal((await sent()).estimate, '34000');
    assert.equal((await wallet.balances()).held! - before.held!, 34_000n);

    // The account is told its own prices; everybody is told the fee, and nobody the provider's cost.
    const card = (await app.get(`${app.at}/billing/rate-card`)).body;
    const french = (rates: { market: string; category: string; pricingType: string; price: object }[]) =>
      rates.find((one) => one.market === 'FR' && one.category === 'UTILITY' && one.pricingType === 'REGULAR');
    assert.deepEqual(french(card.passThroughRates)!.price, usd(passed!));
    const open = (await app.get('/v1/pricing')).body;
    assert.deepEqual([open.rateCardVersion, 'passThroughRates' in open], [2, false]);
    assert.doesNotMatch(JSON.stringify(open), /provider_/);
    await inMode('direct');
  });

  test('the provider’s part goes to what is owed to it, the rest to the platform', async () => {
    await inMode('partner');
    const { sid } = await sent();
    await told(sid, 'sent', regular); // the price comes before the delivery
    await told(sid, 'delivered', null);
    const taken = await moves(sid);
    assert.deepEqual([taken.capture, taken.capture_provider], [fee, passed]);
    const { body } = await app.get(`${app.at}/billing/charges?limit=1`);
    assert.deepEqual(
      [body.data[0].messageSid, body.data[0].lines, body.data[0].amount],
      [
        sid,
        [
          { kind: 'platform_fee', price: usd(fee!) },
          { kind: 'provider_pass_through', price: usd(passed!) },
        ],
        usd('34000'),
      ],
    );
    await wallet.balances(); // and the books agree
    await inMode('direct');
  });

  test('a message that turns out free costs nothing of either', async () => {
    await inMode('partner');
    const { sid } = await sent();
    await told(sid, 'delivered', { ...regular, billable: false, type: 'free_customer_service' });
    const { capture, capture_provider: provider, release } = await moves(sid);
    assert.deepEqual([capture, provider, release], [undefined, undefined, '34000']);
    await inMode('direct');
  });

  test('a dearer category takes more of both, beyond what was held', async () => {
    await inMode('partner');
    const { sid } = await sent();
    await told(sid, 'delivered', { ...regular, category: 'marketing' });
    const taken = await moves(sid);
    const sum = (...kinds: string[]) => kinds.reduce((total, kind) => total + Number(taken[kind] ?? 0), 0);
    assert.deepEqual(
      [sum('capture', 'overage'), sum('capture_provider', 'overage_provider'), sum('release')],
      [6_000, 85_900, 0],
    );
    await wallet.balances();
    await inMode('direct');
  });

  test('what a message costs is decided when it is accepted, whatever the mode is when it arrives', async () => {
    await inMode('partner');
    const asPartner = await sent();
    await inMode('direct');
    const asDirect = await sent();
    await told(asPartner.sid, 'delivered', regular);
    await inMode('partner');
    await told(asDirect.sid, 'delivered', regular);
    assert.equal((await moves(asPartner.sid)).capture_provider, passed);
    const direct = await moves(asDirect.sid);
    assert.deepEqual([direct.capture, direct.capture_provider], [fee, undefined]);
    await inMode('direct');
  });

  test('a wallet with enough for the fee alone is not enough', async () => {
    await inMode('partner');
    const { id, availableMinor } = await wallet.wallet();
    const back = availableMinor - 33_999n;
    await write({ app }, (t) =>
      moveMoney(t, { walletId: id, reference: 'spent', moves: { play_money_back: back } }),
    );
    const refused = await app.post(`${app.at}/messages`, message());
    assert.equal(refused.body.error.code, 'INSUFFICIENT_FUNDS');
    await inMode('direct');
    assert.equal((await app.post(`${app.at}/messages`, message())).status, 201);
  });
});
