// Money that moves for other reasons than messages: paid in, invoiced, credited, refunded.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { AccountType, FreeKind } from '../ledger/kinds.ts';
import { oneReference, transfers } from '../ledger/transfers.ts';
import { armAgain, tellIfLow } from './alerts.ts';
import { lockWallets } from './wallets.ts';

export type Moves = {
  walletId: string;
  /** What it is for: the id of a payment, an invoice, a refund. A kind happens once to it. */
  reference: string;
  /** Moved together, or not at all. An amount of zero moves nothing. */
  moves: Partial<Record<FreeKind, bigint>>;
  /** What happens to a kind that this reference has had: the whole is refused (unless told otherwise), or that kind is skipped. */
  repeated?: 'refused' | 'skipped';
};

/**
 * Moves money under the wallet's lock, dated now, or to the end of the last closed period if that is later. Tells how many
 * transfers were made. More than is there is INSUFFICIENT_FUNDS; more than is owed is a CONFLICT.
 */
export async function moveMoney(
  t: TenantTx,
  { walletId, reference, moves, repeated = 'refused' }: Moves,
): Promise<number> {
  const kinds = Object.entries(moves).filter(([, amountMinor]) => amountMinor !== 0n);
  if (kinds.length === 0) return 0;
  const of = oneReference(t, walletId, reference);
  const amounts = Object.fromEntries(kinds.map(([kind, amountMinor]) => [kind, sql`${amountMinor}::bigint`]));
  const [, made] = await Promise.all([
    lockWallets(t),
    // A text for each set of kinds, of which there are many.
    t.run(passingQuery(transfers(t, { of, amounts, repeated }))).catch(refuseBeyondLimits),
  ]);
  // A payment of an invoice restores credit: that is money coming in as well.
  if (kinds.some(([kind]) => incoming.has(kind))) await armAgain(t);
  await tellIfLow(t);
  return made;
}

const incoming = new Set<string>([
  'top_up',
  'operator_credit',
  'invoice_payment',
  'dispute_won',
  'dispute_won_invoice',
] satisfies FreeKind[]);

/** A balance below its minimum, or above its maximum, in words of the contract. */
export function refuseBeyondLimits(error: unknown): never {
  const { constraint } = error as { constraint?: string };
  if (constraint === 'ledger_accounts_minimum') throw new ApiError('INSUFFICIENT_FUNDS', { cause: error });
  if (constraint === 'ledger_accounts_maximum') {
    throw new ApiError('CONFLICT', { message: 'That is more than is owed.', cause: error });
  }
  throw error;
}

/** All balances of a wallet, by account. */
export async function balancesOf(t: TenantTx, walletId: string): Promise<Record<AccountType, bigint>> {
  const rows = await t.many<{ account: AccountType; balanceMinor: string }>(sql`
    select account, balance_minor as "balanceMinor" from ledger_accounts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}`);
  return Object.fromEntries(
    rows.map(({ account, balanceMinor }) => [account, BigInt(balanceMinor)]),
  ) as Record<AccountType, bigint>;
}
