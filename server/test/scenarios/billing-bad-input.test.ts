// What billing refuses: everything that is wrong is told at once, what is left is named, and nothing has changed.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import Stripe from 'stripe';
import { paymentHooks } from '../../src/main/hooks.ts';
import { operations } from '../../src/main/modules.ts';
import { paymentSimulatorSecrets } from '../../src/main/process/simulator-secrets.ts';
import { fallDue } from '../../src/modules/invoices/collection/collect.ts';
import { addAttempt } from '../../src/modules/payments/attempts/attempts.ts';
import { intentsOfInvoice, lockIntent, recordTransfer } from '../../src/modules/payments/index.ts';
import { judgeBy } from '../../src/platform/http/input/validation.ts';
import { bearer, type Reply, startTestApp, type TestApp } from '../harness/app.ts';
import { invoiced, savedCard } from '../harness/invoices.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { readPdf } from '../harness/pdf.ts';
import { type Person, person } from '../harness/people.ts';
import { untouched } from '../harness/untouched.ts';

type Given = Awaited<ReturnType<typeof invoiced>>;

let app: TestApp;
let given: Given;
let owner: Person;
/** A payment of 10.00 that saved its card. */
let paid: string;
const lifetime = sharedLifetime();
before(async () => {
  // Nobody works on jobs: what changes, changes by what is asked.
  app = await startTestApp(lifetime, { payments: true });
  given = await invoiced(app, 1000); // 10.00 and 2.00 of tax
  paid = await savedCard(given);
  owner = await person(app, { accountSid: given.accountSid });
});

const refusal = ({ status, body, text }: Reply) => {
  assert.ok(status >= 400, text);
  return [status, body.error.code];
};
const pathsOf = ({ body }: Reply): string[] => [
  ...new Set((body.error.details ?? []).map(({ path }: { path: string }) => path) as string[]),
];
const stepUp = async (action: string, who = owner) => who.stepUp(action, (await who.signInAgain()).headers);
const keyed = (more: object = {}) => ({
  idempotencyKey: randomUUID(),
  reason: 'Sent twice',
  evidence: {},
  ...more,
});
const credit = (amountMinor: string, taxMinor: string, more: object = {}) =>
  keyed({ amountMinor, taxMinor, currency: 'USD', scale: 2, ...more });

type Ask = () => Promise<Reply>;
const put = (path: string, body: object) => app.put(`${given.at}/${path}`, body, given.headers);
const alert = (currency: string, threshold: string) => put(`low-balance-alerts/${currency}`, { threshold });
const budget = (currency: string, monthly: string) => put(`budgets/${currency}`, { monthly });
const topUp = (more: object) =>
  given.post('top-ups', {
    amountMinor: '5000',
    currency: 'USD',
    idempotencyKey: randomUUID(),
    stepUpToken: 'sut_none',
    ...more,
  });
// Without a second factor: what is wrong is told before one is asked for.
const automate = (collection: object, more: object = {}) =>
  put('automation', {
    currency: 'USD',
    nextPeriodStart: '2026-09-01T00:00:00Z',
    nextPeriodEnd: '2026-10-01T00:00:00Z',
    collection: {
      paymentIntentId: paid,
      retryDelaysHours: [24],
      ...collection,
    },
    ...more,
  });
const reason = 'requested_by_customer';
const askRefund = (more: object) => given.post('refund-requests', { reason, ...more });
const refund = (more: object) =>
  given.post('refunds', {
    reason,
    approvalSid: `AP${'0'.repeat(26)}`,
    idempotencyKey: randomUUID(),
    stepUpToken: 'sut_none',
    ...more,
  });
const note = (body: object) => given.post(`invoices/${given.sid}/credit-notes`, body);
const madeUp = (prefix: string) => `${prefix}${'0'.repeat(26)}`;
const endless = '9'.repeat(19);

