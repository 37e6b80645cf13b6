// Whoever pauses or cancels holds the lock that everybody who admits for the campaign holds: once they are answered, nobody else is
// admitted. Messages that were admitted before go their way.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { cancelOperation, operationsOf, setCancelable, wakeOperation } from '../../operations/index.ts';
import { moveCampaign } from '../resource/move.ts';
import { lockCampaign, toCampaign } from '../resource/rows.ts';
import type { Campaign } from '../schema.ts';

export async function pauseCampaign(t: TenantTx, sid: string): Promise<Campaign> {
  return toCampaign(t, await moveCampaign(t, await lockCampaign(t, sid), 'pause'));
}

/** Whatever it rested for is asked again. */
export async function resumeCampaign(t: TenantTx, sid: string): Promise<Campaign> {
  const row = await moveCampaign(t, await lockCampaign(t, sid), 'resume', {
    also: sql`, rests_until = null`,
  });
  await wakeOperation(t, row.operationSid!);
  return toCampaign(t, row);
}

export async function cancelCampaign(t: TenantTx, sid: string): Promise<Campaign> {
  const row = await moveCampaign(t, await lockCampaign(t, sid), 'cancel');
  await endOperation(t, row.operationSid!);
  return toCampaign(t, row);
}

async function endOperation(t: TenantTx, sid: string): Promise<void> {
  const operation = (await operationsOf(t, [sid])).get(sid);
  if (!operation || operation.finishedAt !== null) return;
  await setCancelable(t, sid, true);
  await cancelOperation(t, sid);
}
