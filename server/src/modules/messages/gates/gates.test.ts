import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { systemPrincipal } from '../../../platform/principal.ts';
import { type RateCard, spendable } from '../../billing/index.ts';
import type { Content } from '../../provider/index.ts';
import { type Case, isUnusable } from './case.ts';
import { gates } from './gates.ts';
import { judge } from './judge.ts';

const now = new Date('2026-11-01T10:00:00.000Z');
const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const sid = (prefix: string) => `${prefix}01J9ZK3V7T8Q2M4N6P8R0S2T4V`;

const price = 4_000n;
const rates: RateCard = {
  version: 1,
  effectiveFrom: '2026-01-01T00:00:00.000Z',
  currency: 'USD',
  scale: 6,
  rates: [],
  amounts: {
    get: (key: string) => (key.includes(' REGULAR ') ? price : 0n),
  } as unknown as RateCard['amounts'],
  marketOfCountry: new Map(),
  markets: new Set(),
};

const contents: Content[] = [
  { type: 'text', text: { body: 'Hello' } },
  { type: 'image', media: { sid: sid('ME') } },
  { type: 'flow', flow: { flowSid: sid('FL'), body: 'Book', ctaText: 'Go' } },
  { type: 'template', template: { name: 'offer', language: 'en' } },
];

/** A case in which everything is well: the tests spoil one thing or many. */
export const goodCase = (change: Partial<Case> = {}): Case => ({
  draft: {
    author: systemPrincipal('test', false),
    to: { identifier: { identifierType: 'phone_e164', value: '+33612345678', country: 'FR' } },
    sender: { sid: sid('WA') },
    composer: { claimToken: null, overrideReason: null },
    content: contents[3]!,
    replyTo: null,
    category: null,
    transport: 'cloud_api',
    ttlSeconds: null,
    deferIfCapped: false,
    priority: 1,
    sendAt: null,
    validitySeconds: null,
    statusCallback: null,
    metadata: {},
    tags: [],
    campaignSid: null,
  },
  now,
  apiVersion: 'v24.0',
  account: { accountStatus: 'active', sends: null },
  sender: {
    sid: sid('WA'),
    wabaSid: sid('WB'),
    phoneNumber: '+15550001',
    providerPhoneNumberId: '1',
    displayName: 'Shop',
    status: 'CONNECTED',
    quality: 'GREEN',
    throughputLevel: 'STANDARD',
    throughputPerSecond: 80,
    nameStatus: null,
    verificationStatus: null,
    onBusinessApp: false,
    statusChangedAt: now.toISOString(),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  } as Case['sender'],
  waba: {
    sid: sid('WB'),
    portfolioId: 'p',
    connectionState: 'CONNECTED',
    banState: 'NONE',
    restrictions: [],
    marketingMessages: null,
    catalogIds: null,
  } as unknown as Case['waba'],
  recipient: {
    identifier: { identifierType: 'phone_e164', value: '+33612345678', scopeRef: null },
    contactSid: sid('CT'),
    country: 'FR',
  },
  content: contents[3]!,
  template: {
    sid: sid('TM'),
    wabaSid: sid('WB'),
    name: 'offer',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Hi' }],
    messageSendTtlSeconds: null,
  } as Case['template'],
  media: new Map(),
  flow: null,
  composer: null,
  replyTarget: null,
  statusCallback: null,
  suppressions: [],
  consents: null,
  window: { open: false, expiresAt: null, freeUntil: null },
  conversationSid: null,
  cappedUntil: null,
  portfolio: { id: 'p', messagingLimit: 'TIER_250', limit: 250, used: 0, counted: false },
  rates,
  wallet: {
    id: 'w',
    currency: 'USD',
    scale: 6,
    commercialMode: 'prepaid',
    availableMinor: 1_000_000n,
    heldMinor: 0n,
    creditLimitMinor: 0n,
    creditMinor: 0n,
    billingStatus: 'active',
    dunningState: 'none',
    closedUntil: null,
    alertArmed: false,
    budgetMinor: null,
    chargedMinor: 0n,
    chargedMonth: null,
  },
  ...change,
});

const template = (change: object) =>
  ({ ...(goodCase().template as object), ...change }) as NonNullable<Case['template']>;
const consents = (purpose: string, status: string) =>
  ({
    [purpose]: { status, consentSid: sid('CV'), recordedAt: null, expiresAt: null },
  }) as unknown as Case['consents'];
