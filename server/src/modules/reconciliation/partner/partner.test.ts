// Differences with the provider where the operator pays it: cost of places, monthly totals, and charging anew.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { costOf } from '@godwit/simulator';
import { Registry } from 'prom-client';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf } from '../../../../test/harness/billing.ts';
import { partnerPricesBegin } from '../../../../test/harness/billing-mode.ts';
import { runCron, runJob, scripted, write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { person } from '../../../../test/harness/people.ts';
import { partnerTotals } from '../../../main/commands/reconciliation.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { loadRateCards, passedOnBetween, priceOf } from '../../billing/index.ts';
import { applyStatuses } from '../../messages/index.ts';
import { giveUpSilent } from '../../messages/reports/silence.ts';
import type { BusinessInvoice, PricingCount, ProviderStatus } from '../../provider/index.ts';
import { type BillingMode, setBillingMode } from '../../wabas/index.ts';
import type { ReconciliationCase } from '../cases/schema.ts';
import { observeCases } from '../metrics.ts';
import { casesOf } from '../reconciliation.test-data.ts';
import type { RemediationPricing } from '../remediation/schema.ts';
import { remediationKeys, signRemediation } from '../remediation/signature.ts';
import { compareStatement } from '../statements/compare-statement.ts';
import { lookAtPartnerTotals, totalsOf } from './totals.ts';

let app: TestApp;
let sender: { sid: string; wabaSid: string; phoneNumber: string };
let wallet: ReturnType<typeof billingOf>;
let cases: ReturnType<typeof casesOf>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  app.clock.set(partnerPricesBegin);
  sender = (await app.get(`${app.at}/senders?limit=1`)).body.data[0];
  wallet = billingOf(app, { livemode: false });
  cases = casesOf(app, app);
  await inMode('partner');
});

// France: 0.004 for the platform, 0.03 for the provider; marketing 0.006 and 0.0859.
const template = { name: 'hello_world', language: 'en' };
const inMode = (mode: BillingMode) => write({ app }, (t) => setBillingMode(t, sender.wabaSid, mode));
let recipients = 0;
async function sent(): Promise<string> {
  recipients += 1;
  const to = `+3361200${String(recipients).padStart(4, '0')}`;
  const message = { to, from: sender.sid, type: 'template', template };
  const { status, body, text } = await app.post(`${app.at}/messages`, message);
  assert.equal(status, 201, text);
  return body.sid;
}
const regular = { billable: true, model: 'PMP', type: 'regular', category: 'utility' };
const told = (sid: string, status: ProviderStatus['status'], pricing: ProviderStatus['pricing']) =>
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
async function delivered(count: number): Promise<string[]> {
  const sids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const sid = await sent();
    await told(sid, 'sent', regular);
    await told(sid, 'delivered', regular);
    sids.push(sid);
  }
  return sids;
}
const dayMs = 86_400_000;
/** So far that the provider may not have put a message of the one day on the other. */
const apart = 3 * dayMs;

/** The day as the provider counts it. */
function comparing() {
  const today = app.clock.now().toISOString().slice(0, 10);
  const count = (volume: number, cost: number | null, more: Partial<PricingCount> = {}): PricingCount => ({
    day: today,
    phoneNumber: sender.phoneNumber.slice(1),
    country: 'FR',
    category: 'utility',
    type: 'regular',
    volume,
    cost,
    ...more,
  });
  const compare = (...counts: PricingCount[]) =>
    runJob(
      { app, provider: { pricingAnalytics: async () => ({ ok: true, value: { counts } }) } },
      compareStatement,
      {
        wabaSid: sender.wabaSid,
        from: new Date(today).toISOString(),
        to: new Date(Date.parse(today) + dayMs).toISOString(),
      },
    );
  const found = async () => (await cases.all()).filter(({ bucket }) => bucket?.day === today);
  return { count, compare, found };
}

