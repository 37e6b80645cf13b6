// Wallets: money of one account, environment and currency. A wallet's row is the one lock around its balances.
import {
  type Asked,
  type MergedQueries,
  OwnTransactionNeeded,
  type TenantTx,
} from '../../../platform/db/database.ts';
import { accountsOf } from '../../../platform/db/merge.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { money, toWire } from '../../../platform/money.ts';
import type { BillingStatus, CommercialMode, DunningState, WalletQuery, WalletResource } from './schema.ts';

export type Wallet = {
  id: string;
  currency: string;
  scale: number;
  commercialMode: CommercialMode;
  availableMinor: bigint;
  heldMinor: bigint;
  creditLimitMinor: bigint;
  /** What may be spent beyond the balance now: nothing while suspended, and on a credit line less by what is billed and unpaid. */
  creditMinor: bigint;
  billingStatus: BillingStatus;
  dunningState: DunningState;
  /** People are to be told when what can be spent falls below their threshold. */
  alertArmed: boolean;
  /** How much messages may cost in a month, and what they cost in `chargedMonth`; null for no budget. */
  budgetMinor: bigint | null;
  chargedMinor: bigint;
  /** The first instant of the month of which that is told, in UTC. */
  chargedMonth: string | null;
  /** Until when its time is closed: nothing is dated before that any more. Null while no period was closed. */
  closedUntil: string | null;
};

/** What can still be set aside for messages. */
export function spendable(wallet: Wallet): bigint {
  const left = wallet.availableMinor + wallet.creditMinor;
  return left > 0n ? left : 0n;
}

export type Budget = { limitMinor: bigint; spentMinor: bigint; leftMinor: bigint };

/** What is left of the month's budget: messages that were charged in it and those on their way are spent. Null without one. */
export function budgetOf(wallet: Wallet, now: Date): Budget | null {
  const { budgetMinor, chargedMinor, chargedMonth, heldMinor } = wallet;
  if (budgetMinor === null) return null;
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  // A month that has begun by another's clock counts too.
  const charged = chargedMonth !== null && new Date(chargedMonth) >= month ? chargedMinor : 0n;
  const spentMinor = charged + heldMinor;
  return {
    limitMinor: budgetMinor,
    spentMinor,
    leftMinor: budgetMinor > spentMinor ? budgetMinor - spentMinor : 0n,
  };
}

/**
 * The wallet messages are paid from, locked until the transaction ends. Rows of one's own are locked before it, never
 * after: whoever holds a wallet waits for nobody. In a transaction of several accounts one that somebody else has is not
 * waited for.
 */
export async function lockWallet(t: TenantTx): Promise<Wallet> {
  // Locked first and read after, in two statements of one round trip: a row that was waited for is read as it is then, but
  // the balances joined to it would be those from before the wait.
  const [left, [row]] = await Promise.all([
    t.shared ? t.merged(lockFreeWallets, [null]) : lockWallets(t).then(() => []),
    t.merged(findPaying, [null]),
  ]);
  if (left.length > 0) throw new OwnTransactionNeeded();
  return toWallet(row!);
}

/** Locks the wallets nobody has, in one order, and tells of the accounts some of whose wallets are left. */
const lockFreeWallets = (q: MergedQueries, asked: readonly Asked<null>[]) =>
  q.many<{ accountSid: string }>(sql`
    with held as (
      select w.account_sid, w.id from wallets w
       where w.account_sid = any (${accountsOf(asked)}::text[]) and w.livemode = ${q.livemode}
       order by w.account_sid, w.id for no key update skip locked)
    select w.account_sid as "accountSid" from wallets w
     where w.account_sid = any (${accountsOf(asked)}::text[]) and w.livemode = ${q.livemode}
       and not exists (select from held where held.account_sid = w.account_sid and held.id = w.id)`);

/** All wallets of the environment, in one order. Most accounts have one. */
export function lockWallets(t: TenantTx): Promise<number> {
  return t.run(sql`
    select from wallets where account_sid = ${t.accountSid} and livemode = ${t.livemode}
     order by account_sid, id for no key update`);
}

/**
 * The same, and the months their charges will stand in are there afterwards. Tells whether somebody is to be told when one of them
 * runs low.
 */
export async function lockWalletsToCharge(t: TenantTx): Promise<{ alertArmed: boolean }> {
  const rows = await t.many<{ alertArmed: boolean }>(sql`
    select locked.alert_armed as "alertArmed" from (
      select closed_until, alert_armed from wallets where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       order by account_sid, id for no key update) as locked
     cross join lateral (select keep_charges_month(greatest(${t.now}, locked.closed_until)) offset 0) as kept`);
  return { alertArmed: rows.some(({ alertArmed }) => alertArmed) };
}

type BalanceRow = {
  id: string;
  currency: string;
  scale: number;
  commercialMode: CommercialMode;
  availableMinor: string;
  heldMinor: string;
  creditLimitMinor: string;
  creditMinor: string;
  billingStatus: BillingStatus;
  dunningState: DunningState;
  closedUntil: string | null;
  alertArmed: boolean;
  budgetMinor: string | null;
  chargedMinor: string | null;
  chargedMonth: string | null;
};

const balanceColumns = sql`w.id, w.currency, w.scale, w.commercial_mode as "commercialMode",
  available.balance_minor as "availableMinor", held.balance_minor as "heldMinor",
  w.credit_limit_minor as "creditLimitMinor", w.credit_minor as "creditMinor", w.billing_status as "billingStatus",
  w.dunning_state as "dunningState", w.closed_until as "closedUntil", w.alert_armed as "alertArmed",
  w.budget_minor as "budgetMinor", charged.minor as "chargedMinor", charged.month as "chargedMonth"`;

