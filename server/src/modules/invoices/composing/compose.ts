// What an invoice says, from what happened in its periods: no clock, no database, so that a preview and the invoice are made by
// the same function and cannot differ.
//
// The position is what the wallet would hold if everything on its way came to nothing: below zero it is owed. Lines explain
// it: what messages cost, corrections, payments that were taken back, and `balance_applied`, which is the rest, mostly money that
// was paid in before. Each line is rounded once, half to even, from the wallet's decimals to the currency's; the invoice's amount
// is the sum of its rounded lines, and what that differs from the exact debt by is booked as rounding.
import { type MoneyWire, money, toWire } from '../../../platform/money.ts';
import { narrow, widen } from '../../billing/index.ts';

/** As what messages were charged; charges from before they said so have nulls. */
export type UsageKey = {
  category: string | null;
  market: string | null;
  pricingType: string | null;
  transport: string | null;
  unitPriceMinor: bigint;
};
export type Usage = UsageKey & { quantity: number; amountMinor: bigint };

export const lineKinds = ['usage', 'fee', 'adjustment', 'payment_reversal', 'balance_applied'] as const;
export type LineKind = (typeof lineKinds)[number];

/** What messages a line of usage is about; the unit price at the wallet's scale. */
export type LineUsage = Omit<UsageKey, 'unitPriceMinor'>;

export type Line = {
  n: number;
  kind: LineKind;
  description: string;
  /** How many messages or corrections; null where nothing is counted. */
  quantity: number | null;
  unitPrice: MoneyWire | null;
  amount: MoneyWire;
  usage: LineUsage | null;
  taxRef: string | null;
};

export type Happened = {
  currency: string;
  /** Decimals of the wallet, in which everything given is counted, and of the currency, in which documents are written. */
  scale: number;
  isoScale: number;
  positionMinor: bigint;
  usage: Usage[];
  /** What was charged beside messages. */
  feesMinor: bigint;
  adjustments: { quantity: number; amountMinor: bigint };
  /** Payments into the wallet that were taken back: above zero when they add to the debt. */
  reversalsMinor: bigint;
  taxRef: string | null;
};

export type Composed = {
  /** What is owed, exact, at the wallet's scale. */
  dueMinor: bigint;
  lines: Line[];
  /** The sum of the lines but for `balance_applied`, that one, and of all of them; at the currency's scale. */
  subtotalMinor: bigint;
  balanceAppliedMinor: bigint;
  netMinor: bigint;
  /** By how much the lines ask for more than is owed, at the wallet's scale; below zero for less. */
  residueMinor: bigint;
};

type Draft = Pick<Line, 'kind' | 'description' | 'quantity' | 'unitPrice' | 'usage'> & { exactMinor: bigint };

const byKey = (a: Usage, b: Usage) => {
  const [left, right] = [a, b].map((one) =>
    [
      one.category,
      one.market,
      one.pricingType,
      one.transport,
      String(one.unitPriceMinor).padStart(20, '0'),
    ].join('\u0000'),
  );
  return left! < right! ? -1 : left === right ? 0 : 1;
};

/** What messages are called on paper. */
export function describe({ category, market, pricingType, transport }: LineUsage): string {
  const parts = [
    market && ` to ${market}`,
    pricingType && `, ${pricingType}`,
    transport && `, by ${transport}`,
  ];
  return `${category ?? 'Other'} messages${parts.map((part) => part ?? '').join('')}`;
}

function usageLine(usage: Usage, { currency, scale }: Happened): Draft {
  const { category, market, pricingType, transport, unitPriceMinor, quantity, amountMinor } = usage;
  return {
    kind: 'usage',
    description: describe(usage),
    quantity,
    unitPrice: toWire(money(unitPriceMinor, currency, scale)),
    usage: { category, market, pricingType, transport },
    exactMinor: amountMinor,
  };
}

const otherLine = (
  kind: LineKind,
  description: string,
  exactMinor: bigint,
  quantity: number | null = null,
) => (exactMinor === 0n ? [] : [{ kind, description, quantity, unitPrice: null, usage: null, exactMinor }]);

/** What is owed and the lines that explain it. Nothing is owed while the position is not below zero. */
export function compose(happened: Happened): Composed {
  const { positionMinor, usage, adjustments, reversalsMinor, currency, scale, isoScale, taxRef } = happened;
  const dueMinor = positionMinor < 0n ? -positionMinor : 0n;
  const explained: Draft[] = [
    ...usage.toSorted(byKey).map((one) => usageLine(one, happened)),
    ...otherLine('fee', 'Onboarding fees and rents of numbers', happened.feesMinor),
    ...otherLine(
      'adjustment',
      'Corrections of earlier charges',
      adjustments.amountMinor,
      adjustments.quantity,
    ),
    ...otherLine('payment_reversal', 'Payments that were taken back', reversalsMinor),
  ];
  const rest = dueMinor - sumOf(explained, ({ exactMinor }) => exactMinor);
  const drafts = [
    ...explained,
    ...otherLine('balance_applied', 'Paid from the balance, or carried over', rest),
  ];
  const lines = drafts.map(({ exactMinor, ...draft }, i) => ({
    n: i + 1,
    ...draft,
    amount: toWire(narrow(money(exactMinor, currency, scale), isoScale)),
    taxRef,
  }));
  const amountOf = (line: Line) => BigInt(line.amount.amountMinor);
  const netMinor = sumOf(lines, amountOf);
  const balanceAppliedMinor = sumOf(
    lines.filter(({ kind }) => kind === 'balance_applied'),
    amountOf,
  );
  return {
    dueMinor,
    lines,
    subtotalMinor: netMinor - balanceAppliedMinor,
    balanceAppliedMinor,
    netMinor,
    residueMinor: widen(money(netMinor, currency, isoScale), scale).amountMinor - dueMinor,
  };
}

function sumOf<T>(items: readonly T[], amountOf: (item: T) => bigint): bigint {
  return items.reduce((sum, item) => sum + amountOf(item), 0n);
}

export type WhyNot = 'nothing_due' | 'below_minimum';

/** Why what is owed is not invoiced now; null when it is. What waits stays owed, and is part of the next invoice. */
export function whyNotInvoiced(
  { netMinor, dueMinor }: Composed,
  totalMinor: bigint,
  minimumMinor: bigint,
): WhyNot | null {
  if (dueMinor === 0n) return 'nothing_due';
  return netMinor <= 0n || totalMinor < minimumMinor ? 'below_minimum' : null;
}