suite('what is wrong is told at once, and nothing has changed', () => {
  const cases: [what: string, paths: string[], ask: Ask][] = [
    [
      'a wallet there is not and commas that group nothing',
      ['currency', 'threshold'],
      () => alert('EUR', '1,00'),
    ],
    [
      'a wallet there is not and more decimals than it has',
      ['currency', 'threshold'],
      () => alert('EUR', '1.0000001'),
    ],
    ['no currency and no amount', ['currency', 'threshold'], () => alert('usd', 'x')],
    ['commas that group by two', ['threshold'], () => alert('USD', '12,34,567')],
    ['more decimals than the scale', ['threshold'], () => alert('USD', '0.0000001')],
    ['a budget of the same', ['currency', 'monthly'], () => budget('EUR', '1,00')],
    [
      'a preview in a currency without a wallet',
      ['currency'],
      () => given.get('invoice-preview?currency=EUR'),
    ],
    [
      'charges from a time that is not before its end',
      ['to'],
      () => given.get('charges?from=2026-08-02T00:00:00Z&to=2026-08-02T00:00:00Z'),
    ],
    [
      'a top-up of too little without a wallet',
      ['amountMinor', 'currency'],
      () => topUp({ currency: 'EUR', amountMinor: '49' }),
    ],
    ['a top-up in an unknown currency', ['currency'], () => topUp({ currency: 'XXX' })],
    [
      'a top-up of nothing, in no currency, under no key',
      ['amountMinor', 'currency', 'idempotencyKey'],
      () => topUp({ amountMinor: '0', currency: 'usd', idempotencyKey: '' }),
    ],
    [
      'an automation whose every member is wrong',
      ['collection.paymentIntentId', 'collection.retryDelaysHours', 'currency', 'nextPeriodEnd'],
      () =>
        automate(
          { paymentIntentId: randomUUID(), retryDelaysHours: Array(25).fill(1) },
          { currency: 'EUR', nextPeriodEnd: '2026-09-01T00:00:00Z' },
        ),
    ],
    [
      'two targets of a refund, and a third of an amount',
      ['currency', 'invoiceSid', 'paymentIntentId', 'scale'],
      () => askRefund({ invoiceSid: given.sid, paymentIntentId: paid, amountMinor: '5' }),
    ],
    [
      'no target, and the other third',
      ['amountMinor', 'invoiceSid', 'paymentIntentId', 'scale'],
      () => refund({ currency: 'USD' }),
    ],
    [
      'a refund in another currency and scale than was paid',
      ['currency', 'scale'],
      () => refund({ paymentIntentId: paid, amountMinor: '5', currency: 'EUR', scale: 6 }),
    ],
    [
      'a refund of more digits than any sum has, under a blank key',
      ['amountMinor', 'idempotencyKey'],
      () =>
        refund({
          paymentIntentId: paid,
          amountMinor: endless,
          currency: 'USD',
          scale: 2,
          idempotencyKey: ' ',
        }),
    ],
    [
      'a request for such a refund',
      ['amountMinor'],
      () => askRefund({ paymentIntentId: paid, amountMinor: endless, currency: 'USD', scale: 2 }),
    ],
    [
      'a credit note in another currency and scale, with another tax',
      ['currency', 'scale', 'taxMinor'],
      () => note(credit('100', '19', { currency: 'EUR', scale: 4 })),
    ],
    [
      'a credit note of endless digits that says nothing',
      ['amountMinor', 'idempotencyKey', 'reason', 'taxMinor'],
      () => note(credit(endless, endless, { idempotencyKey: '\t', reason: ' ' })),
    ],
    [
      'voiding for no reason, under no key',
      ['idempotencyKey', 'reason'],
      () => given.post(`invoices/${given.sid}/void`, keyed({ idempotencyKey: '', reason: '' })),
    ],
    [
      'writing off for no reason, under no key',
      ['idempotencyKey', 'reason'],
      () => given.post(`invoices/${given.sid}/write-off`, keyed({ idempotencyKey: ' ', reason: '\n' })),
    ],
  ];
  for (const [what, paths, ask] of cases)
    test(what, async () => {
      const reply = await untouched(app, given.accountSid, ask);
      assert.deepEqual(refusal(reply), [400, 'VALIDATION_ERROR'], reply.text);
      assert.deepEqual(pathsOf(reply).sort(), paths, reply.text);
    });

  // Some of it is wrong by the schema, some by what only billing knows.
  const crossing: Record<string, [what: string, paths: string[], ask: Ask][]> = {
    setLowBalanceAlert: [
      ['no currency, and commas that group nothing', ['currency', 'threshold'], () => alert('usd', '1,00')],
      [
        'a wallet there is not, and a number for an amount',
        ['currency', 'threshold'],
        () => put('low-balance-alerts/EUR', { threshold: 5 }),
      ],
    ],
    setBudget: [
      ['no currency, and too many decimals', ['currency', 'monthly'], () => budget('usd', '1.0000001')],
      ['a wallet there is not, and no amount', ['currency', 'monthly'], () => put('budgets/EUR', {})],
    ],
    createTopUp: [
      [
        'nothing, without a wallet',
        ['amountMinor', 'currency'],
        () => topUp({ amountMinor: '0', currency: 'EUR' }),
      ],
      [
        'too little, under a blank key',
        ['amountMinor', 'idempotencyKey'],
        () => topUp({ amountMinor: '49', idempotencyKey: ' ' }),
      ],
      [
        'too much with its tax, and no word on the card',
        ['amountMinor', 'saveCardForInvoices'],
        () => topUp({ amountMinor: '90000000', saveCardForInvoices: 'no' }),
      ],
      [
        'too much with its tax, before a second factor is asked for',
        ['amountMinor'],
        () => topUp({ amountMinor: '90000000', stepUpToken: '' }),
      ],
    ],
    setBillingAutomation: [
      [
        'no card and no delay, without a wallet, in a period that ends before it begins',
        ['collection.paymentIntentId', 'collection.retryDelaysHours[0]', 'currency', 'nextPeriodEnd'],
        () =>
          automate(
            { paymentIntentId: 'card', retryDelaysHours: [-1] },
            { currency: 'EUR', nextPeriodEnd: '2026-09-01T00:00:00Z' },
          ),
      ],
      [
        'an unsaved card, too many delays and the statements of another’s business account, from a day that is none',
        [
          'collection.paymentIntentId',
          'collection.retryDelaysHours',
          'nextPeriodStart',
          'providerStatement.nextPeriodEnd',
          'providerStatement.provider',
          'providerStatement.wabaSid',
        ],
        () =>
          automate(
            { paymentIntentId: randomUUID(), retryDelaysHours: Array(25).fill(1) },
            {
              nextPeriodStart: '2026-02-30T00:00:00Z',
              providerStatement: {
                wabaSid: madeUp('WB'),
                nextPeriodStart: '2026-09-01T00:00:00Z',
                nextPeriodEnd: '2026-09-01T00:00:00Z',
              },
            },
          ),
      ],
      [
        'nothing but a foreign currency',
        ['collection', 'currency', 'nextPeriodEnd', 'nextPeriodStart'],
        () => put('automation', { currency: 'EUR' }),
      ],
    ],
    requestRefund: [
      [
        'nothing of two targets',
        ['amountMinor', 'invoiceSid', 'paymentIntentId'],
        () =>
          askRefund({
            invoiceSid: given.sid,
            paymentIntentId: paid,
            amountMinor: '0',
            currency: 'USD',
            scale: 2,
          }),
      ],
      [
        'of a target that is none, for no reason, in another scale',
        ['invoiceSid', 'reason', 'scale'],
        () =>
          askRefund({ invoiceSid: 'IN1', amountMinor: '5', currency: 'USD', scale: 6, reason: 'because' }),
      ],
    ],
    createRefund: [
      [
        'nothing, of two targets, in another currency than any, without consent',
        ['amountMinor', 'approvalSid', 'currency', 'invoiceSid', 'paymentIntentId'],
        () =>
          refund({
            invoiceSid: given.sid,
            paymentIntentId: paid,
            amountMinor: '0',
            currency: 'XXX',
            scale: 2,
            approvalSid: 'yes',
          }),
      ],
      [
        'a third of an amount that is none, of a payment in another currency, under a blank key',
        ['amountMinor', 'currency', 'idempotencyKey', 'scale'],
        () => refund({ paymentIntentId: paid, amountMinor: '0', currency: 'EUR', idempotencyKey: ' ' }),
      ],
      [
        'by two targets of which one is malformed',
        ['invoiceSid', 'paymentIntentId'],
        () => refund({ invoiceSid: given.sid, paymentIntentId: 'pi_1' }),
      ],
    ],
    createCreditNote: [
      [
        'nothing in another currency and scale, for no reason',
        ['amountMinor', 'currency', 'reason', 'scale'],
        () => note(credit('0', '0', { currency: 'EUR', scale: 4, reason: ' ' })),
      ],
      [
        'another tax, and no evidence',
        ['evidence', 'taxMinor'],
        () => note(credit('100', '19', { evidence: 'see mail' })),
      ],
      [
        'by an approval of nothing, for no reason, in another currency',
        ['approvalSid', 'currency', 'reason'],
        () => note(credit('100', '20', { approvalSid: madeUp('AP'), reason: '', currency: 'EUR' })),
      ],
      [
        'by an approval of nothing, of an invoice there is not',
        ['approvalSid'],
        () =>
          given.post(
            `invoices/${madeUp('IN')}/credit-notes`,
            credit('100', '20', { approvalSid: madeUp('AP') }),
          ),
      ],
    ],
    setTaxProfile: [
      [
        'no word is right, and one is too many',
        ['currency', 'invoiceProvider', 'more', 'reason', 'taxJurisdiction'],
        async () => {
          const staff = await person(app, { accountSid: given.accountSid, roles: ['PLATFORM_STAFF'] });
          const profile = {
            currency: 'EUR',
            invoiceProvider: 'x',
            taxProvider: 'table',
            taxJurisdiction: 'x',
          };
          const body = { ...profile, taxCode: 'x', reason: ' ', more: true };
          return app.put(`${given.at}/tax-profile`, body, staff.headers);
        },
      ],
    ],
    quoteMessage: [
      [
        'a category there is not, for nobody, from no sender',
        ['category', 'recipient', 'senderSid'],
        () =>
          given.post('message-quote', {
            category: 'GIFT',
            identifierType: 'PHONE_E164',
            recipient: 'me',
            senderSid: 'WA1',
          }),
      ],
    ],
    remediatePricing: [
      [
        'no signature, and a price by pigeon',
        ['pricing.category', 'pricing.pricingModel', 'pricing.pricingType', 'pricing.transport', 'signature'],
        () =>
          given.post(`pricing-remediation/${madeUp('CS')}`, {
            signature: 'mine',
            pricing: {
              billable: true,
              category: 'GIFT',
              customerCurrency: 'USD',
              market: 'FR',
              pricingModel: ' ',
              pricingType: 'FREE',
              providerEvidence: {},
              transport: 'PIGEON',
            },
          }),
      ],
    ],
    listCharges: [
      [
        'no page of a time that ends before it begins',
        ['limit', 'to'],
        () => given.get('charges?from=2026-08-02T00:00:00Z&to=2026-08-01T00:00:00Z&limit=0'),
      ],
    ],
    previewInvoice: [
      [
        'a currency without a wallet, and what nobody knows',
        ['currency', 'more'],
        () => given.get('invoice-preview?currency=EUR&more=1'),
      ],
    ],
  };
  for (const [id, asks] of Object.entries(crossing))
    for (const [what, paths, ask] of asks)
      test(`${id}: ${what}`, async () => {
        const reply = await untouched(app, given.accountSid, ask);
        assert.deepEqual(refusal(reply), [400, 'VALIDATION_ERROR'], reply.text);
        assert.deepEqual(pathsOf(reply).sort(), paths, reply.text);
      });

  test('by every operation that judges more than its schema does', () => {
    const judging = operations.filter(({ issues, path }) => issues && path.includes('/billing/'));
    assert.deepEqual(judging.map(({ id }) => id).sort(), Object.keys(crossing).sort());
  });

  test('a card of another account, of a payment that saved none, or of none that was paid', async () => {
    const foreign = await savedCard(await invoiced(app, 1000));
    const unsaved = await savedCard(given);
    await app.sql('update payment_intents set save_card = false where id = $1', [unsaved]);
    const started = await topUp({ stepUpToken: await stepUp('TOP_UP_CREATE'), saveCardForInvoices: true });
    const unpaid = started.body.result.paymentIntentId;
    for (const paymentIntentId of [foreign, unsaved, unpaid]) {
      const reply = await untouched(app, given.accountSid, () => automate({ paymentIntentId }));
      assert.deepEqual(refusal(reply), [400, 'VALIDATION_ERROR'], reply.text);
      assert.deepEqual(pathsOf(reply), ['collection.paymentIntentId']);
    }
  });

  test('a business key that is no name, by every operation that takes one', () => {
    const taking = operations.filter(({ businessKey }) => businessKey);
    assert.deepEqual(taking.map(({ id }) => id).sort(), [
      'createCreditNote',
      'createRefund',
      'createTopUp',
      'revertBillingModeSwitch',
      'voidInvoice',
      'writeOffInvoice',
    ]);
    for (const { id, body, example, businessKey } of taking) {
      const { field } = businessKey!;
      for (const key of ['', ' ', '\u00a0\n'])
        assert.deepEqual(
          judgeBy(body!)({ ...(example as object), [field]: key }),
          [{ path: field, issue: 'must not be blank' }],
          id,
        );
    }
  });
});

