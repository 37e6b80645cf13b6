// Closed time of a wallet: it never changes, and its pieces follow each other without a gap.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { atOnce, billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { movementsBetween } from '../ledger/transfers.ts';
import { hold, release } from '../wallets/holds.ts';
import { moveMoney } from '../wallets/move-money.ts';
import { settle } from '../wallets/settle.ts';
import {
  addPeriod,
  closeUntil,
  lastPeriod,
  nameInvoice,
  nameStatement,
  periodsOf,
  positionAt,
} from './periods.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const minute = 60_000;

async function given() {
  const { accountSid } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  await billing.credit(1000n);
  const { id } = await billing.wallet();
  const send = async (amountMinor: bigint) => {
    const messageSid = billing.message();
    await billing.write((t) => hold(t, [{ messageSid, amountMinor }]));
    return messageSid;
  };
  const datesOf = async (reference: string) => {
    const rows = await app.sql<{ kind: string; at: string }>(
      'select kind, created_at as at from ledger_transfers where account_sid = $1 and reference = $2 order by kind',
      [accountSid, reference],
    );
    return Object.fromEntries(rows.map(({ kind, at }) => [kind, new Date(at).getTime()]));
  };
  return {
    ...billing,
    accountSid,
    id,
    send,
    datesOf,
    take: (messageSid: string, amountMinor: bigint) =>
      billing.write((t) => settle(t, [priceFor(messageSid, amountMinor)])),
    close: (end: Date) => billing.write((t) => closeUntil(t, id, end)),
    add: (startsAt: Date, endsAt: Date) =>
      billing.write((t) => addPeriod(t, { walletId: id, startsAt, endsAt })),
    position: (at: Date) => billing.write((t) => positionAt(t, id, at)),
  };
}

