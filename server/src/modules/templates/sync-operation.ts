import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineOperationType, startOperation } from '../operations/index.ts';
import { onlyConnectedWaba, requireWaba } from '../wabas/index.ts';
import { syncTemplates } from './sync-templates.ts';

/** The list is read again, whole, however often this runs. */
export const syncOperation = defineOperationType({
  type: 'templates.sync',
  input: Closed({ wabaSid: Sid('WB') }),
  cancelable: false,
  async run(context, { input: { wabaSid } }) {
    const synced = await syncTemplates(context, wabaSid);
    if (!synced) throw new ApiError('WABA_NOT_CONNECTED');
    return { result: { wabaSid, ...synced } };
  },
});

export async function startSync(t: TenantTx, wabaSid?: string) {
  const waba = wabaSid ? await requireWaba(t, wabaSid, 'wabaSid') : await onlyConnectedWaba(t);
  if (!waba) {
    const issue = 'is required, for the account does not have exactly one that is connected';
    throw invalid({ path: 'wabaSid', issue });
  }
  if (waba.connectionState !== 'CONNECTED') throw new ApiError('WABA_NOT_CONNECTED');
  return startOperation(t, syncOperation, { wabaSid: waba.sid });
}
