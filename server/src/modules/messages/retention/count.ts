// What would go, counted and not touched.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { filesOnlyIn } from '../../media/index.ts';
import type { Stretch } from '../states/countable-messages.ts';
import { inStretch, isHeldBack, isRemovable, type What } from './removable.ts';

export type Counted = { removable: number; heldBack: number; lookedAt: number };

/** Looks at no more than so many messages, the oldest first. */
export async function countRemovable(
  t: TenantTx,
  what: What,
  stretch: Stretch,
  atMost: number,
): Promise<Counted> {
  return t.one<Counted>(sql`
    select count(*) filter (where removable)::integer as removable, count(*) filter (where held_back)::integer as "heldBack",
      count(*)::integer as "lookedAt"
      from (
        select ${isRemovable(t, what)} as removable, ${isHeldBack(t, what)} as held_back
          from messages m, message_states s where ${inStretch(t, stretch)} order by m.sid limit ${atMost}) as looked_at`);
}

/** The files that go with these messages: those that no other message carries. */
export function countFiles(t: TenantTx, rows: Stretch, contents: Stretch) {
  const goes = sql`exists (
    select from messages m, message_states s
     where m.sid = u.message_sid and ((${inStretch(t, rows)} and ${isRemovable(t, 'messages')})
       or (${inStretch(t, contents)} and ${isRemovable(t, 'contents')})))`;
  return filesOnlyIn(t, goes, { from: rows.from, before: contents.before });
}
