// A sender whose number goes to another business account: its messages stay in line while the number changes hands, and then
// leave from there. The sender keeps its SID, and with it its pools, conversations, service windows and inboxes.
import type { SystemTx, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import type { ProviderPhoneNumber } from '../../provider/index.ts';
import { factsOf } from '../apply-listing.ts';
import { senderEvents } from '../events.ts';
import { requestFlowKey } from '../read-flow-key.ts';
import { readSender } from '../resource.ts';
import { changeSender, lockSender, type Sender } from '../senders.ts';

/** From this commit on none of its messages leaves. */
export const pauseSender = (t: TenantTx, senderSid: string, by: string): Promise<number> =>
  t.run(sql`
    update senders set paused_by = ${by}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${senderSid} and paused_by is null`);

/** Its messages leave again from where they left before. */
export const resumeSender = (t: TenantTx, senderSid: string, by: string): Promise<number> =>
  t.run(sql`
    update senders set paused_by = null
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${senderSid} and paused_by = ${by}`);

/** By whom senders are paused, of everybody, in the order of those SIDs. */
export const pausedSenders = (
  s: SystemTx,
  { after, limit }: { after: string; limit: number },
): Promise<(Tenant & { sid: string })[]> =>
  s.many<Tenant & { sid: string }>(sql`
    select account_sid as "accountSid", livemode, paused_by as sid from senders
     where paused_by > ${after} order by paused_by limit ${limit}`);

export type Move = {
  senderSid: string;
  /** Who paused it. */
  by: string;
  wabaSid: string;
  /** The number as it is where it went. */
  number: ProviderPhoneNumber;
  /** The PIN it was registered with. */
  pin: string;
};

/** From this commit on its messages leave from the other account. What it was called before is kept: late reports name it. */
export async function moveSender(
  t: TenantTx,
  { senderSid, by, wabaSid, number, pin }: Move,
): Promise<Sender> {
  const sender = await lockSender(t, senderSid);
  await t.run(sql`
    insert into sender_former_ids (account_sid, livemode, provider_phone_number_id, sender_sid, waba_sid, left_at)
    values (${t.accountSid}, ${t.livemode}, ${sender.providerPhoneNumberId}, ${senderSid}, ${sender.wabaSid}, ${t.now})`);
  const touched = await t.run(sql`
    update senders set waba_sid = ${wabaSid}, provider_phone_number_id = ${number.id}, flow_key = null, paused_by = null,
      sealed_pin = ${sealPin(t, senderSid, pin)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${senderSid} and paused_by = ${by}`);
  if (touched === 0) throw new Error(`sender ${senderSid} is not paused by ${by}`);
  const there = { ...sender, wabaSid, providerPhoneNumberId: number.id, flowKey: null, pausedBy: null };
  const word = { about: 'all', saidAt: t.now, reason: 'moved to another business account' } as const;
  const moved = (await changeSender(t, there, factsOf(number), word))!;
  requestFlowKey(t, senderSid);
  emit(t, senderEvents.updated, await readSender(t, moved));
  return moved;
}

const pinContext = (accountSid: string, senderSid: string) => `sender pin/${accountSid}/${senderSid}`;
const sealPin = (t: TenantTx, senderSid: string, pin: string) =>
  t.sealer.seal(pin, pinContext(t.accountSid, senderSid));
