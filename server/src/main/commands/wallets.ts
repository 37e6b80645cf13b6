// What the operator does with wallets from the command line.
import {
  type CommercialMode,
  changeTerms,
  creditWallet,
  readWallet,
  verifyLedger,
  type Wallet,
} from '../../modules/billing/index.ts';
import { ConfigError } from '../../platform/config.ts';
import type { Database, Tenant, TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { format, type Money, money, parse } from '../../platform/money.ts';
import { asOperator, type CommandContext } from '../process/keys.ts';

type Credit = { amount: string; reason: string; reference: string };

/** Tells the balance afterwards. */
export function creditAccount(context: CommandContext, tenant: Tenant, credit: Credit): Promise<string> {
  return asOperatorIn(context, tenant, async (t) => {
    const amount = amountIn(await readWallet(t), credit.amount);
    if (amount.amountMinor === 0n) throw new ConfigError('The amount must be above zero.');
    return describe(await creditWallet(t, { ...credit, amount }));
  });
}

type Terms = { mode: CommercialMode; creditLimit: string };

export function setTerms(
  context: CommandContext,
  tenant: Tenant,
  { mode, creditLimit }: Terms,
): Promise<string> {
  return asOperatorIn(context, tenant, async (t) => {
    const limit = amountIn(await readWallet(t), creditLimit);
    if (mode === 'prepaid' && limit.amountMinor > 0n)
      throw new ConfigError('A prepaid wallet has no credit limit.');
    return describe(await changeTerms(t, { commercialMode: mode, creditLimitMinor: limit.amountMinor }));
  });
}

async function asOperatorIn<T>(
  context: CommandContext,
  tenant: Tenant,
  work: (t: TenantTx) => Promise<T>,
): Promise<T> {
  try {
    return await context.database.write(tenant, asOperator(context, tenant.livemode), work);
  } catch (error) {
    throw error instanceof ApiError && error.code === 'CONFLICT' ? new ConfigError(error.message) : error;
  }
}

function amountIn({ currency, scale }: Wallet, text: string): Money {
  const amount = parse(text, currency, scale);
  if (!amount) throw new ConfigError(`The wallet is in ${currency}, with at most ${scale} decimals.`);
  return amount;
}

function describe({ currency, scale, commercialMode, availableMinor, creditLimitMinor }: Wallet): string {
  const shown = (amountMinor: bigint) => format(money(amountMinor, currency, scale));
  const limit = creditLimitMinor > 0n ? `, credit limit ${shown(creditLimitMinor)}` : '';
  return `${commercialMode}: ${shown(availableMinor)} available${limit}`;
}

/** Names the first difference of every wallet that has one. */
export async function proveWallets(
  database: Database,
  account: string | undefined,
  print: (text: string) => void,
): Promise<boolean> {
  let wallets = 0;
  let transfers = 0;
  let broken = 0;
  for await (const report of verifyLedger(database, account)) {
    wallets += 1;
    transfers += report.transfers;
    if (!report.broken) continue;
    broken += 1;
    const { what, stored, recomputed } = report.broken;
    const environment = report.livemode ? 'live' : 'sandbox';
    print(
      `${report.accountSid} ${environment} ${report.currency}: ${what} is ${stored}, and should be ${recomputed}`,
    );
  }
  if (broken === 0)
    print(`Every balance is the sum of its transfers (${wallets} wallets, ${transfers} transfers).`);
  else print(broken === 1 ? '1 wallet is wrong.' : `${broken} wallets are wrong.`);
  return broken === 0;
}
