// Accounts whose messages are accepted without requests, and so fall due when the benchmark says.
import { openCore } from '../../server/src/main/process/core.ts';
import { bootstrap } from '../../server/src/main/process/demo.ts';
import { asOperator } from '../../server/src/main/process/keys.ts';
import { readConfig } from '../../server/src/main/settings.ts';
import { creditWallet } from '../../server/src/modules/billing/index.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { newUuid } from '../../server/src/platform/ids.ts';
import { money } from '../../server/src/platform/money.ts';
import { silentLog } from '../../server/src/platform/observability/logging.ts';
import { acceptMessages } from './accepted-messages.ts';
import type { Godwit } from './stage.ts';

/** Lets everything that waits fall due: the messages first, then those who hand them over. */
export const fallDue = {
  messages: `update message_states set due_at = now(), turn_at = now() + interval '5 seconds' where waiting`,
  lanes: `update dispatch_lanes set due_at = now(); select pg_notify('dispatch', '')`,
};

export type Payer = { accountSid: string };

export async function openPayers({ dataDir, databaseUrl }: Godwit, masterKey: string, count: number) {
  const config = readConfig({ DATA_DIR: dataDir, MASTER_KEY: masterKey });
  const core = await openCore(config, databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const payers: Payer[] = [];
  for (let i = 0; i < count; i += 1) {
    const { accountSid } = await bootstrap(context, {
      organizationName: 'Bench',
      accountName: `Bench ${i}`,
      region: 'local',
    });
    await core.database.write({ accountSid, livemode: false }, asOperator(context, false), (t) =>
      creditWallet(t, { amount: money(10n ** 12n, 'USD', 6), reason: 'bench', reference: newUuid(t.now) }),
    );
    payers.push({ accountSid });
  }
  return {
    payers,
    sealer: core.sealer,
    async accept(
      { accountSid, senderSids }: Payer & { senderSids: string[] },
      { count, firstPerson, dueAt }: { count: number; firstPerson: number; dueAt: Date | null },
    ): Promise<void> {
      await core.database.write({ accountSid, livemode: false }, asOperator(context, false), (t) =>
        acceptMessages(t, { count, senderSids, firstPerson, dueAt: dueAt ?? t.now }),
      );
    },
    close: () => core.database.close(),
  };
}
