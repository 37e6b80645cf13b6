import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce, billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../../test/harness/locks.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, Sql, sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { hold, openHolds, release } from '../wallets/holds.ts';
import { settle } from '../wallets/settle.ts';
import { changeTerms } from '../wallets/terms.ts';
import { lockWallet, spendable } from '../wallets/wallets.ts';
import { accountTypes, transferKinds } from './kinds.ts';
import { oneReference, type Transfers, transfers } from './transfers.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

/** An account of its own whose live wallet holds this much. */
async function given(amountMinor: bigint) {
  const { accountSid } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  if (amountMinor > 0n) await billing.credit(amountMinor);
  return billing;
}
type Billing = Awaited<ReturnType<typeof given>>;

const holdOne = async (billing: Billing, amountMinor: bigint) => {
  const messageSid = billing.message();
  await billing.write((t) => hold(t, [{ messageSid, amountMinor }]));
  return messageSid;
};
const settleOne = async (billing: Billing, messageSid: string, amountMinor: bigint) => {
  const taken = await billing.write((t) => settle(t, [priceFor(messageSid, amountMinor)]));
  return taken.map((one) => one.messageSid);
};

async function spent(billing: Billing) {
  const { available, held, revenue } = await billing.balances();
  return [available, held, revenue];
}

const insufficient = (error: unknown) => error instanceof ApiError && error.code === 'INSUFFICIENT_FUNDS';

suite('a hold', () => {
  test('sets money aside, and the final price is taken from it', async () => {
    const billing = await given(100n);
    const message = await holdOne(billing, 40n);
    assert.deepEqual(await spent(billing), [60n, 40n, 0n]);
    assert.deepEqual(await settleOne(billing, message, 40n), [message]);
    assert.deepEqual(await spent(billing), [60n, 0n, 40n]);
  });
  test('beyond a lower final price is given back', async () => {
    const billing = await given(100n);
    await settleOne(billing, await holdOne(billing, 40n), 25n);
    assert.deepEqual(await spent(billing), [75n, 0n, 25n]);
  });
  test('of a message that turned out free is given back whole', async () => {
    const billing = await given(100n);
    await settleOne(billing, await holdOne(billing, 40n), 0n);
    assert.deepEqual(await spent(billing), [100n, 0n, 0n]);
  });
  test('is given back when the message is not sent', async () => {
    const billing = await given(100n);
    const message = await holdOne(billing, 40n);
    assert.deepEqual(await billing.write((t) => release(t, [message])), [message]);
    assert.deepEqual(await spent(billing), [100n, 0n, 0n]);
  });
  test('of nothing moves nothing and is remembered all the same', async () => {
    const billing = await given(0n);
    const [free, unsent] = [await holdOne(billing, 0n), await holdOne(billing, 0n)];
    assert.equal(await app.count(`ledger_transfers where reference = '${free}'`), 0);
    const [open] = await billing.write(openHolds);
    assert.deepEqual([open!.count, open!.amountMinor], [2, 0n]);
    assert.deepEqual(await settleOne(billing, free, 0n), [free]);
    assert.deepEqual(await settleOne(billing, free, 0n), []);
    assert.deepEqual(await billing.write((t) => release(t, [unsent])), [unsent]);
    assert.deepEqual(await billing.write(openHolds), []);
    assert.deepEqual(await spent(billing), [0n, 0n, 0n]);
  });
  test('of a message that cost nothing is charged when the final price says so', async () => {
    const billing = await given(100n);
    await settleOne(billing, await holdOne(billing, 0n), 7n);
    assert.deepEqual(await spent(billing), [93n, 0n, 7n]);
  });
  test('happens once to a message, whoever asks again', async () => {
    const billing = await given(100n);
    const messageSid = await holdOne(billing, 10n);
    for (const amountMinor of [10n, 0n]) {
      await assert.rejects(
        billing.write((t) => hold(t, [{ messageSid, amountMinor }])),
        { code: '23505' },
      );
    }
    assert.deepEqual(await spent(billing), [90n, 10n, 0n]);
  });
  test('of no messages is nothing', async () => {
    const billing = await given(1n);
    await billing.write(async (t) => {
      await hold(t, []);
      assert.deepEqual([await settle(t, []), await release(t, [])], [[], []]);
    });
    assert.deepEqual(await spent(billing), [1n, 0n, 0n]);
  });
  test('of less than nothing is refused', async () => {
    const billing = await given(100n);
    await assert.rejects(holdOne(billing, -1n), { code: '23514' });
    const message = await holdOne(billing, 5n);
    await assert.rejects(settleOne(billing, message, -1n), { code: '23514' });
    assert.deepEqual(await spent(billing), [95n, 5n, 0n]);
  });
  test('is refused for the whole batch when it does not fit', async () => {
    const billing = await given(10n);
    const holds = [6n, 5n].map((amountMinor) => ({ messageSid: billing.message(), amountMinor }));
    await assert.rejects(
      billing.write((t) => hold(t, holds)),
      insufficient,
    );
    assert.deepEqual(await spent(billing), [10n, 0n, 0n]);
    assert.equal(await app.count(`message_holds where message_sid = '${holds[0]!.messageSid}'`), 0);
  });
});

