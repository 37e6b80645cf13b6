// What people set for a wallet themselves: when they are told that little is left, and how much may be spent in a month.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { money, parse, toWire } from '../../../platform/money.ts';
import { audit } from '../../audit/index.ts';
import { tellIfLow } from './alerts.ts';
import type { BudgetResource, LowBalanceAlert } from './schema.ts';
import { type Budget, budgetOf, lockWalletOf, type Wallet, walletOf, walletsOf } from './wallets.ts';

const mostMinor = 2n ** 63n - 1n;

/** An amount as people write it, or what is wrong with it; commas, where there are any, group thousands. */
function readAmount(text: string, scale: number): bigint | { issue: string } {
  const grouped = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text);
  if (text.includes(',') && !grouped) return { issue: 'commas must group thousands' };
  // The currency does not matter to the digits; its wallet's scale does.
  const amount = parse(text.replaceAll(',', ''), 'XXX', scale);
  if (!amount) return { issue: `has at most ${scale} decimals` };
  return amount.amountMinor > mostMinor ? { issue: 'is more than a wallet can hold' } : amount.amountMinor;
}

// Of every wallet that is opened.
const walletScale = 6;

/** Everything that is wrong with an amount at this path, and with the currency it is set for, at once. */
export async function issuesOfLimit(
  t: TenantTx,
  currency: string | undefined,
  [path, text]: [path: string, text: string | null | undefined],
): Promise<ErrorDetail[]> {
  const wallet = currency === undefined ? null : await walletOf(t, currency);
  const read = typeof text === 'string' ? readAmount(text, wallet?.scale ?? walletScale) : 0n;
  return [
    ...(wallet || currency === undefined
      ? []
      : [{ path: 'currency', issue: 'is of no wallet of this account' }]),
    ...(typeof read === 'bigint' ? [] : [{ path, ...read }]),
  ];
}

/** The wallet, locked, and the amount in its minor units. Neither has issues. */
async function lockNamed(
  t: TenantTx,
  currency: string,
  text: string | null,
): Promise<{ wallet: Wallet; amountMinor: string | null }> {
  const wallet = (await lockWalletOf(t, currency))!;
  return { wallet, amountMinor: text === null ? null : String(readAmount(text, wallet.scale)) };
}

type AlertRow = {
  currency: string;
  scale: number;
  thresholdMinor: string | null;
  armed: boolean;
  lastFiredAt: string | null;
};

const alertColumns = sql`currency, scale, alert_minor as "thresholdMinor", alert_armed as armed,
  alert_fired_at as "lastFiredAt"`;

function toAlert(t: TenantTx, { currency, scale, thresholdMinor, ...row }: AlertRow): LowBalanceAlert {
  const threshold = thresholdMinor === null ? null : toWire(money(BigInt(thresholdMinor), currency, scale));
  const { accountSid, livemode } = t;
  return { object: 'low_balance_alert', accountSid, livemode, currency, threshold, ...row };
}

/** Those that are set. */
export async function listLowBalanceAlerts(t: TenantTx) {
  const rows = await t.many<AlertRow>(sql`
    select ${alertColumns} from wallets
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and alert_minor is not null
     order by currency`);
  return {
    object: 'list' as const,
    data: rows.map((row) => toAlert(t, row)),
    hasMore: false,
    nextCursor: null,
  };
}

/** A threshold that is already not met tells of it at once. The one that stands already changes nothing. */
export async function setLowBalanceAlert(
  t: TenantTx,
  currency: string,
  threshold: string | null,
): Promise<LowBalanceAlert> {
  const { wallet, amountMinor: alertMinor } = await lockNamed(t, currency, threshold);
  const changed = await t.run(sql`
    update wallets set alert_minor = ${alertMinor}::bigint, alert_armed = ${alertMinor !== null}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${wallet.id}
       and alert_minor is distinct from ${alertMinor}::bigint`);
  if (changed > 0) {
    audit(t, {
      action: 'wallet.alert_changed',
      resource: wallet.id,
      facts: { currency, thresholdMinor: alertMinor },
    });
    await tellIfLow(t);
  }
  const row = await t.one<AlertRow>(sql`
    select ${alertColumns} from wallets
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${wallet.id}`);
  return toAlert(t, row);
}

export async function listBudgets(t: TenantTx) {
  const wallets = await walletsOf(t);
  const data = wallets.flatMap((wallet) => {
    const budget = budgetOf(wallet, t.now);
    return budget ? [toBudget(t, wallet, budget)] : [];
  });
  return { object: 'list' as const, data, hasMore: false, nextCursor: null };
}

/** Counts from the beginning of the month that runs, what was spent before it was set included. */
export async function setBudget(
  t: TenantTx,
  currency: string,
  monthly: string | null,
): Promise<BudgetResource> {
  const { wallet, amountMinor: budgetMinor } = await lockNamed(t, currency, monthly);
  const changed = await t.run(sql`
    update wallets set budget_minor = ${budgetMinor}::bigint, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${wallet.id}
       and budget_minor is distinct from ${budgetMinor}::bigint`);
  if (changed > 0) {
    audit(t, { action: 'wallet.budget_changed', resource: wallet.id, facts: { currency, budgetMinor } });
  }
  const after = (await lockWalletOf(t, currency))!;
  return toBudget(t, after, budgetOf(after, t.now));
}

function toBudget(t: TenantTx, { currency, scale }: Wallet, budget: Budget | null): BudgetResource {
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, currency, scale));
  const { accountSid, livemode } = t;
  return {
    object: 'budget',
    accountSid,
    livemode,
    currency,
    monthly: budget && wire(budget.limitMinor),
    spent: budget && wire(budget.spentMinor),
    left: budget && wire(budget.leftMinor),
  };
}
