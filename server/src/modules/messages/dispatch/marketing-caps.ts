// The provider lets a person receive only so much marketing. Whom it capped is remembered, and a message that may wait does
// so until the cap is expected to clear.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

// The provider asks not to try again within a day, and to wait longer each time after that.
const dayMs = 24 * 60 * 60 * 1000;
const gapsMs = [1, 2, 4, 8].map((days) => days * dayMs);

/** When a message that met the cap is tried again, having met it as often before; null when it has waited long enough. */
export function nextAfterCap(now: Date, capsBefore: number): Date | null {
  const gap = gapsMs[capsBefore];
  return gap === undefined ? null : new Date(now.getTime() + gap);
}

/** Nothing more is offered to these people for a day. */
export async function rememberCaps(t: TenantTx, contactSids: string[]): Promise<void> {
  if (contactSids.length === 0) return;
  const people = [...new Set(contactSids)].sort();
  await t.run(sql`
    insert into marketing_caps as c (account_sid, livemode, contact_sid, until, created_at)
    select ${t.accountSid}, ${t.livemode}, sid, ${new Date(t.now.getTime() + dayMs)}, ${t.now}
      from unnest(${people}::text[]) as sid
    on conflict (account_sid, contact_sid) do update set until = greatest(c.until, excluded.until)`);
}