suite('the end of a hold', () => {
  test('comes once: settling, releasing and both in either order repeat without effect', async () => {
    const billing = await given(100n);
    const [settled, released] = [await holdOne(billing, 10n), await holdOne(billing, 20n)];
    await settleOne(billing, settled, 6n);
    await billing.write((t) => release(t, [released]));
    for (const message of [settled, released]) {
      assert.deepEqual(await settleOne(billing, message, 9n), []);
      assert.deepEqual(await billing.write((t) => release(t, [message])), []);
    }
    assert.deepEqual(await spent(billing), [94n, 0n, 6n]);
  });
  test('comes once among many who bring it at the same moment', async () => {
    const billing = await given(100n);
    const message = await holdOne(billing, 10n);
    const ends = await atOnce([...Array(24).keys()], (i) =>
      i % 3 === 0 ? settleOne(billing, message, 10n) : billing.write((t) => release(t, [message])),
    );
    const closed = ends.map((end) => (end.status === 'fulfilled' ? end.value.length : Number.NaN));
    assert.equal(
      closed.reduce((sum, count) => sum + count),
      1,
    );
    const [available, held, revenue] = await spent(billing);
    assert.deepEqual([available! + revenue!, held], [100n, 0n]);
  });
  test('counts the first of two prices in one call', async () => {
    const billing = await given(100n);
    const messageSid = await holdOne(billing, 10n);
    const finals = [8n, 3n].map((amountMinor) => priceFor(messageSid, amountMinor));
    assert.deepEqual(await billing.write((t) => settle(t, finals)), [{ messageSid, amountMinor: 8n }]);
    assert.deepEqual(await spent(billing), [92n, 0n, 8n]);
  });
  test('of a message that was never held changes nothing', async () => {
    const billing = await given(100n);
    const stranger = billing.message();
    assert.deepEqual(await settleOne(billing, stranger, 5n), []);
    assert.deepEqual(await billing.write((t) => release(t, [stranger])), []);
    assert.deepEqual(await spent(billing), [100n, 0n, 0n]);
  });
  test("of another account's or the other environment's message changes nothing", async () => {
    const billing = await given(100n);
    const message = await holdOne(billing, 10n);
    const accountSid = (await app.newAccount()).accountSid;
    const others = [billingOf(app, { accountSid }), billingOf(app, { accountSid, livemode: false })];
    for (const other of others) {
      assert.deepEqual(await settleOne(other, message, 5n), []);
      assert.deepEqual(await other.write((t) => release(t, [message])), []);
    }
    assert.deepEqual(await spent(billing), [90n, 10n, 0n]);
  });
});

suite('a final price above the hold', () => {
  test('takes the difference, below zero by exactly that, and nothing more can be held until it is paid', async () => {
    const billing = await given(10n);
    const message = await holdOne(billing, 10n);
    await settleOne(billing, message, 13n);
    assert.deepEqual(await spent(billing), [-3n, 0n, 13n]);
    const [recorded] = await app.sql<{ amount: string }>(
      "select amount_minor as amount from ledger_transfers where kind = 'overage' and reference = $1",
      [message],
    );
    assert.equal(recorded!.amount, '3');
    await assert.rejects(holdOne(billing, 1n), insufficient);
    assert.equal(spendable(await billing.wallet()), 0n);
    await billing.credit(2n);
    await assert.rejects(holdOne(billing, 1n), insufficient);
    await billing.credit(2n);
    await assert.rejects(holdOne(billing, 2n), insufficient);
    await holdOne(billing, 1n);
    assert.deepEqual(await spent(billing), [0n, 1n, 13n]);
  });
  test('lets what others give back in the same call pay for it first', async () => {
    const billing = await given(20n);
    const [dear, cheap] = [await holdOne(billing, 10n), await holdOne(billing, 10n)];
    const finals = [priceFor(dear, 15n), priceFor(cheap, 2n)];
    await billing.write((t) => settle(t, finals));
    assert.deepEqual(await spent(billing), [3n, 0n, 17n]);
    await assert.rejects(holdOne(billing, 4n), insufficient);
  });
});

