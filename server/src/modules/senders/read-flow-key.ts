// Reads whether a number has the public key that flows with an endpoint need. No callback tells of it: it is asked for when such
// a flow is registered or read, when the sender is refreshed, and every hour while it is missing.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { newRequestId } from '../../platform/ids.ts';
import { defineCron, defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { answerOf, type FlowKey } from '../provider/index.ts';
import { connectionOf } from '../wabas/index.ts';
import { senderEvents } from './events.ts';
import { getSender } from './resource.ts';
import { loadSender, sendersOfWabas } from './senders.ts';

export const readFlowKey = defineJob({
  name: 'senders.read-flow-key',
  payload: Closed({ senderSid: Sid('WA') }),
  attempts: 5,
  async run({ read, write, ports }, { senderSid }) {
    const reached = await read(async (t) => {
      const sender = await loadSender(t, senderSid);
      const connection = sender?.wabaSid ? await connectionOf(t, sender.wabaSid) : null;
      const phoneNumberId = sender?.providerPhoneNumberId;
      return connection && phoneNumberId ? { connection, phoneNumberId } : null;
    });
    if (!reached) return;
    const { flowKey } = answerOf(await ports.provider.getFlowKey(reached.connection, reached.phoneNumberId));
    await write((t) => storeFlowKey(t, senderSid, flowKey));
  },
});

async function storeFlowKey(t: TenantTx, senderSid: string, flowKey: FlowKey): Promise<void> {
  const changed = await t.run(sql`
    update senders set flow_key = ${flowKey}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${senderSid}
       and flow_key is distinct from ${flowKey}`);
  if (changed > 0) emit(t, senderEvents.updated, await getSender(t, senderSid));
}

export const requestFlowKey = (t: TenantTx, senderSid: string) =>
  enqueue(t, readFlowKey, { senderSid }, { key: `flow-key/${senderSid}` });

/** For every number a flow of this business account can be sent from. */
export async function requestFlowKeys(t: TenantTx, wabaSid: string): Promise<void> {
  for (const { sid } of await sendersOfWabas(t, [wabaSid])) requestFlowKey(t, sid);
}

export const rereadMissingFlowKeys = defineCron({
  name: 'senders.reread-missing-flow-keys',
  schedule: '47 * * * *',
  async run({ database, now, log, signal }) {
    const senders = await database.system((s) =>
      s.many<{ accountSid: string; livemode: boolean; sid: string }>(sql`
        select account_sid as "accountSid", livemode, sid from senders
         where flow_key in ('NONE', 'MISMATCH') and status = 'CONNECTED'`),
    );
    for (const { accountSid, livemode, sid } of senders) {
      if (signal.aborted) return;
      const principal = systemPrincipal('cron:senders.reread-missing-flow-keys', livemode);
      const requestContext = { principal, now: now(), requestId: newRequestId(), log };
      await database.write({ accountSid, livemode }, requestContext, async (t) => requestFlowKey(t, sid));
    }
  },
});
