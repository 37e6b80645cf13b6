// What happened in closed or running time, read from the ledger and the charges.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type MovedByKind, movementsBetween, type TransferKind, usageBetween } from '../../billing/index.ts';
import type { Usage } from './compose.ts';

/** A stretch of time. The first one of a wallet has no beginning: it takes everything older too. */
export type Stretch = { from: Date | null; to: Date };

export type StretchOfTime = {
  usage: Usage[];
  adjustments: { quantity: number; amountMinor: bigint };
  /** What else changed the wallet's own money, by kind; below zero for what was taken. */
  movements: { kind: TransferKind; amountMinor: bigint }[];
};

// What each kind does to the wallet's own money, which is what is available and held together, for messages and for fees. Kinds that are not listed leave it
// alone. Those of messages are not here: what messages cost is the charges'.
const effects: Partial<Record<TransferKind, 1n | -1n>> = {
  play_money: 1n,
  play_money_back: -1n,
  operator_credit: 1n,
  top_up: 1n,
  invoice_usage: 1n,
  rounding_up: 1n,
  rounding_down: -1n,
  void_usage: -1n,
  void_rounding_up: -1n,
  void_rounding_down: 1n,
  refund_hold: -1n,
  refund_failed: 1n,
  dispute_open: -1n,
  dispute_won: 1n,
  fee_capture: -1n,
  number_rent: -1n,
  adjust_charge: -1n,
  adjust_credit: 1n,
  adjust_charge_provider: -1n,
  adjust_credit_provider: 1n,
};

export async function readStretch(
  t: TenantTx,
  walletId: string,
  { from, to }: Stretch,
): Promise<StretchOfTime> {
  const [groups, moved] = await Promise.all([
    usageBetween(t, walletId, from, to),
    movementsBetween(t, walletId, from, to),
  ]);
  const messages = groups.filter(({ kind }) => kind === 'MESSAGE');
  const corrections = groups.filter(({ kind }) => kind === 'ADJUSTMENT');
  return {
    usage: messages.map(({ kind: _, category, transport, ...usage }) => ({
      ...usage,
      category: category?.toUpperCase() ?? null,
      transport: transport?.toUpperCase() ?? null,
    })),
    adjustments: {
      quantity: corrections.reduce((sum, { quantity }) => sum + quantity, 0),
      amountMinor: corrections.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    },
    movements: moved.flatMap(effectOf),
  };
}

function effectOf({ kind, amountMinor }: MovedByKind): StretchOfTime['movements'] {
  const sign = effects[kind];
  return sign === undefined ? [] : [{ kind, amountMinor: sign * amountMinor }];
}

/** Several stretches as if they were one: what one invoice is made of. */
export function joined(stretches: StretchOfTime[]): StretchOfTime {
  const usage = new Map<string, Usage>();
  for (const one of stretches.flatMap((stretch) => stretch.usage)) {
    const { category, market, pricingType, transport, unitPriceMinor } = one;
    const key = [category, market, pricingType, transport, unitPriceMinor].join('\u0000');
    const before = usage.get(key);
    usage.set(key, {
      ...one,
      quantity: one.quantity + (before?.quantity ?? 0),
      amountMinor: one.amountMinor + (before?.amountMinor ?? 0n),
    });
  }
  return {
    usage: [...usage.values()],
    adjustments: {
      quantity: stretches.reduce((sum, { adjustments }) => sum + adjustments.quantity, 0),
      amountMinor: stretches.reduce((sum, { adjustments }) => sum + adjustments.amountMinor, 0n),
    },
    movements: stretches.flatMap(({ movements }) => movements),
  };
}

/** What messages cost. */
export const spentIn = ({ usage }: StretchOfTime): bigint =>
  usage.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** Payments into the wallet that banks took back, less what they gave back: above zero when it adds to the debt. */
export const reversalsOf = ({ movements }: StretchOfTime): bigint =>
  -movements
    .filter(({ kind }) => kind === 'dispute_open' || kind === 'dispute_won')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** What was charged beside messages: fees that were taken, and rents. */
export const feesOf = ({ movements }: StretchOfTime): bigint =>
  -movements
    .filter(({ kind }) => kind === 'fee_capture' || kind === 'number_rent')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

const nobodys: TransferKind[] = ['play_money', 'play_money_back'];

/** Whether anything happened that somebody would look for in a statement. Play money is nobody's. */
export const isIdle = ({ usage, adjustments, movements }: StretchOfTime): boolean =>
  usage.length === 0 && adjustments.quantity === 0 && movements.every(({ kind }) => nobodys.includes(kind));
