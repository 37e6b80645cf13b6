import type { TenantTx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { setAutomation } from '../automation/automations.ts';
import type { Automation, NewAutomation } from '../automation/schema.ts';
import { closePeriods, closingKey } from './jobs.ts';

/** A period that is over already is closed at once: so a sandbox gets an invoice in seconds. */
export async function automate(t: TenantTx, input: NewAutomation): Promise<Automation> {
  const automation = await setAutomation(t, input);
  const { walletId, nextPeriodEnd } = automation;
  if (new Date(nextPeriodEnd) <= t.now) enqueue(t, closePeriods, { walletId }, { key: closingKey(walletId) });
  return automation;
}
