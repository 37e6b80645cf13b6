import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export type StatusCallback = { url: string } | { sid: string };

/**
 * The verified endpoint each of these names, in their order; null where there is none. Stored in a message's
 * `statusCallbackSid`, the fan-out sends it every event of that message, whatever it subscribes to.
 */
export async function findStatusCallbacks(
  t: TenantTx,
  asked: readonly StatusCallback[],
): Promise<(string | null)[]> {
  const sids = asked.flatMap((one) => ('sid' in one ? [one.sid] : []));
  const urls = asked.flatMap((one) => ('url' in one ? [one.url] : []));
  const found = await t.many<{ sid: string; url: string }>(sql`
    select sid, url from webhook_endpoints
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (sid = any (${sids}::text[]) or url = any (${urls}::text[]))
       and verified_at is not null and disabled_at is null
     order by sid`);
  return asked.map(
    (one) => found.find(({ sid, url }) => ('sid' in one ? sid === one.sid : url === one.url))?.sid ?? null,
  );
}
