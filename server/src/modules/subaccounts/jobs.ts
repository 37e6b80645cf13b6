// What an account needs to begin with: a wallet in each environment, and in the sandbox senders and templates to try. It stands in the
// subaccount, where the transaction that made it could not write.
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, type TenantJobContext, untilDone } from '../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { openWallet, walletsOf } from '../billing/index.ts';
import { openSandboxWaba, type WabaHooks } from '../wabas/index.ts';

export type OpenSubaccount = ReturnType<typeof openSubaccountWith>;

export const openSubaccountWith = (hooks: WabaHooks) =>
  defineJob({
    name: 'subaccounts.open',
    payload: Closed({ subaccountSid: Sid('AC') }),
    attempts: untilDone,
    async run(context, { subaccountSid }) {
      for (const livemode of [true, false])
        await open(context, hooks, { accountSid: subaccountSid, livemode });
    },
  });

async function open(
  { database, now, log }: TenantJobContext,
  hooks: WabaHooks,
  tenant: { accountSid: string; livemode: boolean },
): Promise<void> {
  const principal = systemPrincipal('job:subaccounts.open', tenant.livemode);
  await database.write(tenant, { principal, now: now(), requestId: 'job', log }, async (t) => {
    // A run before this one came so far: a wallet is opened together with the rest.
    if ((await walletsOf(t)).length > 0) return;
    await openWallet(t);
    if (t.livemode) return;
    // Nobody listens yet: its log begins empty, as that of every account.
    await openSandboxWaba(t, hooks, {
      name: 'Sandbox',
      senderNames: ['Sandbox', 'Support'],
      announced: false,
    });
  });
}