suite('a credit limit', () => {
  const terms = { commercialMode: 'credit_line', creditLimitMinor: 50n } as const;
  test('is spent to its last unit and no further', async () => {
    const billing = await given(10n);
    await billing.write((t) => changeTerms(t, terms));
    assert.equal(spendable(await billing.wallet()), 60n);
    await assert.rejects(holdOne(billing, 61n), insufficient);
    await holdOne(billing, 60n);
    await assert.rejects(holdOne(billing, 1n), insufficient);
    assert.deepEqual(await spent(billing), [-50n, 60n, 0n]);
  });
  test('that is lowered below what is used leaves the balance and lets nothing more through', async () => {
    const billing = await given(0n);
    await billing.write((t) => changeTerms(t, terms));
    const message = await holdOne(billing, 40n);
    await billing.write((t) => changeTerms(t, { commercialMode: 'prepaid', creditLimitMinor: 0n }));
    await assert.rejects(holdOne(billing, 1n), insufficient);
    await billing.write((t) => release(t, [message]));
    await assert.rejects(holdOne(billing, 1n), insufficient);
    assert.deepEqual(await spent(billing), [0n, 0n, 0n]);
  });
});

suite('many at once', () => {
  const rivals = 40;
  const price = 7n;
  const fits = 14; // of a balance of 100
  const outcomes = async (attempt: () => Promise<unknown>) => {
    const results = await atOnce(Array(rivals).fill(null), attempt);
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const reason of refusals) assert.ok(insufficient(reason), String(reason));
    return [rivals - refusals.length, refusals.length];
  };
  test('asking first: exactly those that fit are admitted, to the last unit', async () => {
    const billing = await given(100n);
    const counted = await outcomes(() =>
      billing.write(async (t) => {
        if (spendable(await lockWallet(t)) < price) throw new ApiError('INSUFFICIENT_FUNDS');
        await hold(t, [{ messageSid: billing.message(), amountMinor: price }]).catch((error) => {
          throw new Error('refused although it was said to fit', { cause: error });
        });
      }),
    );
    assert.deepEqual(counted, [fits, rivals - fits]);
    assert.deepEqual(await spent(billing), [2n, 98n, 0n]);
  });
  test('without asking: the database admits exactly as many', async () => {
    const billing = await given(100n);
    assert.deepEqual(await outcomes(() => holdOne(billing, price)), [fits, rivals - fits]);
    assert.deepEqual(await spent(billing), [2n, 98n, 0n]);
  });
});

suite('who waits for whom', () => {
  const ends: [string, (t: TenantTx, messageSid: string) => Promise<unknown[]>][] = [
    ['settling', (t, messageSid) => settle(t, [priceFor(messageSid, 10n)])],
    ['releasing', (t, messageSid) => release(t, [messageSid])],
  ];
  for (const [name, end] of ends) {
    test(`${name} takes the wallet before the message, so that nobody waits in a circle`, async () => {
      const billing = await given(100n);
      const message = await holdOne(billing, 10n);
      let tries = 0;
      let rival: Promise<unknown[]> = Promise.resolve([]);
      const closed = await billing.write(async (t) => {
        tries += 1;
        await lockWallet(t);
        rival = billing.write((other) => {
          tries += 1;
          return end(other, message);
        });
        await untilSomebodyWaits();
        return release(t, [message]);
      });
      // In a circle one of the two would have been thrown out and begun again.
      assert.deepEqual([closed, await rival, tries], [[message], [], 2]);
      assert.deepEqual(await spent(billing), [100n, 0n, 0n]);
    });
  }
  const untilSomebodyWaits = () => waitersAre(app, 1);
});

