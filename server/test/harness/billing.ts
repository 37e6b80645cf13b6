// Wallets in tests: work inside the account's transaction, money put in by the operator, and the ledger's own proof.
import assert from 'node:assert/strict';
import { asOperator } from '../../src/main/process/keys.ts';
import {
  creditWallet,
  type FinalPrice,
  moveMoney,
  readWallet,
  verifyLedger,
} from '../../src/modules/billing/index.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { newSid, newUuid } from '../../src/platform/ids.ts';
import { money } from '../../src/platform/money.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import type { TestApp } from './app.ts';

/**
 * Does everything at the same time, in as many lanes as fit into the connections of a test's service: whoever waited for
 * a connection would be turned away, and it is the wallet they are to wait for.
 */
export async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>) {
  const results: PromiseSettledResult<R>[] = [];
  const lanes = Array.from({ length: 8 }, (_, lane) => items.filter((_item, i) => i % 8 === lane));
  await Promise.all(
    lanes.map(async (lane) => {
      for (const item of lane) results.push(...(await Promise.allSettled([work(item)])));
    }),
  );
  return results;
}

export function billingOf(app: TestApp, { livemode = true, accountSid = app.accountSid } = {}) {
  const context = { database: app.database, clock: app.clock, log: silentLog };
  const write = <T>(work: (t: TenantTx) => Promise<T>) =>
    app.database.write({ accountSid, livemode }, asOperator(context, livemode), work);
  return {
    write,
    wallet: () => write(readWallet),
    credit: (amountMinor: bigint) =>
      write((t) => {
        const reference = newUuid(t.now);
        return creditWallet(t, { amount: money(amountMinor, 'USD', 6), reason: 'test', reference });
      }),
    /** A message nobody has heard of. */
    message: () => newSid('SM', app.clock.now()),
    /** The balances by name, and the proof that they are the sum of their transfers. */
    async balances(): Promise<Record<string, bigint>> {
      for await (const report of verifyLedger(app.database, accountSid)) assert.equal(report.broken, null);
      const rows = await app.sql<{ account: string; balance: string }>(
        `select account, balance_minor as balance from ledger_accounts
          where account_sid = $1 and livemode = $2 order by account`,
        [accountSid, livemode],
      );
      return Object.fromEntries(rows.map(({ account, balance }) => [account, BigInt(balance)]));
    },
  };
}

/** Takes everything but so much out of the wallet of a sandbox. */
export async function leaveOnly(app: TestApp, accountSid: string, amountMinor: bigint): Promise<void> {
  const { write, wallet } = billingOf(app, { accountSid, livemode: false });
  const { id: walletId, availableMinor } = await wallet();
  const moves = { play_money_back: availableMinor - amountMinor };
  await write((t) => moveMoney(t, { walletId, reference: newUuid(t.now), moves }));
}

/** A price of a message nobody looks at closer: an ordinary utility template. */
export const priceFor = (
  messageSid: string,
  amountMinor: bigint,
  more: Partial<FinalPrice> = {},
): FinalPrice => ({
  messageSid,
  amountMinor,
  senderSid: `WA${'0'.repeat(26)}`,
  campaignSid: null,
  category: 'utility',
  pricingType: 'REGULAR',
  transport: 'cloud_api',
  market: 'FR',
  rateCardVersion: 1,
  reported: ['regular', 'utility', 'pmp', true],
  ...more,
});

/** A card on which everything costs twice as much as on the second. */
export async function draftRateCard(app: TestApp, version: number, effectiveFrom: string): Promise<void> {
  await app.sql('insert into rate_cards (version, scale, effective_from) values ($1, 6, $2)', [
    version,
    effectiveFrom,
  ]);
  await app.sql(
    `insert into rates select $1, kind, category, pricing_type, transport, market, currency, amount_minor * 2
       from rates where version = 2`,
    [version],
  );
  await app.sql('insert into rate_markets select $1, country, market from rate_markets where version = 1', [
    version,
  ]);
}

export const publishRateCard = (app: TestApp, version: number, at: string) =>
  app.sql('update rate_cards set published_at = $2 where version = $1', [version, at]);