suite('what cannot be now is a conflict that names what remains, and nothing has changed', () => {
  const conflicts = async (of: Given, ask: Ask, remains: RegExp) => {
    const reply = await untouched(app, of.accountSid, ask);
    assert.deepEqual(refusal(reply), [409, 'CONFLICT'], reply.text);
    assert.match(reply.body.error.message, remains);
  };
  const pay = ({ write, walletId, sid: invoiceSid }: Given, amountMinor: bigint) =>
    write((t) =>
      recordTransfer(paymentHooks)(t, {
        invoiceSid,
        walletId,
        currency: 'USD',
        amountMinor,
        reference: randomUUID(),
      }),
    );
  const end = (of: Given, what: string) => () => of.post(`invoices/${of.sid}/${what}`, keyed());
  const creditOf = (of: Given, amount: string, tax: string) => () =>
    of.post(`invoices/${of.sid}/credit-notes`, credit(amount, tax));
  const refundOf = (of: Given, more: object) => () => of.post('refund-requests', { reason, ...more });
  const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 2 });

  test('more than was paid', async () => {
    await conflicts(given, refundOf(given, { paymentIntentId: paid, ...dollars('1001') }), /10\.00 USD/);
    await app.sql('update payment_intents set refunding_minor = 600 where id = $1', [paid]);
    await conflicts(given, refundOf(given, { paymentIntentId: paid, ...dollars('401') }), /4\.00 USD/);
    await app.sql('update payment_intents set refunding_minor = 0 where id = $1', [paid]);
  });

  test('more than was invoiced and not credited yet', async () => {
    const of = await invoiced(app, 1000);
    assert.equal((await creditOf(of, '900', '180')()).status, 201);
    await conflicts(of, creditOf(of, '101', '20'), /1\.00 USD net is not credited yet/);
  });

  test('voiding what was paid or credited in part', async () => {
    const of = await invoiced(app, 1000);
    await pay(of, 500n);
    await conflicts(of, end(of, 'void'), /5\.00 USD is paid .* 7\.00 USD is outstanding/);
  });

  test('what needs another state', async () => {
    const of = await invoiced(app, 1000);
    const again = async () => {
      const who = await person(app, { accountSid: of.accountSid });
      const stepUpToken = await who.stepUp('INVOICE_RESUBMIT');
      return of.post(`invoices/${of.sid}/resubmit`, { stepUpToken });
    };
    await conflicts(of, end(of, 'write-off'), /is open, and 12\.00 USD of it is outstanding; .* past_due\./);
    await conflicts(of, again, /is open, and 12\.00 USD of it is outstanding; .* failed\./);
    await pay(of, 1200n);
    await conflicts(of, end(of, 'void'), /is paid, and 0\.00 USD of it is outstanding/);
    const other = await invoiced(app, 1000);
    assert.equal((await end(other, 'void')()).status, 200);
    await conflicts(other, creditOf(other, '100', '20'), /is void, and 0\.00 USD of it is outstanding/);
  });

  test('anything while somebody pays', async () => {
    const of = await invoiced(app, 1000);
    app.clock.advance(31 * 86_400_000);
    await of.write(async (t) => {
      await fallDue(t, of.sid);
      const [link] = await intentsOfInvoice(t, of.sid);
      await addAttempt(t, await lockIntent(t, link!.id), { step: 'session', attempt: 1 });
    });
    const running = /under way, and 12\.00 USD of it is outstanding/;
    for (const what of ['void', 'write-off']) await conflicts(of, end(of, what), running);
    await conflicts(of, creditOf(of, '100', '20'), running);
  });
});

