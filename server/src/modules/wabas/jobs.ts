import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../platform/jobs/jobs.ts';
import { connectionWith, openToken } from './wabas.ts';

/** Asks the provider to send nothing more about a business account, and forgets the token that was kept for it. */
export const unsubscribeWaba = defineJob({
  name: 'wabas.unsubscribe',
  payload: Closed({ wabaSid: Sid('WB') }),
  attempts: untilDone,
  async run({ read, write, ports }, { wabaSid }) {
    const left = await read(async (t) => {
      const row = await t.maybe<{ token: Buffer; providerWabaId: string }>(sql`
        select access_token as token, provider_waba_id as "providerWabaId" from wabas
         where account_sid = ${t.accountSid} and sid = ${wabaSid} and connection_state = 'DISCONNECTED'
           and access_token is not null`);
      return row && { ...row, connection: connectionWith(t, openToken(t, wabaSid, row.token)) };
    });
    if (!left) return; // connected again meanwhile, or done before
    const answered = await ports.provider.unsubscribe(left.connection, left.providerWabaId);
    if (!answered.ok && answered.failure.retryable) throw new Error(answered.failure.reason);
    // A token the provider refuses is of no further use either.
    await write((t) =>
      t.run(sql`
        update wabas set access_token = null
         where account_sid = ${t.accountSid} and sid = ${wabaSid} and connection_state = 'DISCONNECTED'`),
    );
  },
});
