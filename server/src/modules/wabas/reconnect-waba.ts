// A business account that the provider took away and gives back. The token that was kept is tried before anything is said to be
// connected; one that no longer works leaves everything as it is, and somebody connects the account anew.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { audit } from '../audit/index.ts';
import { answerOf } from '../provider/index.ts';
import { wabaEvents } from './events.ts';
import type { WabaHooks } from './hooks.ts';
import { applyListedLimit } from './limits.ts';
import { listNumbers } from './list-numbers.ts';
import { requestWabaFacts } from './read-waba.ts';
import { getWaba } from './resource.ts';
import { connectionWith, openToken } from './wabas.ts';

const job = { name: 'wabas.reconnect', payload: Closed({ wabaSid: Sid('WB') }), attempts: 10 };

export const requestReconnection = (t: TenantTx, wabaSid: string) =>
  enqueue(t, job, { wabaSid }, { key: `waba/${wabaSid}/reconnect` });

export const reconnectWabaWith = (hooks: WabaHooks) =>
  defineJob({
    ...job,
    async run({ read, write, ports }, { wabaSid }) {
      const left = await read((t) => takenAway(t, wabaSid));
      if (!left) return;
      const numbers = await listNumbers({ ports }, left.connection, left.providerWabaId).catch(giveUpForGood);
      if (!numbers) return;
      answerOf(await ports.provider.subscribe(left.connection, left.providerWabaId));
      await write(async (t) => {
        if (!(await beginAgain(t, wabaSid))) return;
        await hooks.numbersListed(t, wabaSid, numbers);
        await applyListedLimit(t, hooks, wabaSid, numbers);
        hooks.requestTemplates(t, wabaSid);
        requestWabaFacts(t, wabaSid);
        audit(t, { action: 'waba.connected', resource: wabaSid, facts: { by: 'ACCOUNT_RECONNECTED' } });
        emit(t, wabaEvents.connected, await getWaba(t, hooks, wabaSid));
      });
    },
  });

/** Whoever disconnected it here wants it to stay so: their token is dropped as soon as the provider was told. */
async function takenAway(t: TenantTx, wabaSid: string) {
  const row = await t.maybe<{ token: Buffer; providerWabaId: string }>(sql`
    select access_token as token, provider_waba_id as "providerWabaId" from wabas
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid}
       and connection_state = 'DISCONNECTED' and disconnect_reason = any (${endings}::text[])
       and access_token is not null`);
  return row && { ...row, connection: connectionWith(t, openToken(t, wabaSid, row.token)) };
}

/** What the provider calls the ends of a connection. */
export const endings = [
  'ACCOUNT_DELETED',
  'ACCOUNT_OFFBOARDED',
  'PARTNER_REMOVED',
  'PARTNER_APP_UNINSTALLED',
];

function giveUpForGood(error: unknown): null {
  if (error instanceof ApiError && error.retryAfterSeconds === null) return null;
  throw error;
}

const beginAgain = async (t: TenantTx, wabaSid: string): Promise<boolean> =>
  (await t.run(sql`
    update wabas set connection_state = 'CONNECTED', connected_at = ${t.now}, disconnected_at = null,
      disconnect_reason = null, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid}
       and connection_state = 'DISCONNECTED' and access_token is not null`)) > 0;