suite('the consent of the platform', () => {
  const asks: [what: string, ask: (of: Given, body: object) => Promise<Reply>, body: () => object][] = [
    [
      'credit-notes',
      (of, body) => of.post(`invoices/${of.sid}/credit-notes`, body),
      () => credit('400', '0'),
    ],
    ['write-off', (of, body) => of.post(`invoices/${of.sid}/write-off`, body), () => keyed()],
  ];
  for (const [what, ask, bodyOf] of asks)
    test(`is asked for once a key, and given by nobody of the customer’s: ${what}`, async () => {
      const of = await invoiced(app, 1000, { livemode: true, taxCode: null });
      app.clock.advance(31 * 86_400_000);
      await of.write((t) => fallDue(t, of.sid));
      const body = bodyOf();
      const first = await ask(of, body);
      assert.deepEqual(refusal(first), [403, 'APPROVAL_REQUIRED'], first.text);
      const [{ issue: approvalSid }] = first.body.error.details;
      const again = await untouched(app, of.accountSid, () => ask(of, body));
      assert.deepEqual(
        [refusal(again), again.body.error.details],
        [refusal(first), first.body.error.details],
      );
      assert.equal(await app.count(`approvals where account_sid = '${of.accountSid}'`), 1);
      const approve = async (who: Person) =>
        app.post(`/v1/accounts/${of.accountSid}/approvals/${approvalSid}/approve`, {}, who.headers);
      const customer = await person(app, { accountSid: of.accountSid, livemode: true });
      const refused = await untouched(app, of.accountSid, () => approve(customer));
      assert.deepEqual(refusal(refused), [403, 'AUTHORIZATION_ERROR'], refused.text);
      const staff = await person(app, {
        accountSid: of.accountSid,
        roles: ['PLATFORM_STAFF'],
        livemode: true,
      });
      const agreed = await approve(staff);
      assert.deepEqual([agreed.status, agreed.body.state], [200, 'APPROVED'], agreed.text);
      const [{ credited, state }] = await of.invoices();
      assert.deepEqual(
        [credited.amountMinor, state],
        what === 'write-off' ? ['0', 'uncollectible'] : ['400', 'past_due'],
      );
    });
});