suite('closed time', () => {
  test('takes nothing more: what comes later is dated at its end', async () => {
    const wallet = await given();
    const [first, second] = [await wallet.send(10n), await wallet.send(20n)];
    const end = app.clock.now();
    await wallet.close(end);
    // A process whose clock is an hour behind.
    app.clock.advance(-60 * minute);
    await wallet.take(first, 15n);
    await wallet.write((t) => release(t, [second]));
    const third = await wallet.send(5n);
    await wallet.write((t) =>
      moveMoney(t, { walletId: wallet.id, reference: 'late', moves: { top_up: 7n } }),
    );
    app.clock.advance(60 * minute);
    assert.deepEqual(await wallet.datesOf(first), {
      hold: end.getTime(),
      capture: end.getTime(),
      overage: end.getTime(),
    });
    assert.equal((await wallet.datesOf(second)).release, end.getTime());
    assert.deepEqual(await wallet.datesOf(third), { hold: end.getTime() });
    assert.deepEqual(await wallet.datesOf('late'), { top_up: end.getTime() });
    await wallet.balances();
  });

  test('is refused by the database to whatever is dated into it', async () => {
    const wallet = await given();
    await wallet.close(app.clock.now());
    await assert.rejects(
      app.sql(
        `insert into ledger_transfers (account_sid, livemode, wallet_id, kind, reference, debit_account, credit_account,
           amount_minor, created_at)
         select account_sid, livemode, id, 'top_up', 'x', 'funding', 'available', 1, closed_until - interval '1 microsecond'
           from wallets where id = $1`,
        [wallet.id],
      ),
      { code: '40001' },
    );
  });

  test('is never opened again, and the future is not closed', async () => {
    const wallet = await given();
    const end = app.clock.now();
    await wallet.close(end);
    await wallet.close(new Date(end.getTime() - minute));
    assert.equal((await wallet.wallet()).closedUntil, end.toISOString());
    for (const until of ['null', "closed_until - interval '1 second'"]) {
      await assert.rejects(app.sql(`update wallets set closed_until = ${until} where id = $1`, [wallet.id]), {
        code: '42501',
      });
    }
    await assert.rejects(
      wallet.close(new Date(end.getTime() + minute)),
      (error) => error instanceof ApiError && error.code === 'CONFLICT',
    );
  });

  test('does not change while messages are settled beside its closing, and after it by a clock that is behind', async () => {
    const wallet = await given();
    const messages: string[] = [];
    for (let i = 0; i < 50; i += 1) messages.push(await wallet.send(10n));
    const end = new Date(app.clock.now().getTime() + minute);
    app.clock.advance(2 * minute);
    const results = await atOnce([...messages.slice(25), 'close', ...messages.slice(0, 25)], async (item) => {
      if (item === 'close') return wallet.close(end);
      return wallet.take(item, 12n);
    });
    assert.deepEqual(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    const before = await wallet.position(end);
    await wallet.add(new Date(end.getTime() - minute), end);
    app.clock.advance(-5 * minute);
    await wallet.take(await wallet.send(10n), 30n);
    app.clock.advance(5 * minute);
    assert.equal(await wallet.position(end), before);
    await wallet.balances();
  });
});

suite('periods', () => {
  test('follow each other without a gap, and each begins with what the last ended with', async () => {
    const wallet = await given();
    const start = app.clock.now();
    app.clock.advance(minute);
    await wallet.take(await wallet.send(100n), 70n);
    const middle = new Date(app.clock.now().getTime() + minute);
    app.clock.advance(2 * minute);
    await wallet.take(await wallet.send(100n), 130n);
    const open = await wallet.send(11n);
    const end = new Date(app.clock.now().getTime() + minute);
    app.clock.advance(2 * minute);
    assert.equal(await wallet.write((t) => lastPeriod(t, wallet.id)), null);
    await assert.rejects(wallet.add(start, middle), { constraint: 'billing_periods_closed' });
    await wallet.close(end);
    const first = await wallet.add(start, middle);
    assert.deepEqual([first.n, first.positionMinor, first.startsAt], [1, 930n, start.toISOString()]);
    for (const startsAt of [start, end]) {
      await assert.rejects(wallet.add(startsAt, new Date(end.getTime() + 1)), {
        constraint: 'billing_periods_follow',
      });
    }
    const second = await wallet.add(middle, end);
    assert.deepEqual([second.n, second.positionMinor], [2, 800n]);
    assert.deepEqual(await wallet.write((t) => lastPeriod(t, wallet.id)), second);
    assert.deepEqual(await wallet.write((t) => periodsOf(t, wallet.id)), [first, second]);
    assert.deepEqual(await wallet.write((t) => periodsOf(t, wallet.id, { from: 2 })), [second]);
    // What is held is neither spent nor gone.
    const { available, held } = await wallet.balances();
    assert.deepEqual([available, held, await wallet.position(app.clock.now())], [789n, 11n, 800n]);
    await wallet.write((t) => release(t, [open]));
    await wallet.balances();
  });

  test('list what moved for other reasons than messages, by kind', async () => {
    const wallet = await given();
    const start = app.clock.now();
    app.clock.advance(minute);
    await wallet.take(await wallet.send(100n), 130n);
    for (const [reference, moves] of [
      ['a', { top_up: 5n, top_up_tax: 1n }],
      ['b', { top_up: 6n }],
    ] as const) {
      await wallet.write((t) => moveMoney(t, { walletId: wallet.id, reference, moves }));
    }
    const at = app.clock.now();
    app.clock.advance(minute);
    const between = (from: Date | null, to: Date) =>
      wallet.write((t) => movementsBetween(t, wallet.id, from, to));
    assert.deepEqual(await between(new Date(start.getTime() + 1), app.clock.now()), [
      { kind: 'top_up', count: 2, amountMinor: 11n },
      { kind: 'top_up_tax', count: 1, amountMinor: 1n },
    ]);
    assert.deepEqual(
      (await between(null, app.clock.now())).map(({ kind }) => kind),
      ['operator_credit', 'top_up', 'top_up_tax'],
    );
    assert.deepEqual(await between(start, at), [{ kind: 'operator_credit', count: 1, amountMinor: 1000n }]);
  });

  test('are written once; only their documents are named, and an invoice is taken off when it was voided', async () => {
    const wallet = await given();
    const start = app.clock.now();
    app.clock.advance(minute);
    const end = app.clock.now();
    await wallet.close(end);
    await wallet.add(start, end);
    const named = { walletId: wallet.id, from: 1, to: 1 };
    const last = async () => {
      const period = await wallet.write((t) => lastPeriod(t, wallet.id));
      return [period?.invoiceSid, period?.statementSid];
    };
    await wallet.write((t) => nameInvoice(t, named, 'IN1'));
    await wallet.write((t) => nameStatement(t, wallet.id, 1, 'ST1'));
    assert.deepEqual(await last(), ['IN1', 'ST1']);
    const denied = { code: '42501' };
    await assert.rejects(
      wallet.write((t) => nameInvoice(t, named, 'IN2')),
      denied,
    );
    await assert.rejects(
      wallet.write((t) => nameStatement(t, wallet.id, 1, 'ST2')),
      denied,
    );
    await wallet.write((t) => nameInvoice(t, named, null));
    await wallet.write((t) => nameInvoice(t, named, 'IN2'));
    assert.deepEqual(await last(), ['IN2', 'ST1']);
    for (const statement of [
      "update billing_periods set ends_at = ends_at + interval '1 day'",
      'update billing_periods set position_minor = 0',
      'update billing_periods set statement_sid = null',
      'delete from billing_periods',
    ]) {
      await assert.rejects(app.sql(`${statement} where wallet_id = $1`, [wallet.id]), denied, statement);
    }
  });
});
