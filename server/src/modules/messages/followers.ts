// What messages do when contacts are merged: all of them, those that still wait included, belong to the survivor. Each
// remembers whom it was first for, so that a merge that is taken back finds them.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { followMerges } from '../contacts/index.ts';

/** People are shown what still waits; a history may have a hundred thousand messages, and moves without being listed. */
const pendingOf = async (t: TenantTx, contactSid: string, origins: string[] | null): Promise<string[]> => {
  const rows = await t.many<{ sid: string }>(sql`
    select m.sid from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.contact_sid = ${contactSid} and s.waiting
       and (${origins}::text[] is null or coalesce(m.origin_contact_sid, m.contact_sid) = any(${origins}::text[]))
     order by m.sid`);
  return rows.map(({ sid }) => sid);
};

export const messagesFollow = followMerges<{ kept: string[] }>({
  name: 'pendingMessages',
  async move(t, { survivorSid, mergedSid }) {
    const [kept, moved] = [await pendingOf(t, survivorSid, null), await pendingOf(t, mergedSid, null)];
    await Promise.all([
      t.run(sql`
        update messages set contact_sid = ${survivorSid}, origin_contact_sid = coalesce(origin_contact_sid, contact_sid)
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}`),
      // Whoever was capped under one of two names is capped under the one that is left.
      t.run(sql`
        insert into marketing_caps as cap (account_sid, livemode, contact_sid, until, created_at)
        select account_sid, livemode, ${survivorSid}, until, ${t.now} from marketing_caps
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${mergedSid}
        on conflict (account_sid, contact_sid) do update set until = greatest(cap.until, excluded.until)`),
    ]);
    return { moved, snapshot: { kept } };
  },
  async moveBack(t, { survivorSid, mergedSid, mergedIdentities }, { kept }) {
    const movedBack = await pendingOf(t, survivorSid, mergedIdentities);
    await t.run(sql`
      update messages set contact_sid = ${mergedSid}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${survivorSid}
         and origin_contact_sid = any(${mergedIdentities}::text[])`);
    const held = await pendingOf(t, survivorSid, null);
    return { movedBack, stayed: held.filter((sid) => !kept.includes(sid)) };
  },
});