test('a webhook that is forged or old changes nothing about the payment it names', async () => {
  const stepUpToken = await stepUp('TOP_UP_CREATE');
  const started = await topUp({ stepUpToken });
  assert.equal(started.status, 202, started.text);
  const { paymentIntentId } = started.body.result;
  const metadata = { accountSid: given.accountSid, intentId: paymentIntentId };
  const object = { id: 'pi_forged', object: 'payment_intent', status: 'succeeded', amount: 5000, metadata };
  const body = JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: 'event',
    type: 'payment_intent.succeeded',
    livemode: false,
    created: 1,
    data: { object },
  });
  const [secret] = paymentSimulatorSecrets(app.sealer).webhookSecrets;
  const send = (by: string, ageMs: number) => {
    const timestamp = Math.floor((app.clock.now().getTime() - ageMs) / 1000);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: by, timestamp });
    return app.send('POST', '/payments/callbacks/sandbox', {
      body,
      headers: { 'stripe-signature': signature },
    });
  };
  const known = await app.count('payment_callbacks');
  for (const [by, ageMs] of [
    ['whsec_forged', 0],
    [secret!, 301_000],
  ] as const) {
    const reply = await untouched(app, given.accountSid, () => send(by, ageMs));
    assert.equal(reply.status, 400, reply.text);
  }
  assert.equal(await app.count('payment_callbacks'), known);
});