const suppression = (scope: 'MARKETING' | 'ALL', reason = 'COMPLAINT', senderSid: string | null = null) => ({
  sid: sid('SU'),
  contactSid: sid('CT'),
  reason,
  scope,
  senderSid,
});
const marketing = (change: Partial<Case> = {}) =>
  goodCase({
    template: template({ category: 'MARKETING' }),
    consents: consents('MARKETING', 'OPTED_IN'),
    ...change,
  });
const open = { open: true, expiresAt: later(5).toISOString(), freeUntil: null };
const fromAdvertisement = (hours: number) => ({ ...open, freeUntil: later(hours).toISOString() });
const freely = (content: Content, change: Partial<Case> = {}) =>
  goodCase({ content, template: null, window: open, ...change });
const sender = (change: object) => ({ ...(goodCase().sender as object), ...change }) as Case['sender'];
const waba = (change: object) => ({ ...(goodCase().waba as object), ...change }) as Case['waba'];
const draft = (change: object) => ({ ...goodCase().draft, ...change });
const media = (status: string, type = 'IMAGE') =>
  new Map([
    [
      sid('ME'),
      {
        sid: sid('ME'),
        status,
        type,
        mimeType: '',
        sizeBytes: 1,
        filename: null,
        expiresAt: later(24).toISOString(),
      },
    ],
  ]) as Case['media'];
const flow = (status: string, wabaSid = sid('WB')) => ({ sid: sid('FL'), wabaSid, status }) as Case['flow'];
const endpointFlow = { ...flow('PUBLISHED'), exchangesData: true } as Case['flow'];
const overMarketing = (marketingMessages: string | null) =>
  marketing({ draft: draft({ transport: 'marketing_messages' }), waba: waba({ marketingMessages }) });
const restricted = (type: string, expiresAt: string | null = null) =>
  waba({ restrictions: [{ type, expiresAt }] });

