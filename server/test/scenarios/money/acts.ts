// What can happen to the money of an account, drawn at random.
import fc from 'fast-check';
import type { BillingMode } from '../../../src/modules/wabas/index.ts';

/** How the provider calls a message, and what it costs then: on a card of its own, with prices that never round by themselves. */
export const prices = {
  utility: 7_345_678n,
  marketing: 11_456_789n,
  authentication: 4_234_567n,
  free: 12_345n,
} as const;
export type PricedAs = keyof typeof prices;
/** What the provider gets on top where the operator pays it. */
export const passedOn: Record<PricedAs, bigint> = {
  utility: 2_123_457n,
  marketing: 3_234_569n,
  authentication: 1_345_671n,
  free: 0n,
};
/** What a saved card does when it is charged while its owner is away. */
export type SavedCard = 'pays' | 'declines' | 'asks';

const pricedAs = fc.constantFrom(...(Object.keys(prices) as PricedAs[]));
const which = fc.nat({ max: 7 });
/** Of what there is, in percent: now and then more. */
const part = fc.oneof(
  { weight: 2, arbitrary: fc.constant(100) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 130 }) },
);

type Which = { which: number };
export type Acts = {
  send: { amount: bigint };
  settle: Which & { as: PricedAs | 'failed' };
  priceLate: Which & { as: PricedAs };
  remediate: Which & { as: PricedAs; forged: boolean };
  topUp: { cents: number; card: 'pays' | 'refundsFail' | 'declines' };
  saveCard: { cents: number; card: SavedCard; retries: number };
  retry: Which & { paidMeanwhile: boolean };
  mode: { mode: BillingMode };
  close: { months: number };
  pay: Which & { by: 'card' | 'transfer'; part: number };
  credit: Which & { part: number };
  void: Which;
  fallDue: Which;
  writeOff: Which;
  refundTopUp: Which & { part: number };
  refundInvoice: Which & { part: number };
  dispute: Which & { part: number };
  decide: Which & { outcome: 'won' | 'lost' };
};
export type Act = { [K in keyof Acts]: { kind: K } & Acts[K] }[keyof Acts];

const whichAndPart = fc.record({ which, part });
const oneOf = fc.record({ which });
const card = fc.constantFrom<Acts['topUp']['card'][]>('pays', 'pays', 'refundsFail', 'declines');
const savedCard = fc.constantFrom<SavedCard[]>('pays', 'declines', 'declines', 'asks');
const mode = fc.constantFrom<BillingMode[]>('partner', 'partner', 'direct');
const by = fc.constantFrom<Acts['pay']['by'][]>('card', 'transfer');
const outcome = fc.constantFrom<Acts['decide']['outcome'][]>('won', 'lost');
const ended = fc.oneof(pricedAs, fc.constant('failed' as const));

/** How often each is drawn, and what of. */
const acts: { [K in keyof Acts]: [number, fc.Arbitrary<Acts[K]>] } = {
  send: [7, fc.record({ amount: fc.bigInt({ min: 0n, max: 12_000_000n }) })],
  settle: [7, fc.record({ which, as: ended })],
  priceLate: [4, fc.record({ which, as: fc.oneof(pricedAs, fc.constant('marketing' as const)) })],
  remediate: [3, fc.record({ which, as: pricedAs, forged: fc.nat({ max: 3 }).map((n) => n === 0) })],
  topUp: [2, fc.record({ cents: fc.integer({ min: 50, max: 400 }), card })],
  saveCard: [
    5,
    fc.record({
      cents: fc.integer({ min: 50, max: 400 }),
      card: savedCard,
      retries: fc.integer({ min: 0, max: 3 }),
    }),
  ],
  retry: [7, fc.record({ which, paidMeanwhile: fc.nat({ max: 3 }).map((n) => n === 0) })],
  mode: [2, fc.record({ mode })],
  close: [6, fc.record({ months: fc.integer({ min: 1, max: 2 }) })],
  pay: [6, fc.record({ which, by, part })],
  credit: [5, whichAndPart],
  void: [2, oneOf],
  fallDue: [2, oneOf],
  writeOff: [2, oneOf],
  refundTopUp: [3, whichAndPart],
  refundInvoice: [4, whichAndPart],
  dispute: [4, whichAndPart],
  decide: [4, fc.record({ which, outcome })],
};

export const actKinds = Object.keys(acts) as Act['kind'][];

const act: fc.Arbitrary<Act> = fc.oneof(
  ...Object.entries(acts).map(([kind, [weight, arbitrary]]) => ({
    weight,
    arbitrary: (arbitrary as fc.Arbitrary<object>).map((given) => ({ kind, ...given }) as Act),
  })),
);

/** A message is charged, and its month ends. */
const month = (as: PricedAs): Act[] => [
  { kind: 'send', amount: 0n },
  { kind: 'settle', which: 0, as },
  { kind: 'close', months: 1 },
];

/** Acts one by one, and now and then a month with something to invoice. */
export const life: fc.Arbitrary<Act[]> = fc
  .array(
    fc.oneof(
      { weight: 7, arbitrary: act.map((one) => [one]) },
      { weight: 1, arbitrary: pricedAs.map(month) },
    ),
    { minLength: 12, maxLength: 30, size: 'max' },
  )
  .map((parts) => parts.flat());

/** There is something to be touched from the start. */
export const beginning: Act[] = [
  { kind: 'send', amount: 3_000_000n },
  { kind: 'send', amount: 1_000_000n },
  { kind: 'settle', which: 0, as: 'marketing' },
  { kind: 'close', months: 1 },
  { kind: 'pay', which: 0, by: 'card', part: 100 },
  { kind: 'settle', which: 0, as: 'authentication' },
  { kind: 'close', months: 1 },
  { kind: 'topUp', cents: 377, card: 'pays' },
];

/** What chance brings about too seldom: a card that is declined until nothing is left to try, one whose owner is asked, a case. */
export const seldom: Act[] = [
  { kind: 'mode', mode: 'partner' },
  { kind: 'saveCard', cents: 200, card: 'declines', retries: 1 },
  ...month('marketing'),
  { kind: 'retry', which: 0, paidMeanwhile: false },
  { kind: 'writeOff', which: 1 },
  { kind: 'priceLate', which: 1, as: 'marketing' },
  { kind: 'remediate', which: 1, as: 'marketing', forged: false },
  ...month('authentication'),
  { kind: 'void', which: 1 },
  { kind: 'saveCard', cents: 200, card: 'asks', retries: 1 },
  ...month('utility'),
  { kind: 'retry', which: 0, paidMeanwhile: true },
  { kind: 'saveCard', cents: 200, card: 'pays', retries: 0 },
  ...month('authentication'),
  { kind: 'dispute', which: 3, part: 100 },
];
