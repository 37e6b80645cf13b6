// Accounts to load a service with, made the way an operator makes them.
import { openCore } from '../../server/src/main/process/core.ts';
import { bootstrap } from '../../server/src/main/process/demo.ts';
import { readConfig } from '../../server/src/main/settings.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { silentLog } from '../../server/src/platform/observability/logging.ts';
import { ofCheckout } from './checkout.ts';
import type { Godwit } from './stage.ts';

export type Account = { sid: string; key: string };

/** Made by the code of the service's own checkout: its tables need not be ours. */
export async function accountsFor(godwit: Godwit, count: number): Promise<Account[]> {
  const theirs = await ofCheckout<{ makeAccounts: typeof makeAccounts }>(godwit.checkout, 'accounts.ts');
  return theirs.makeAccounts(godwit, count);
}

export async function makeAccounts({ dataDir, databaseUrl }: Godwit, count: number): Promise<Account[]> {
  const core = await openCore(readConfig({ DATA_DIR: dataDir }), databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const accounts: Account[] = [];
  for (let i = 0; i < count; i += 1) {
    const made = await bootstrap(context, {
      organizationName: 'Bench',
      accountName: `Bench ${i}`,
      region: 'local',
    });
    accounts.push({ sid: made.accountSid, key: made.sandboxKey });
  }
  await core.database.close();
  return accounts;
}
