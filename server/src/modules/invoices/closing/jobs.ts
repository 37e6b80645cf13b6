import { sql } from '../../../platform/db/query.ts';
import { Closed, Uuid } from '../../../platform/http/input/schema.ts';
import { defineCron, defineJob, enqueue, type JobContext, untilDone } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { type WalletToClose, walletsToClose } from '../../billing/index.ts';
import { monthOf } from '../automation/calendar.ts';
import { closeTime, settlePeriod } from './closing.ts';

/** Closes what is due of a wallet, one period after the other: after a pause of weeks there are several. */
export const closePeriods = defineJob({
  name: 'invoices.close-periods',
  payload: Closed({ walletId: Uuid }),
  attempts: untilDone,
  async run({ write, signal }, { walletId }) {
    while (!signal.aborted && (await write((t) => closeTime(t, walletId)))) {
      await write((t) => settlePeriod(t, walletId));
    }
  },
});

export const closingKey = (walletId: string) => `close:${walletId}`;

const batch = 500;

/** Looks for wallets with a period that is over. Each is closed by a job of its own, so that a large one holds up no other. */
export const closeDue = defineCron({
  name: 'invoices.close-due',
  schedule: '*/5 * * * *',
  async run(context) {
    const due = await automatedDue(context);
    for (const wallet of due) await closeLater(context, wallet);
    // Everybody else goes by calendar months.
    const before = monthOf(context.now()).start;
    for (let after: string | null = null; ; ) {
      const open: WalletToClose[] = await context.database.system((s) =>
        walletsToClose(s, { before, after, limit: batch }),
      );
      const automated = await automatedOf(context, open);
      for (const wallet of open) {
        if (context.signal.aborted) return;
        if (!automated.has(wallet.walletId)) await closeLater(context, wallet);
      }
      if (open.length < batch) return;
      after = open.at(-1)!.walletId;
    }
  },
});

function automatedDue({ database, now }: JobContext): Promise<WalletToClose[]> {
  return database.system((s) =>
    s.many<WalletToClose>(sql`
      select account_sid as "accountSid", livemode, wallet_id as "walletId" from billing_automations
       where next_ends_at <= ${now()} order by next_ends_at`),
  );
}

async function automatedOf({ database }: JobContext, wallets: WalletToClose[]): Promise<Set<string>> {
  const ids = wallets.map(({ walletId }) => walletId);
  const rows = await database.system((s) =>
    s.many<{ walletId: string }>(sql`
      select wallet_id as "walletId" from billing_automations where wallet_id = any (${ids}::uuid[])`),
  );
  return new Set(rows.map(({ walletId }) => walletId));
}

async function closeLater(
  { database, now, log }: JobContext,
  { walletId, ...tenant }: WalletToClose,
): Promise<void> {
  const principal = systemPrincipal('cron:invoices.close-due', tenant.livemode);
  await database.write(tenant, { principal, now: now(), requestId: 'cron', log }, async (t) =>
    enqueue(t, closePeriods, { walletId }, { key: closingKey(walletId) }),
  );
}