test('without payment keys the service runs: live payments are CAPABILITY_UNAVAILABLE, and invoices have no link', async () => {
  const of = await invoiced(app, 1000, { livemode: true, taxCode: null });
  assert.deepEqual([of.invoice.state, of.invoice.hostedUrl], ['open', null]);
  const who = await person(app, { accountSid: of.accountSid, livemode: true });
  const live = async (path: string, action: string, body: object) =>
    app.post(
      `${of.at}/${path}`,
      { ...body, stepUpToken: await stepUp(action, who) },
      bearer(of.account.liveKey),
    );
  const key = () => ({ idempotencyKey: randomUUID() });
  const asks: Ask[] = [
    () => live('top-ups', 'TOP_UP_CREATE', { amountMinor: '5000', currency: 'USD', ...key() }),
    () =>
      live('refunds', 'REFUND_CREATE', {
        reason,
        approvalSid: `AP${'0'.repeat(26)}`,
        paymentIntentId: randomUUID(),
        ...key(),
      }),
  ];
  for (const ask of asks) {
    const reply = await untouched(app, of.accountSid, ask);
    assert.equal(reply.body.error.code, 'CAPABILITY_UNAVAILABLE', reply.text);
  }
});

test('markup, marks of direction and formulas in names and reasons are text on paper, and never a part of a page', async () => {
  const hostile = '<b>=1+1</b>\u202e';
  const of = await invoiced(app, 1000);
  await app.sql(
    'update organizations set name = $2 where id = (select organization_id from accounts where sid = $1)',
    [of.accountSid, `=cmd|x ${hostile}`],
  );
  const { body, text } = await of.post(
    `invoices/${of.sid}/credit-notes`,
    credit('100', '20', { reason: `=SUM(A1) ${hostile}` }),
  );
  assert.equal(body.reason, `=SUM(A1) ${hostile}`, text);
  const pdf = await readPdf(Buffer.from(body.document.pdfBase64, 'base64'));
  const shown = '<b>=1+1</b>[U+202E]';
  for (const line of [`=cmd|x ${shown}`, `=SUM(A1) ${shown}`])
    assert.ok(pdf.text.includes(line), `${line} is missing in\n${pdf.text}`);
  assert.equal(pdf.active, 0);
  const { hostedUrl } = (await of.get(`invoices/${of.sid}`)).body;
  const html = { accept: 'text/html', authorization: undefined };
  const pages = [
    await app.get(`${new URL(hostedUrl).pathname}/returned`, html),
    await app.get(`/pay/${encodeURIComponent('"><script>alert(1)</script>')}`, html),
  ];
  for (const page of pages) {
    assert.match(page.headers.get('content-type')!, /text\/html/);
    assert.doesNotMatch(page.text, /<script|<b>|\u202e/);
  }
});