const table: [title: string, c: Case, code: string | null][] = [
  ['everything is well', goodCase(), null],
  [
    'the account is suspended',
    goodCase({ account: { accountStatus: 'suspended', sends: null } }),
    'ACCOUNT_SUSPENDED',
  ],
  ['the sender does not exist', goodCase({ sender: { code: 'NOT_FOUND' } }), 'NOT_FOUND'],
  ['the sender is not connected', goodCase({ sender: sender({ status: 'PENDING' }) }), 'SENDER_NOT_READY'],
  ['the sender is flagged', goodCase({ sender: sender({ status: 'FLAGGED' }) }), 'SENDER_RESTRICTED'],
  ['the sender has no account', goodCase({ waba: null }), 'WABA_NOT_CONNECTED'],
  [
    'the account is disconnected',
    goodCase({ waba: waba({ connectionState: 'DISCONNECTED' }) }),
    'WABA_NOT_CONNECTED',
  ],
  ['the account is disabled', goodCase({ waba: waba({ banState: 'DISABLED' }) }), 'WABA_RESTRICTED'],
  [
    'openings are restricted',
    goodCase({ waba: restricted('RESTRICTED_BIZ_INITIATED_MESSAGING') }),
    'SENDER_TEMPLATE_RESTRICTED',
  ],
  [
    'utility templates are restricted',
    goodCase({ waba: restricted('RESTRICTED_UTILITY_TEMPLATES'), window: open }),
    'SENDER_TEMPLATE_RESTRICTED',
  ],
  [
    'utility templates are restricted and this is marketing',
    marketing({ waba: restricted('RESTRICTED_UTILITY_TEMPLATES') }),
    null,
  ],
  [
    'utility templates are restricted and this is an answer',
    freely(contents[0]!, { waba: restricted('RESTRICTED_UTILITY_TEMPLATES') }),
    null,
  ],
  [
    'utility templates were restricted',
    goodCase({ waba: restricted('RESTRICTED_UTILITY_TEMPLATES', later(-1).toISOString()) }),
    null,
  ],
  ['the account is onboarded to marketing messages', overMarketing('ONBOARDED'), null],
  [
    'the account is not onboarded to marketing messages',
    overMarketing('PENDING_VALID_PAYMENT_METHOD'),
    'MARKETING_MESSAGES_NOT_ONBOARDED',
  ],
  ['nobody knows whether it is onboarded to marketing messages', overMarketing(null), null],
  [
    'the account is not onboarded and this goes another way',
    marketing({ waba: waba({ marketingMessages: 'ELIGIBLE' }) }),
    null,
  ],
  [
    'openings were restricted',
    goodCase({ waba: restricted('RESTRICTED_BIZ_INITIATED_MESSAGING', later(-1).toISOString()) }),
    null,
  ],
  [
    'openings are restricted and this is an answer',
    goodCase({ waba: restricted('RESTRICTED_BIZ_INITIATED_MESSAGING'), window: open }),
    null,
  ],
  [
    'answers are restricted',
    freely(contents[0]!, { waba: restricted('RESTRICTED_CUSTOMER_INITIATED_MESSAGING') }),
    'SENDER_RESTRICTED',
  ],
  [
    'the recipient cannot be addressed',
    goodCase({ recipient: { code: 'RECIPIENT_ADDRESSING_UNSUPPORTED' } }),
    'RECIPIENT_ADDRESSING_UNSUPPORTED',
  ],
  ['the template does not exist', goodCase({ template: null }), 'TEMPLATE_NOT_APPROVED'],
  [
    'the template waits for review',
    goodCase({ template: template({ status: 'PENDING' }) }),
    'TEMPLATE_NOT_APPROVED',
  ],
  ['the template is paused', goodCase({ template: template({ status: 'PAUSED' }) }), 'TEMPLATE_PAUSED'],
  [
    'a parameter is missing',
    goodCase({ template: template({ components: [{ type: 'BODY', text: 'Hi {{1}}' }] }) }),
    'VALIDATION_ERROR',
  ],
  [
    'a code is sent to an id',
    goodCase({
      template: template({ category: 'AUTHENTICATION' }),
      recipient: {
        ...(goodCase().recipient as object),
        identifier: { identifierType: 'bsuid', value: 'FR.1', scopeRef: 'p' },
      } as Case['recipient'],
    }),
    'RECIPIENT_ADDRESSING_UNSUPPORTED',
  ],
  ['the media is there', freely(contents[1]!, { media: media('READY') }), null],
  ['the media is unknown', freely(contents[1]!), 'NOT_FOUND'],
  ['the media is being scanned', freely(contents[1]!, { media: media('SCANNING') }), 'MEDIA_NOT_READY'],
  ['the media was rejected', freely(contents[1]!, { media: media('REJECTED') }), 'MEDIA_REJECTED'],
  ['the media has expired', freely(contents[1]!, { media: media('EXPIRED') }), 'MEDIA_REJECTED'],
  [
    'the media is of another kind',
    freely(contents[1]!, { media: media('READY', 'AUDIO') }),
    'VALIDATION_ERROR',
  ],
  ['the flow is published', freely(contents[2]!, { flow: flow('PUBLISHED') }), null],
  [
    'the flow has an endpoint and the sender a key',
    freely(contents[2]!, { flow: endpointFlow, sender: sender({ flowKey: 'VALID' }) }),
    null,
  ],
  [
    'the flow has an endpoint and the sender no key',
    freely(contents[2]!, { flow: endpointFlow, sender: sender({ flowKey: 'NONE' }) }),
    'FLOW_ENCRYPTION_KEY_MISSING',
  ],
  [
    'the flow has an endpoint and the key is not known to be missing',
    freely(contents[2]!, { flow: endpointFlow, sender: sender({ flowKey: null }) }),
    null,
  ],
  [
    'the sender has no key and the flow needs none',
    freely(contents[2]!, { flow: flow('PUBLISHED'), sender: sender({ flowKey: 'NONE' }) }),
    null,
  ],
  ['the flow is a draft', freely(contents[2]!, { flow: flow('DRAFT') }), 'FLOW_NOT_PUBLISHED'],
  ['the flow is blocked', freely(contents[2]!, { flow: flow('BLOCKED') }), 'FLOW_BLOCKED'],
  [
    'the flow is of another account',
    freely(contents[2]!, { flow: flow('PUBLISHED', sid('WX')) }),
    'NOT_FOUND',
  ],
  [
    'somebody else is writing',
    goodCase({ composer: { code: 'COMPOSER_CLAIM_CONFLICT' } }),
    'COMPOSER_CLAIM_CONFLICT',
  ],
  ['the reply answers nothing', goodCase({ replyTarget: { code: 'NOT_FOUND' } }), 'NOT_FOUND'],
  [
    'the callback is not verified',
    goodCase({ statusCallback: { code: 'STATUS_CALLBACK_NOT_VERIFIED' } }),
    'STATUS_CALLBACK_NOT_VERIFIED',
  ],
  ['the category is another', goodCase({ draft: draft({ category: 'marketing' }) }), 'VALIDATION_ERROR'],
  [
    'the transport is for marketing',
    goodCase({ draft: draft({ transport: 'marketing_messages' }) }),
    'TRANSPORT_CATEGORY_MISMATCH',
  ],
  [
    'the template tells the provider another time to live',
    marketing({
      draft: draft({ transport: 'marketing_messages', ttlSeconds: 43_200 }),
      template: { ...marketing().template!, messageSendTtlSeconds: 86_400 },
    }),
    'VALIDATION_ERROR',
  ],
  ['only marketing is put off', goodCase({ draft: draft({ deferIfCapped: true }) }), 'VALIDATION_ERROR'],
  [
    'everything to them is suppressed',
    goodCase({ suppressions: [suppression('ALL')] }),
    'CONTACT_SUPPRESSED',
  ],
  [
    'marketing to them is suppressed',
    marketing({ suppressions: [suppression('MARKETING')] }),
    'CONTACT_SUPPRESSED',
  ],
  [
    'they opted out of marketing',
    marketing({ suppressions: [suppression('MARKETING', 'KEYWORD_OPT_OUT')] }),
    'RECIPIENT_OPTED_OUT',
  ],
  [
    'they opted out of marketing, and this is none',
    goodCase({ suppressions: [suppression('MARKETING', 'KEYWORD_OPT_OUT')] }),
    null,
  ],
  [
    'another sender is suppressed',
    goodCase({ suppressions: [suppression('ALL', 'COMPLAINT', sid('WZ'))] }),
    null,
  ],
  [
    'this sender is suppressed',
    goodCase({ suppressions: [suppression('ALL', 'COMPLAINT', sid('WA'))] }),
    'CONTACT_SUPPRESSED',
  ],
  ['they never agreed to marketing', marketing({ consents: null }), 'CONSENT_REQUIRED'],
  [
    'their agreement has expired',
    marketing({ consents: consents('MARKETING', 'EXPIRED') }),
    'CONSENT_REQUIRED',
  ],
  [
    'they agreed to something else',
    marketing({ consents: consents('SUPPORT', 'OPTED_IN') }),
    'CONSENT_REQUIRED',
  ],
  [
    'they refused notices',
    goodCase({ consents: consents('TRANSACTIONAL', 'OPTED_OUT') }),
    'CONSENT_REQUIRED',
  ],
  [
    'they withdrew their agreement to notices',
    goodCase({ consents: consents('TRANSACTIONAL', 'REVOKED') }),
    'CONSENT_REQUIRED',
  ],
  [
    'the window is closed',
    freely(contents[0]!, { window: { open: false, expiresAt: later(-1).toISOString(), freeUntil: null } }),
    'SERVICE_WINDOW_CLOSED',
  ],
  [
    'the window will be closed by then',
    freely(contents[0]!, { draft: draft({ sendAt: later(6) }) }),
    'SERVICE_WINDOW_CLOSED',
  ],
  ['the window will still be open', freely(contents[0]!, { draft: draft({ sendAt: later(4) }) }), null],
  [
    'nothing is delivered there',
    goodCase({ recipient: { ...(goodCase().recipient as object), country: 'KP' } as Case['recipient'] }),
    'DESTINATION_POLICY_BLOCKED',
  ],
  [
    'no marketing is delivered there',
    marketing({ recipient: { ...(goodCase().recipient as object), country: 'US' } as Case['recipient'] }),
    'MARKET_EXCLUDED',
  ],
  ['they have had enough marketing', marketing({ cappedUntil: later(2) }), 'RECIPIENT_MARKETING_CAP'],
  [
    'they have had enough, and it may wait',
    marketing({ cappedUntil: later(2), draft: draft({ deferIfCapped: true }) }),
    null,
  ],
  [
    'they will have room by then',
    marketing({ cappedUntil: later(2), draft: draft({ sendAt: later(3) }) }),
    null,
  ],
  [
    'the portfolio is full',
    goodCase({ portfolio: { id: 'p', messagingLimit: 'TIER_250', limit: 250, used: 250, counted: false } }),
    'PORTFOLIO_LIMIT_EXHAUSTED',
  ],
  [
    'the portfolio is full, and they count already',
    goodCase({ portfolio: { id: 'p', messagingLimit: 'TIER_250', limit: 250, used: 250, counted: true } }),
    null,
  ],
  [
    'the portfolio is full, and this is an answer',
    freely(contents[0]!, {
      portfolio: { id: 'p', messagingLimit: 'TIER_250', limit: 250, used: 250, counted: false },
    }),
    null,
  ],
  [
    'they are blocked for risk',
    goodCase({ suppressions: [suppression('MARKETING', 'RISK_BLOCK')] }),
    'RISK_BLOCKED',
  ],
  [
    'they are blocked for risk in everything',
    goodCase({ suppressions: [suppression('ALL', 'RISK_BLOCK')] }),
    'RISK_BLOCKED',
  ],
  [
    'they are blocked for risk on this sender',
    goodCase({ suppressions: [suppression('ALL', 'RISK_BLOCK', sid('WA'))] }),
    'RISK_BLOCKED',
  ],
  [
    'they are blocked for risk on another sender',
    goodCase({ suppressions: [suppression('ALL', 'RISK_BLOCK', sid('WZ'))] }),
    null,
  ],
  ['the last unit is spent', goodCase({ wallet: { ...goodCase().wallet, availableMinor: price } }), null],
  [
    'one unit is missing',
    goodCase({ wallet: { ...goodCase().wallet, availableMinor: price - 1n } }),
    'INSUFFICIENT_FUNDS',
  ],
  [
    'nothing is left, and they came from an advertisement',
    goodCase({
      wallet: { ...goodCase().wallet, availableMinor: 0n },
      window: { open: false, expiresAt: null, freeUntil: later(1).toISOString() },
    }),
    null,
  ],
  [
    'nothing is left, and they came from an advertisement too long ago',
    goodCase({
      wallet: { ...goodCase().wallet, availableMinor: 0n },
      window: { open: false, expiresAt: null, freeUntil: now.toISOString() },
    }),
    'INSUFFICIENT_FUNDS',
  ],
  [
    'nothing is left, and it is free now but not when it is to be sent',
    goodCase({
      wallet: { ...goodCase().wallet, availableMinor: 0n },
      window: fromAdvertisement(3),
      draft: draft({ sendAt: later(3) }),
    }),
    'INSUFFICIENT_FUNDS',
  ],
  [
    'what is left of the budget does not cover it, messages on their way included',
    goodCase({
      wallet: { ...goodCase().wallet, budgetMinor: 2n * price - 1n, heldMinor: price },
    }),
    'INSUFFICIENT_FUNDS',
  ],
  [
    'what is left of the budget covers it, last month’s charges not counted',
    goodCase({
      wallet: {
        ...goodCase().wallet,
        budgetMinor: price,
        chargedMinor: price,
        chargedMonth: '2020-01-01T00:00:00.000Z',
      },
    }),
    null,
  ],
  [
    'credit covers it',
    goodCase({ wallet: { ...goodCase().wallet, availableMinor: 0n, creditMinor: price } }),
    null,
  ],
];