suite('the cost of a place', () => {
  test('that the provider bills otherwise opens one case without an amount, and is settled when it agrees', async () => {
    await delivered(3);
    const { compare, count, found } = comparing();
    await compare(count(3, 0.09));
    assert.deepEqual(await found(), []);
    await compare(count(3, 0.12));
    await compare(count(3, 0.12));
    const [opened, ...others] = (await found()) as [ReconciliationCase];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [opened.outcome, opened.source, opened.messageCount, opened.difference],
      ['amount_mismatch', 'analytics', 3, null],
    );
    // What the provider asks the operator for is none of the customer's business.
    assert.deepEqual([opened.expected.amount, opened.reported.amount], [null, null]);
    assert.deepEqual(
      opened.findings.map(({ text }) => text),
      ['The provider bills another cost for 3 as utility, regular than was passed on.'],
    );
    await compare(count(3, 0.09));
    const [settled] = await found();
    assert.deepEqual([settled!.sid, settled!.state], [opened.sid, 'resolved']);
    app.clock.advance(apart);
  });

  test('is not compared where the counts differ, where the business pays a part itself, or where nobody tells', async () => {
    const { compare, count, found } = comparing();
    await delivered(2);
    await compare(count(2, null));
    await inMode('direct');
    await delivered(1);
    await inMode('partner');
    await compare(count(3, 9));
    assert.deepEqual(await found(), []);
    await compare(count(4, 9));
    assert.deepEqual(
      (await found()).map(({ outcome }) => outcome),
      ['unexpected_provider_charge'],
    );
    app.clock.advance(apart);
  });

  test('is what it was charged as after a correction', async () => {
    const [sid] = (await delivered(1)) as [string];
    await told(sid, 'read', { ...regular, category: 'marketing' });
    await cases.look();
    const doubted = (await cases.all()).find(({ messageSids }) => messageSids.includes(sid))!;
    assert.equal((await remediate(doubted, pricing())).status, 200);
    const { compare, count, found } = comparing();
    // Our place is still the one of the first report; what was passed on for it is that of marketing.
    await compare(count(1, 0.0859));
    assert.deepEqual(await found(), []);
    app.clock.advance(apart);
  });
});

const pricing = (more: Partial<RemediationPricing> = {}): RemediationPricing => ({
  billable: true,
  category: 'MARKETING',
  customerCurrency: 'USD',
  market: 'FR',
  pricingModel: 'PMP',
  pricingType: 'REGULAR',
  providerEvidence: { ticket: 'SUP-1' },
  transport: 'CLOUD_API',
  ...more,
});
async function remediate(found: ReconciliationCase, as: RemediationPricing) {
  const owner = await person(app, { accountSid: app.accountSid });
  const signature = signRemediation(remediationKeys(app.sealer)[0]!, found, as);
  const stepUpToken = await owner.stepUp('PRICING_REMEDIATE');
  const body = { signature, stepUpToken, pricing: as };
  return app.post(`${app.at}/billing/pricing-remediation/${found.sid}`, body, owner.headers);
}
const linesOf = async (sid: string) => {
  const rows = await app.sql<{ kind: string; fee: string; pass: string }>(
    `select kind, fee_minor as fee, pass_through_minor as pass from charges where message_sid = $1 order by kind desc, charged_at, id`,
    [sid],
  );
  return rows.map(({ kind, fee, pass }) => [kind, fee, pass]);
};

