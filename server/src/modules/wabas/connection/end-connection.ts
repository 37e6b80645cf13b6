import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { noteSeen } from '../connection-states.ts';
import { wabaEvents } from '../events.ts';
import type { WabaHooks } from '../hooks.ts';
import { getWaba } from '../resource.ts';

/** From here on nobody is given the token; it stays sealed only until the provider was told. */
export async function endConnection(
  t: TenantTx,
  hooks: WabaHooks,
  wabaSid: string,
  reason: string,
  toldAt: Date = t.now,
): Promise<void> {
  await t.run(sql`
    update wabas set connection_state = 'DISCONNECTED', disconnected_at = ${t.now}, disconnect_reason = ${reason},
      updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${wabaSid}`);
  await noteSeen(t, wabaSid, { token: 'UNKNOWN', subscription: 'UNKNOWN' });
  await hooks.disconnectSenders(t, wabaSid, reason, toldAt);
  emit(t, wabaEvents.disconnected, await getWaba(t, hooks, wabaSid), toldAt);
}