const balanceOf = (account: Sql) => sql`ledger_accounts ${account}
  on ${account}.account_sid = w.account_sid and ${account}.wallet_id = w.id`;

const withBalances = sql`wallets w
  join ${balanceOf(sql`available`)} and available.account = 'available'
  join ${balanceOf(sql`held`)} and held.account = 'held'
  left join lateral (
    select max(c.spent_month) as month, sum(c.spent_minor)::bigint as minor from (
      select spent_minor, spent_month, max(spent_month) over () as newest from ledger_accounts
       where account_sid = w.account_sid and wallet_id = w.id and account in ('revenue', 'provider_cost')
         and w.budget_minor is not null) as c
     where c.spent_month = c.newest and isfinite(c.spent_month)) as charged on true`;

/** The wallet messages are paid from, as it is now. */
export async function readWallet(t: TenantTx): Promise<Wallet> {
  const [row] = await t.merged(findPaying, [null]);
  return toWallet(row!);
}

const findPaying = (q: MergedQueries, asked: readonly Asked<null>[]) =>
  q.many<BalanceRow & { accountSid: string }>(sql`
    select w.account_sid as "accountSid", ${balanceColumns} from ${withBalances}
     where w.account_sid = any (${accountsOf(asked)}::text[]) and w.livemode = ${q.livemode} and w.pays`);

/** All of the environment. */
export async function walletsOf(t: TenantTx): Promise<Wallet[]> {
  const rows = await t.many<BalanceRow>(sql`
    select ${balanceColumns} from ${withBalances}
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} order by w.currency`);
  return rows.map(toWallet);
}

/** The wallet of a currency, as it is now; null where the account has none in this environment. */
export async function walletOf(t: TenantTx, currency: string): Promise<Wallet | null> {
  const row = await t.maybe<BalanceRow>(sql`
    select ${balanceColumns} from ${withBalances}
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.currency = ${currency}`);
  return row ? toWallet(row) : null;
}

/** The same, locked until the transaction ends. Rows of one's own are locked before it. */
export async function lockWalletOf(t: TenantTx, currency: string): Promise<Wallet | null> {
  const [, wallet] = await Promise.all([lockWallets(t), walletOf(t, currency)]);
  return wallet;
}

/** A wallet by its id, locked until the transaction ends. */
export async function lockWalletById(t: TenantTx, id: string): Promise<Wallet | null> {
  const [, row] = await Promise.all([
    lockWallets(t),
    t.maybe<BalanceRow>(sql`
      select ${balanceColumns} from ${withBalances}
       where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.id = ${id}`),
  ]);
  return row ? toWallet(row) : null;
}

const toWallet = ({
  availableMinor,
  heldMinor,
  creditLimitMinor,
  creditMinor,
  budgetMinor,
  chargedMinor,
  ...row
}: BalanceRow): Wallet => ({
  id: row.id,
  currency: row.currency,
  scale: row.scale,
  commercialMode: row.commercialMode,
  availableMinor: BigInt(availableMinor),
  heldMinor: BigInt(heldMinor),
  creditLimitMinor: BigInt(creditLimitMinor),
  creditMinor: BigInt(creditMinor),
  billingStatus: row.billingStatus,
  dunningState: row.dunningState,
  closedUntil: row.closedUntil,
  alertArmed: row.alertArmed,
  budgetMinor: budgetMinor === null ? null : BigInt(budgetMinor),
  chargedMinor: BigInt(chargedMinor ?? 0),
  chargedMonth: row.chargedMonth,
});

type WalletRow = BalanceRow & Pick<WalletResource, 'createdAt' | 'updatedAt'>;

const resourceColumns = sql`${balanceColumns}, w.created_at as "createdAt", w.updated_at as "updatedAt"`;

export async function getWallet(t: TenantTx, id: string): Promise<WalletResource> {
  const row = await t.one<WalletRow>(sql`
    select ${resourceColumns} from ${withBalances}
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode} and w.id = ${id}`);
  return toResource(t, row);
}

export async function listWallets(t: TenantTx, query: WalletQuery, pager: Pager) {
  const { currency = null, commercialMode = null, billingStatus = null, dunningState = null } = query;
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<WalletRow>(sql`
    select ${resourceColumns} from ${withBalances}
     where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode}
       and (${currency}::text is null or w.currency = ${currency})
       and (${commercialMode}::text is null or w.commercial_mode = ${commercialMode})
       and (${billingStatus}::text is null or w.billing_status = ${billingStatus})
       and (${dunningState}::text is null or w.dunning_state = ${dunningState})
       and (${before}::uuid is null or w.id < ${before}::uuid)
     order by w.id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ id }) => [id],
    (row) => toResource(t, row),
  );
}

function toResource(t: TenantTx, row: WalletRow): WalletResource {
  const wallet = toWallet(row);
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, wallet.currency, wallet.scale));
  return {
    object: 'wallet',
    id: wallet.id,
    accountSid: t.accountSid,
    livemode: t.livemode,
    currency: wallet.currency,
    commercialMode: wallet.commercialMode,
    billingStatus: wallet.billingStatus,
    dunningState: wallet.dunningState,
    available: wire(wallet.availableMinor),
    held: wire(wallet.heldMinor),
    creditLimit: wire(wallet.creditLimitMinor),
    spendable: wire(spendable(wallet)),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