suite('the database itself', () => {
  test('lets no serving role touch a balance or a transfer', async () => {
    const billing = await given(10n);
    for (const statement of [
      'update ledger_accounts set balance_minor = 1000',
      'insert into ledger_accounts select * from ledger_accounts',
      'delete from ledger_accounts',
      'update ledger_transfers set amount_minor = 1',
      'delete from ledger_transfers',
      'update ledger_transfer_kinds set beyond_limit = true',
      "insert into ledger_transfer_kinds values ('gift', 'funding', 'available', false)",
      'update ledger_account_types set lowest = null',
      'delete from message_holds',
      'update message_holds set amount_minor = 0',
      "update wallets set currency = 'EUR'",
      'delete from wallets',
    ]) {
      const query = passingQuery(new Sql([statement], []));
      await assert.rejects(
        billing.write((t) => t.run(query)),
        { code: '42501' },
        statement,
      );
      await assert.rejects(
        app.database.system((s) => s.run(query)),
        { code: '42501' },
        statement,
      );
    }
    assert.deepEqual(await spent(billing), [10n, 0n, 0n]);
  });
  test('lets nobody rewrite a transfer or open a closed hold, the owner included', async () => {
    const billing = await given(10n);
    const message = await holdOne(billing, 5n);
    await settleOne(billing, message, 5n);
    for (const statement of [
      'update ledger_transfers set amount_minor = 1',
      'delete from ledger_transfers',
      'truncate ledger_transfers',
      'update ledger_transfer_kinds set beyond_limit = true',
      'delete from ledger_account_types',
      `update message_holds set state = 'released', final_minor = null where message_sid = '${message}'`,
    ]) {
      await assert.rejects(app.sql(statement), { code: '42501' }, statement);
    }
  });
  test('refuses a transfer that is no known move, of nothing, or of a wallet that is not there', async () => {
    const billing = await given(10n);
    const { id } = await billing.wallet();
    const transfer = (wallet: string, move: string, amount: number) =>
      app.sql(
        `insert into ledger_transfers (account_sid, livemode, wallet_id, kind, reference, debit_account,
           credit_account, amount_minor, created_at)
         select account_sid, livemode, $1, ${move}, $2, now() from wallets where id = $3`,
        [wallet, amount, id],
      );
    const breaks = (constraint: string) => ({ code: '23514', constraint });
    const [moves, minimum] = [breaks('ledger_transfers_moves'), breaks('ledger_accounts_minimum')];
    await assert.rejects(transfer(id, "'hold', 'x', 'available', 'revenue'", 1), moves);
    await assert.rejects(transfer(id, "'gift', 'x', 'funding', 'available'", 1), moves);
    await assert.rejects(
      transfer(id, "'hold', 'x', 'available', 'held'", 0),
      breaks('ledger_transfers_amount_minor_check'),
    );
    await assert.rejects(transfer(id, "'hold', 'x', 'available', 'held'", 11), minimum);
    await assert.rejects(transfer(id, "'capture', 'x', 'held', 'revenue'", 1), minimum);
    const nowhere = '00000000-0000-7000-8000-000000000000';
    await assert.rejects(transfer(nowhere, "'hold', 'x', 'available', 'held'", 1), { code: '23503' });
    assert.deepEqual(await spent(billing), [10n, 0n, 0n]);
  });
  test('lists the kinds of transfer and the accounts that the code names, and no other', async () => {
    const rows = await app.sql<{ kind: string }>('select kind from ledger_transfer_kinds');
    assert.deepEqual(rows.map(({ kind }) => kind).sort(), transferKinds.toSorted());
    const types = await app.sql<{ account: string }>('select account from ledger_account_types');
    assert.deepEqual(types.map(({ account }) => account).sort(), accountTypes.toSorted());
  });
  test('loses no money to a kind that is not listed or an amount below zero: the statement is refused', async () => {
    const billing = await given(10n);
    const { id } = await billing.wallet();
    const move = (amounts: Transfers['amounts']) =>
      billing.write((t) => {
        return t.run(passingQuery(transfers(t, { of: oneReference(t, id, 'x'), amounts })));
      });
    await assert.rejects(move({ gift: sql`1` } as Transfers['amounts']), { code: '23502' });
    await assert.rejects(move({ hold: sql`-1` }), { code: '23514' });
    assert.deepEqual(await spent(billing), [10n, 0n, 0n]);
    assert.equal(await move({ operator_credit: sql`3`, play_money: sql`1`, hold: sql`0` }), 2);
    assert.deepEqual(await spent(billing), [14n, 0n, 0n]);
  });
});
