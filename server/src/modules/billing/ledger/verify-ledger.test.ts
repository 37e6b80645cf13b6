import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { billingOf, priceFor } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { addPeriod, closeUntil } from '../periods/periods.ts';
import { hold, release } from '../wallets/holds.ts';
import { settle } from '../wallets/settle.ts';
import { type LedgerReport, verifyLedger } from './verify-ledger.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { wrongBooks: true });
});

async function reportsOf(accountSid?: string) {
  const all: LedgerReport[] = [];
  for await (const report of verifyLedger(app.database, accountSid)) all.push(report);
  return all;
}

const messages = ['A', 'B', 'C', 'D', 'E'].map((letter) => `SM${letter.repeat(26)}`) as [
  string,
  string,
  string,
  string,
  string,
];
const [exact, lower, higher, unsent, open] = messages;

/** In an account of its own money came in, four holds ended in their four ways, and one is open. */
async function story(): Promise<string> {
  const { accountSid } = await app.newAccount();
  const billing = billingOf(app, { accountSid });
  await billing.credit(1000n);
  await billing.write((t) =>
    hold(
      t,
      messages.map((messageSid) => ({ messageSid, amountMinor: 100n })),
    ),
  );
  const finals = [priceFor(exact, 100n), priceFor(lower, 60n), priceFor(higher, 130n)];
  await billing.write((t) => settle(t, finals));
  await billing.write((t) => release(t, [unsent]));
  app.clock.advance(1000);
  const { id: walletId } = await billing.wallet();
  const endsAt = app.clock.now();
  await billing.write(async (t) => {
    await closeUntil(t, walletId, endsAt);
    await addPeriod(t, { walletId, startsAt: new Date(endsAt.getTime() - 2000), endsAt });
  });
  return accountSid;
}

/** Past every trigger and right: what somebody with the disk in hand could do. */
const tamper = (statement: string) =>
  app.sql(`begin; set local session_replication_role = replica; ${statement}; commit`);

suite('the proof of the ledger', () => {
  test('holds for what the service wrote, wallet by wallet', async () => {
    const accountSid = await story();
    const reports = await reportsOf(accountSid);
    assert.deepEqual(
      reports.map(({ livemode, currency, transfers, broken }) => [livemode, currency, transfers, broken]),
      [
        [false, 'USD', 1, null],
        [true, 'USD', 8, null], // one transfer lists the five holds
      ],
    );
  });

  const account = (name: string, change: string) =>
    `update ledger_accounts set ${change} where livemode and account = '${name}'`;
  const transfer = (kind: string, sid: string) => `where kind = '${kind}' and reference = '${sid}'`;
  const held = (sid: string, change: string) =>
    `update message_holds set ${change} where message_sid = '${sid}'`;
  const breaks: [what: string, statement: string, first: string, stored: string, recomputed: string][] = [
    ['a raised balance', account('available', 'balance_minor = 999'), 'balance of available', '999', '610'],
    ['money from nowhere', account('revenue', 'balance_minor = 295'), 'balance of revenue', '295', '290'],
    [
      'a removed account',
      "delete from ledger_accounts where livemode and account = 'revenue'",
      'balance of revenue',
      'none',
      '290',
    ],
    [
      'a changed transfer',
      `update ledger_transfers set amount_minor = 90 ${transfer('capture', exact)}`,
      'balance of held',
      '100',
      '110',
    ],
    [
      'a removed transfer',
      `delete from ledger_transfers ${transfer('release', unsent)}`,
      'balance of available',
      '610',
      '510',
    ],
    ['a lowered minimum', account('available', 'minimum_minor = -500'), 'minimum of available', '-500', '0'],
    [
      'a maximum that is gone',
      account('receivable', 'maximum_minor = null'),
      'maximum of receivable',
      'none',
      '0',
    ],
    ['credit nobody gave', 'update wallets set credit_minor = 7 where livemode', 'credit', '7', '0'],
    [
      'a period that ended with something else',
      'update billing_periods set position_minor = 711 where livemode',
      'what period 1 ended with',
      '711',
      '710',
    ],
    [
      'a removed charge',
      `delete from charges where message_sid = '${lower}'`,
      `charge of ${lower}`,
      'none',
      '60',
    ],
    [
      'a charge that is not what was taken',
      `update charges set pass_through_minor = 5 where message_sid = '${lower}'`,
      `charge of ${lower}`,
      '65',
      '60',
    ],
    ['a minimum that is gone', account('held', 'minimum_minor = null'), 'minimum of held', 'none', '0'],
    [
      'a hold closed by hand',
      held(open, "state = 'released', closed_at = now()"),
      'open holds against the balance of held',
      '100',
      '0',
    ],
    [
      'a removed hold',
      `delete from message_holds where message_sid = '${exact}'`,
      `hold of ${exact}`,
      'none',
      '100',
    ],
    [
      'a hold of another amount',
      held(exact, 'amount_minor = 99, final_minor = 99'),
      `hold of ${exact}`,
      '99',
      '100',
    ],
    [
      'a list that says something else',
      `update ledger_transfers set members = replace(members::text, '${exact}', 'SM${'Z'.repeat(26)}')::json where kind = 'hold'`,
      `hold of ${exact}`,
      '100',
      '0',
    ],
    [
      'a list that does not add up',
      `update ledger_transfers set members = (members::jsonb || '{"play": 1}')::json where kind = 'hold'`,
      'hold of play',
      'none',
      '1',
    ],
    ['a changed price', held(lower, 'final_minor = 1'), `price of ${lower}`, '1', '60'],
    [
      'a sale called a release',
      held(higher, "state = 'released', final_minor = null"),
      `price of ${higher}`,
      '0',
      '130',
    ],
  ];
  test('names a list that was changed together with its hold', async () => {
    const accountSid = await story();
    const [{ reference }] = (await app.sql(
      "select reference from ledger_transfers where kind = 'hold' and account_sid = $1",
      [accountSid],
    )) as [{ reference: string }];
    await tamper(`
      update message_holds set amount_minor = 110 where message_sid = '${higher}' and account_sid = '${accountSid}';
      update ledger_transfers set members = (members::jsonb || '{"${higher}": 110}')::json
       where kind = 'hold' and account_sid = '${accountSid}'`);
    const reports = await reportsOf(accountSid);
    assert.deepEqual(
      reports.flatMap(({ broken }) => broken ?? []),
      [{ what: `members of hold ${reference}`, stored: '500', recomputed: '510' }],
    );
  });

  for (const [what, statement, first, stored, recomputed] of breaks) {
    test(`names ${what}`, async () => {
      const accountSid = await story();
      await tamper(`${statement} and account_sid = '${accountSid}'`);
      const wrong = (await reportsOf()).filter(({ broken }) => broken !== null);
      // Those of the breaks before are still there.
      assert.deepEqual(
        wrong
          .filter((report) => report.accountSid === accountSid)
          .map((report) => [report.livemode, report.broken]),
        [[true, { what: first, stored, recomputed }]],
      );
    });
  }
});