suite('charging a message anew that the operator paid the provider for', () => {
  const caseOf = async (sid: string) =>
    (await cases.all()).find(
      ({ messageSids, state }) => messageSids.includes(sid) && state !== 'resolved',
    ) as ReconciliationCase;

  test('as dearer takes more for the platform and for the provider, each its own part', async () => {
    const [sid] = (await delivered(1)) as [string];
    await told(sid, 'read', { ...regular, category: 'marketing' });
    await cases.look();
    const before = await wallet.balances();
    const { body, text } = await remediate(await caseOf(sid), pricing());
    assert.equal(body.resolution?.adjusted.amountMinor, String(91_900 - 34_000), text);
    assert.deepEqual(await linesOf(sid), [
      ['MESSAGE', '4000', '30000'],
      ['ADJUSTMENT', '2000', '55900'],
    ]);
    const after = await wallet.balances();
    assert.deepEqual(
      [
        after.available! - before.available!,
        after.revenue! - before.revenue!,
        after.provider_cost! - before.provider_cost!,
      ],
      [-57_900n, 2_000n, 55_900n],
    );
  });

  test('as not billed gives both parts back', async () => {
    const [sid] = (await delivered(1)) as [string];
    await told(sid, 'read', { ...regular, category: 'marketing' });
    await cases.look();
    const { body, text } = await remediate(await caseOf(sid), pricing({ billable: false }));
    assert.equal(body.resolution?.adjusted.amountMinor, '-34000', text);
    assert.deepEqual(await linesOf(sid), [
      ['MESSAGE', '4000', '30000'],
      ['ADJUSTMENT', '-4000', '-30000'],
    ]);
    await wallet.balances();
  });

  test('in the customer’s favour happens by itself, of both parts', async () => {
    const [sid] = (await delivered(1)) as [string];
    await told(sid, 'read', { ...regular, billable: false, type: 'free_customer_service' });
    await cases.look();
    assert.deepEqual(await linesOf(sid), [
      ['MESSAGE', '4000', '30000'],
      ['ADJUSTMENT', '-4000', '-30000'],
    ]);
    const settled = (await cases.all()).find(({ messageSids }) => messageSids.includes(sid))!;
    assert.deepEqual([settled.state, settled.resolution!.adjusted!.amountMinor], ['resolved', '-34000']);
    await wallet.balances();
  });

  test('whose money was given back takes both parts, though nothing was charged before', async () => {
    const sid = await sent();
    await told(sid, 'sent', null);
    app.clock.advance(32 * dayMs);
    await write({ app }, (t) => giveUpSilent(t, [sid]));
    await cases.look();
    const found = await caseOf(sid);
    assert.ok(found, JSON.stringify(await cases.all()));
    const { status, text } = await remediate(found, pricing({ category: 'UTILITY' }));
    assert.equal(status, 200, text);
    assert.deepEqual(await linesOf(sid), [['ADJUSTMENT', '4000', '30000']]);
    await wallet.balances();
  });
});