suite('a message', () => {
  for (const [title, c, code] of table) {
    test(`${code === null ? 'passes' : `is refused with ${code}`} when ${title}`, () => {
      assert.equal(judge(c, false).refusal?.code ?? null, code);
    });
  }

  test('that may wait for room is put off until there is some', () => {
    const c = marketing({ cappedUntil: later(2), draft: draft({ deferIfCapped: true }) });
    const { resolved, checks } = judge(c, true);
    assert.deepEqual([resolved.deferred, resolved.dueAt], [true, later(2)]);
    assert.equal(checks.find(({ gate }) => gate === 'marketing_cap')?.outcome, 'warn');
  });

  test('inside a window was free until October 2026, and is held at its price since', () => {
    const c = freely(contents[0]!);
    assert.equal(judge(c, false).resolved.quote?.pricingType, 'REGULAR');
    const before = new Date('2026-09-30T23:59:59.999Z');
    const earlier = { ...c, now: before, window: { ...open, expiresAt: '2026-10-01T05:00:00.000Z' } };
    assert.equal(judge(earlier, false).resolved.quote?.pricingType, 'FREE_CUSTOMER_SERVICE');
    assert.equal(judge(earlier, false).resolved.quote?.totalMinor, 0n);
  });
});

suite('a message to somebody who came from an advertisement', () => {
  const priced = (c: Case) => {
    const { pricingType, totalMinor } = judge(c, false).resolved.quote!;
    return [pricingType, totalMinor];
  };
  test('is free in every category and by every transport, inside and outside a service window', () => {
    const transports = ['cloud_api', 'marketing_messages'] as const;
    for (const category of ['UTILITY', 'AUTHENTICATION', 'MARKETING']) {
      for (const transport of transports) {
        for (const window of [fromAdvertisement(1), { ...fromAdvertisement(1), open: false }]) {
          const c = marketing({ template: template({ category }), draft: draft({ transport }), window });
          assert.deepEqual(priced(c), ['FREE_ENTRY_POINT', 0n]);
        }
      }
    }
    assert.deepEqual(priced(freely(contents[0]!, { window: fromAdvertisement(1) })), [
      'FREE_ENTRY_POINT',
      0n,
    ]);
  });
  test('needs a service window as every other does', () => {
    const window = { ...fromAdvertisement(50), open: false };
    assert.equal(judge(freely(contents[0]!, { window }), false).refusal?.code, 'SERVICE_WINDOW_CLOSED');
  });
  test('is free exactly when it leaves before the end, whether it was put off or sent for later', () => {
    const hours = fc.integer({ min: -100, max: 100 });
    const wait = fc.option(fc.integer({ min: 0, max: 100 }));
    fc.assert(
      fc.property(hours, wait, wait, (free, sendIn, cappedFor) => {
        const c = marketing({
          window: fromAdvertisement(free),
          cappedUntil: cappedFor === null ? null : later(cappedFor),
          draft: draft({ deferIfCapped: true, sendAt: sendIn === null ? null : later(sendIn) }),
        });
        const { dueAt, quote } = judge(c, false).resolved;
        assert.equal(quote!.pricingType === 'FREE_ENTRY_POINT', dueAt < later(free));
        assert.equal(quote!.totalMinor === 0n, dueAt < later(free));
      }),
      { numRuns: 3_000 },
    );
  });
});

