// What service windows do when contacts are merged: each keeps the contact it was opened for and changes its holder.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { followMerges } from '../contacts/index.ts';

type Window = { senderSid: string; origin: string; lastInboundAt: string };

const keyOf = ({ senderSid, origin }: Window) => `${senderSid} ${origin}`;
const sendersOf = (windows: Window[]) => [...new Set(windows.map(({ senderSid }) => senderSid))].sort();

export const windowsFollow = followMerges<{ moved: Window[]; kept: Window[] }>({
  name: 'serviceWindows',
  async move(t, { survivorSid, mergedSid }) {
    const kept = await windowsOf(t, survivorSid);
    const moved = await windowsOf(t, mergedSid);
    await handOver(t, mergedSid, survivorSid, moved);
    return { moved: sendersOf(moved), snapshot: { moved, kept } };
  },
  async moveBack(t, { survivorSid, mergedSid }, { moved, kept }) {
    await handOver(t, survivorSid, mergedSid, moved);
    const before = new Map(kept.map((window) => [keyOf(window), window.lastInboundAt]));
    const held = await windowsOf(t, survivorSid);
    const changed = held.filter((window) => before.get(keyOf(window)) !== window.lastInboundAt);
    return { movedBack: sendersOf(moved), stayed: sendersOf(changed) };
  },
});

function windowsOf(t: TenantTx, contactSid: string): Promise<Window[]> {
  return t.many<Window>(sql`
    select sender_sid as "senderSid", origin_contact_sid as origin, last_inbound_at as "lastInboundAt"
      from service_windows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
     order by sender_sid, origin_contact_sid`);
}

async function handOver(t: TenantTx, from: string, to: string, windows: Window[]): Promise<void> {
  await t.run(sql`
    update service_windows set contact_sid = ${to}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${from}
       and (sender_sid, origin_contact_sid) in (select * from unnest(
         ${windows.map(({ senderSid }) => senderSid)}::text[], ${windows.map(({ origin }) => origin)}::text[]))`);
}
