import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../platform/jobs/jobs.ts';
import { noteUnsubscribing } from './connection-states.ts';
import { requestWabaFacts } from './read-waba.ts';
import { connectionWith, openToken } from './wabas.ts';

/**
 * Asks the provider to send nothing more about a business account, and forgets the token that was kept for it. One that was connected
 * again meanwhile is looked at: what was asked may have ended what was subscribed since.
 */
export const unsubscribeWaba = defineJob({
  name: 'wabas.unsubscribe',
  payload: Closed({ wabaSid: Sid('WB') }),
  attempts: untilDone,
  async run({ write, ports }, { wabaSid }) {
    const left = await write((t) => begin(t, wabaSid));
    if (left) {
      const answered = await ports.provider.unsubscribe(left.connection, left.providerWabaId);
      if (!answered.ok && answered.failure.retryable) throw new Error(answered.failure.reason);
    }
    // A token the provider refuses is of no further use either.
    await write(async (t) => {
      const isLeft = await t.run(sql`
        update wabas set access_token = null
         where account_sid = ${t.accountSid} and sid = ${wabaSid} and connection_state = 'DISCONNECTED'`);
      if (!isLeft) requestWabaFacts(t, wabaSid);
    });
  },
});

/** Null for an account that was connected again, or of which an earlier run forgot the token. */
async function begin(t: TenantTx, wabaSid: string) {
  const row = await t.maybe<{ token: Buffer; providerWabaId: string }>(sql`
    select access_token as token, provider_waba_id as "providerWabaId" from wabas
     where account_sid = ${t.accountSid} and sid = ${wabaSid} and connection_state = 'DISCONNECTED'
       and access_token is not null`);
  if (!row) return null;
  await noteUnsubscribing(t, wabaSid);
  return { ...row, connection: connectionWith(t, openToken(t, wabaSid, row.token)) };
}
