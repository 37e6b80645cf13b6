// How a wallet begins, what the operator puts into it, and on which terms it is paid from.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Money } from '../../../platform/money.ts';
import { audit } from '../../audit/index.ts';
import { tellIfLow } from './alerts.ts';
import { moveMoney } from './move-money.ts';
import type { CommercialMode } from './schema.ts';
import { lockWallet, readWallet, type Wallet } from './wallets.ts';

// A price of a message has up to four decimals, and discounts of it more: millionths keep all of them whole.
const firstCurrency = 'USD';
const firstScale = 6;
const playMoneyMinor = 1_000_000_000n;

/** An account's first wallet in an environment. In the sandbox it holds play money, in live nothing. */
export async function openWallet(t: TenantTx): Promise<void> {
  const id = newUuid(t.now);
  await t.run(sql`
    insert into wallets (account_sid, livemode, id, currency, scale, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${id}, ${firstCurrency}, ${firstScale}, ${t.now}, ${t.now})`);
  if (!t.livemode) await moveMoney(t, { walletId: id, reference: id, moves: { play_money: playMoneyMinor } });
}

export type OperatorCredit = { amount: Money; reason: string; reference: string };

/** Money the operator puts into the wallet messages are paid from. The same reference counts once. */
export async function creditWallet(
  t: TenantTx,
  { amount, reason, reference }: OperatorCredit,
): Promise<Wallet> {
  const wallet = await lockWallet(t);
  if (amount.currency !== wallet.currency || amount.scale !== wallet.scale) {
    throw new ApiError('CONFLICT', {
      message: `The wallet is in ${wallet.currency} with ${wallet.scale} decimals.`,
    });
  }
  const { amountMinor } = amount;
  const moves = { operator_credit: amountMinor };
  if ((await moveMoney(t, { walletId: wallet.id, reference, moves, repeated: 'skipped' })) === 0) {
    throw new ApiError('CONFLICT', { message: `There is a credit with the reference ${reference} already.` });
  }
  const facts = { amountMinor: amountMinor.toString(), currency: wallet.currency, scale: wallet.scale };
  audit(t, { action: 'wallet.credited', resource: wallet.id, facts: { ...facts, reason, reference } });
  return { ...wallet, availableMinor: wallet.availableMinor + amountMinor };
}

export type Terms = { commercialMode: CommercialMode; creditLimitMinor: bigint };

/**
 * How the account pays. A wallet already beyond a lower limit keeps its balance and cannot sink further. Whoever no longer pays
 * in advance loses what is left of the sandbox's play money: nothing would ever be due before it was spent.
 */
export async function changeTerms(t: TenantTx, terms: Terms): Promise<Wallet> {
  const { commercialMode, creditLimitMinor } = terms;
  const wallet = await lockWallet(t);
  await t.run(sql`
    update wallets set commercial_mode = ${commercialMode}, credit_limit_minor = ${creditLimitMinor}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${wallet.id}`);
  if (!t.livemode && commercialMode !== 'prepaid') await takePlayMoneyBack(t, wallet);
  await tellIfLow(t);
  const facts = { commercialMode, creditLimitMinor: creditLimitMinor.toString() };
  audit(t, { action: 'wallet.terms_changed', resource: wallet.id, facts });
  return readWallet(t);
}

/** What is left of it, once. */
async function takePlayMoneyBack(t: TenantTx, { id, availableMinor }: Wallet): Promise<void> {
  if (availableMinor <= 0n) return;
  const left = availableMinor < playMoneyMinor ? availableMinor : playMoneyMinor;
  await moveMoney(t, { walletId: id, reference: id, moves: { play_money_back: left }, repeated: 'skipped' });
}