suite('the provider’s monthly bills of the operator', () => {
  const bill = (more: Partial<BusinessInvoice>): BusinessInvoice => ({
    id: '1',
    month: '2026-12',
    kind: 'bill',
    currency: 'USD',
    netMinor: 0n,
    scale: 2,
    ...more,
  });

  test('are added up by currency, credits taken off and announcements left out, against what accounts paid', () => {
    const bills = [
      bill({ netMinor: 1_000n }),
      bill({ netMinor: 25n, scale: 1 }),
      bill({ kind: 'credit', netMinor: 50n }),
      bill({ kind: null, netMinor: 999_999n }),
      bill({ currency: 'EUR', netMinor: 7n, scale: 0 }),
    ];
    const paid = [
      { currency: 'USD', scale: 6, amountMinor: 12_000_000n },
      { currency: 'GBP', scale: 6, amountMinor: 1n },
    ];
    assert.deepEqual(totalsOf(bills, paid), [
      { currency: 'EUR', billedMinor: 7_000_000n, passedOnMinor: 0n },
      { currency: 'GBP', billedMinor: 0n, passedOnMinor: 1n },
      { currency: 'USD', billedMinor: 12_000_000n, passedOnMinor: 12_000_000n },
    ]);
  });

  test('are compared each day, month by month; one that is off is counted, told and followed when it is corrected', async () => {
    const start = new Date(Date.UTC(app.clock.now().getUTCFullYear() + 1, 1, 3));
    app.clock.set(start);
    await delivered(2); // 0.06 in February
    app.clock.set(new Date(Date.UTC(start.getUTCFullYear(), 2, 5)));
    const month = `${start.getUTCFullYear()}-02`;
    const asked: object[] = [];
    const look = async (...items: BusinessInvoice[]) => {
      const provider = scripted({
        async listBusinessInvoices(_connection, businessId, span) {
          asked.push({ businessId, from: span.from.toISOString(), to: span.to.toISOString() });
          const half = Math.ceil(items.length / 2);
          return span.after === null
            ? { ok: true, value: { items: items.slice(0, half), after: 'more' } }
            : { ok: true, value: { items: items.slice(half), after: null } };
        },
      });
      await runCron(app, lookAtPartnerTotals, { ports: { ...app.ports, provider }, site: app.site() });
      const lines: string[] = [];
      const agreed = await partnerTotals(app.database, (line) => lines.push(line));
      const registry = new Registry();
      observeCases({ registry, database: app.database, now: () => app.clock.now(), site: app.site });
      const off = /^godwit_partner_totals_off\{environment="sandbox"\} (\d)/m.exec(
        await registry.metrics(),
      )?.[1];
      return { agreed, off, line: lines.find((line) => line.startsWith(month)) };
    };
    const right = bill({ month, netMinor: 6n });
    const wrong = [bill({ month, netMinor: 700n }), bill({ id: '2', month, netMinor: 8n })];
    const disagreed = await look(...wrong);
    assert.deepEqual([disagreed.agreed, disagreed.off], [false, '1']);
    assert.match(disagreed.line!, /sandbox: billed 7\.080000 USD, charged to accounts 0\.060000 USD: OFF/);
    const corrected = await look(right);
    assert.deepEqual([corrected.agreed, corrected.off], [true, '0']);
    assert.match(corrected.line!, /billed 0\.060000 USD, charged to accounts 0\.060000 USD: agrees/);
    // Live accounts have no partner here: only the sandbox's is asked, for the months that are over.
    assert.deepEqual(asked[0], {
      businessId: app.ports.providerPartner.sandbox.businessId,
      from: new Date(Date.UTC(start.getUTCFullYear() - 1, 11)).toISOString(),
      to: new Date(Date.UTC(start.getUTCFullYear(), 2)).toISOString(),
    });
  });

  test('are asked for again when the provider does not answer, and left when it refuses', async () => {
    const failing = (retryable: boolean) => {
      const failure = { code: 'PROVIDER_TEMPORARY_ERROR', retryable, reason: 'busy' } as never;
      const provider = scripted({ listBusinessInvoices: async () => ({ ok: false, failure }) });
      return runCron(app, lookAtPartnerTotals, { ports: { ...app.ports, provider }, site: app.site() });
    };
    await assert.rejects(failing(true), /busy/);
    await failing(false);
  });
});

test('what accounts were charged for the bills is summed by an index that has nothing else in it', async () => {
  const plan = await app.database.system(async (s) => {
    let asked: Sql | null = null;
    const many = async (query: Sql) => {
      asked = query;
      return [];
    };
    const month = { livemode: false, from: new Date('2026-11-01'), to: new Date('2026-12-01') };
    await passedOnBetween({ ...s, many: many as never }, month);
    // In a table of a few rows reading all of them is always cheaper.
    await s.run(sql`set local enable_seqscan = off`);
    return s.many<{ 'QUERY PLAN': string }>(sql`explain ${asked!}`);
  });
  const scans = plan.map((line) => line['QUERY PLAN']).filter((line) => /Scan.* charges_/.test(line));
  assert.ok(scans.length > 0);
  for (const scan of scans) assert.match(scan, /charges_\d+_livemode_charged_at_|Bitmap Heap Scan/);
});

test('the simulated provider bills what rate cards pass on, in every country, category and currency', async () => {
  const cards = await app.database.system((s) => loadRateCards(s, [2]));
  for (const [currency, rates] of cards.get(2)!)
    for (const country of [...rates.marketOfCountry.keys(), 'XX'])
      for (const category of [
        'authentication',
        'authentication_international',
        'marketing',
        'utility',
        'service',
      ] as const)
        for (const pricingType of ['REGULAR', 'FREE_ENTRY_POINT'] as const) {
          const quote = priceOf(
            rates,
            { category, pricingType, transport: 'cloud_api', market: country },
            'partner',
          );
          const cost = costOf({ country, category: category.toUpperCase(), type: pricingType, currency });
          assert.equal(
            Math.round(cost * 1e6),
            Number(quote.passThroughMinor),
            `${country} ${category} ${currency}`,
          );
        }
});
