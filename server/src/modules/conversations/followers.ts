// What service windows and conversations do when contacts are merged: each keeps the contact it was opened for and changes
// its holder.
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

/**
 * Conversations keep the contact they were opened for and change their holder. Where one sender has several with the same
 * holder, the one with the latest activity goes on and the others point at it; a merge that is taken back lets each stand
 * by itself again.
 */
export const conversationsFollow = followMerges<{ kept: string[] }>({
  name: 'conversations',
  async move(t, { survivorSid, mergedSid }) {
    const [kept, moved] = [
      await conversationsHeldBy(t, survivorSid),
      await conversationsHeldBy(t, mergedSid),
    ];
    await giveConversations(t, mergedSid, survivorSid, null);
    return { moved, snapshot: { kept } };
  },
  async moveBack(t, { survivorSid, mergedSid, mergedIdentities }, { kept }) {
    await giveConversations(t, survivorSid, mergedSid, mergedIdentities);
    const [movedBack, held] = [
      await conversationsHeldBy(t, mergedSid),
      await conversationsHeldBy(t, survivorSid),
    ];
    return { movedBack, stayed: held.filter((sid) => !kept.includes(sid)) };
  },
});

async function conversationsHeldBy(t: TenantTx, contactSid: string): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select sid from conversations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid} order by sid`);
  return rows.map(({ sid }) => sid);
}

/** All of them, or those opened for these people. */
async function giveConversations(t: TenantTx, from: string, to: string, origins: string[] | null) {
  // Each points at itself for a moment, so that the index on those that stand does not see two of a pair.
  await t.run(sql`
    update conversations c set merged_into = c.sid, origin_contact_sid = coalesce(c.origin_contact_sid, c.contact_sid),
      contact_sid = case when c.contact_sid = ${from} and (${origins}::text[] is null
        or coalesce(c.origin_contact_sid, c.contact_sid) = any (${origins}::text[])) then ${to} else c.contact_sid end
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.contact_sid in (${from}, ${to})`);
  await t.run(sql`
    update conversations c set merged_into = nullif(standing.sid, c.sid), version = c.version + 1, updated_at = ${t.now}
      from (select sid as member, first_value(sid) over (
              partition by sender_sid, contact_sid order by last_message_at desc, sid desc) as sid
              from conversations
             where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid in (${from}, ${to})
           ) as standing
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = standing.member`);
}