// Any mixture of the cases above, field by field.
const spoilt = fc
  .array(fc.constantFrom(...table.map(([, c]) => c)), { minLength: 1, maxLength: 8 })
  .chain((cases) =>
    fc.record(
      Object.fromEntries(
        Object.keys(goodCase()).map((field) => [
          field,
          fc.constantFrom(...cases.map((c) => c[field as keyof Case])),
        ]),
      ),
    ),
  )
  .map((c) => c as unknown as Case);

suite('any mixture of requestContext', () => {
  const check = (property: (c: Case) => void) => fc.assert(fc.property(spoilt, property), { numRuns: 3_000 });

  test('gets the same verdict from preflight and from sending, and one check from every gate', () => {
    check((c) => {
      const [sending, preflight] = [judge(c, false), judge(c, true)];
      assert.equal(sending.refusal?.code, preflight.refusal?.code);
      assert.deepEqual(sending.refusal?.facts.details, preflight.refusal?.facts.details);
      assert.deepEqual(
        preflight.checks.map(({ gate }) => gate),
        gates.map(({ name }) => name),
      );
      const failing = preflight.checks.filter(({ outcome }) => outcome === 'fail');
      assert.equal(failing[0]?.code ?? undefined, preflight.refusal?.code);
    });
  });

  test('that passes breaks none of the promises', () => {
    check((c) => {
      const { refusal, resolved } = judge(c, false);
      if (refusal) return;
      assert.ok(!isUnusable(c.sender) && c.sender.status === 'CONNECTED');
      assert.ok(!isUnusable(c.recipient) && !isUnusable(c.content));
      assert.ok(resolved.quote && resolved.quote.totalMinor <= spendable(c.wallet));
      assert.ok(!c.suppressions.some(({ scope, senderSid }) => scope === 'ALL' && senderSid !== sid('WZ')));
      if (resolved.category === 'marketing') assert.equal(c.consents?.MARKETING?.status, 'OPTED_IN');
      if (c.content.type !== 'template') assert.ok(c.window.open);
      if (c.content.type === 'image') assert.equal(c.media.get(sid('ME'))?.status, 'READY');
      if (c.portfolio?.limit && !c.window.open && !c.portfolio.counted) {
        assert.ok(c.portfolio.used < c.portfolio.limit);
      }
    });
  });

  test('never changes what it was judged by', () => {
    check((c) => {
      const before = JSON.stringify(c, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value));
      judge(c, true);
      const after = JSON.stringify(c, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value));
      assert.equal(after, before);
    });
  });
});
