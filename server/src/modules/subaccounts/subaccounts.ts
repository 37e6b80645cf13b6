// Making an account below another.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type Account, countSubaccounts, insertSubaccount } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { lockWallet } from '../billing/index.ts';
import { refuseWithoutFeature } from '../plans/index.ts';
import { subaccountEvents } from './events.ts';
import type { OpenSubaccount } from './jobs.ts';

/** As many as an account may have: each of them has senders, webhooks and people of its own. */
export const mostSubaccounts = 1_000;

export async function createSubaccount(t: TenantTx, open: OpenSubaccount, name: string): Promise<Account> {
  await refuseWithoutFeature(t, 'subaccounts');
  // Whoever sends holds it: from the commit on they count in the row that is shared with those below.
  await lockWallet(t);
  if ((await countSubaccounts(t)) >= mostSubaccounts)
    throw new ApiError('CONFLICT', { message: `An account has at most ${mostSubaccounts} subaccounts.` });
  const account = await insertSubaccount(t, name.trim());
  if (!account)
    throw new ApiError('CONFLICT', { message: 'The account stands below another: it has no subaccounts.' });
  enqueue(t, open, { subaccountSid: account.sid });
  audit(t, { action: subaccountEvents.created.name, resource: account.sid, facts: { name: account.name } });
  emit(t, subaccountEvents.created, account);
  return account;
}
