// Closing a period, in two steps that each can be repeated.
//
//   1. The wallet's time is closed up to the end of the period, under its lock and in a moment: whatever is posted later is dated
//      after it, so what lies before never changes again.
//   2. What happened is added up without that lock, however long it takes, and one commit writes the period, its statement and
//      the draft of its invoice. A service that dies before it does it all again; whoever comes second finds it done.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { lockName, lockNumber } from '../../../platform/db/tenant-lock.ts';
import {
  addPeriod,
  closeUntil,
  getWallet,
  lastPeriod,
  lockWalletById,
  type Period,
  type Wallet,
  walletOf,
} from '../../billing/index.ts';
import { advanceSchedule, nextPeriod } from '../automation/schedule.ts';
import { type Draft, draftOf } from '../composing/draft.ts';
import { isIdle } from '../composing/read-periods.ts';
import { createInvoice } from '../issuing/create-invoice.ts';
import { forgetUnbilled, leaveUnbilled } from '../issuing/unbilled.ts';
import { issueStatement } from '../statements/statements.ts';

const mostSeconds = 30 * 60;

/** The first step. Tells whether there is anything to do for the second. */
export async function closeTime(t: TenantTx, walletId: string): Promise<boolean> {
  const wallet = await lockWalletById(t, walletId);
  if (!wallet) return false;
  if (await isHalfClosed(t, wallet)) return true;
  const { end } = await nextPeriod(t, walletId);
  if (end > t.now) return false;
  await closeUntil(t, walletId, end);
  return true;
}

/** Its time is closed further than its periods are written down. */
async function isHalfClosed(t: TenantTx, { id, closedUntil }: Wallet): Promise<boolean> {
  return closedUntil !== null && (await lastPeriod(t, id))?.endsAt !== closedUntil;
}

/** The second step. */
export async function settlePeriod(t: TenantTx, walletId: string): Promise<void> {
  // Millions of charges take longer to add up than anybody who asks may wait, and nothing that others need is locked meanwhile.
  await t.takesUpTo(mostSeconds);
  // One at a time: adding up a million charges twice at once helps nobody.
  await t.run(sql`select pg_advisory_xact_lock(${lockNumber(lockName(t, 'closing', walletId))})`);
  const wallet = (await walletOf(t, (await getWallet(t, walletId)).currency))!;
  if (!(await isHalfClosed(t, wallet))) return;
  const { start, end } = await nextPeriod(t, walletId);
  const draft = await draftOf(t, wallet, { start, end });
  const { positionMinor } = draft;
  const period = await addPeriod(t, { walletId, startsAt: start, endsAt: end, positionMinor });
  await advanceSchedule(t, walletId, { start, end });
  if (!isIdle(draft.own)) await issueStatement(t, wallet, period, draft);
  await bill(t, wallet, period, draft);
}

async function bill(t: TenantTx, wallet: Wallet, period: Period, draft: Draft): Promise<void> {
  if (draft.notInvoiced === null) await createInvoice(t, wallet, draft, [...draft.unbilled, period.n]);
  // What was owed and waited for an invoice was paid from the balance meanwhile.
  if (draft.notInvoiced === 'nothing_due') await forgetUnbilled(t, wallet.id, draft.unbilled);
  if (draft.notInvoiced === 'below_minimum') {
    await leaveUnbilled(t, wallet.id, [period.n], new Date(period.startsAt));
  }
}
