import type { SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

export type MadeKey = { accountSid: string; livemode: boolean; id: string };

/** The keys somebody made that still work, in all accounts. */
export function keysMadeBy(s: SystemTx, maker: string): Promise<MadeKey[]> {
  return s.many<MadeKey>(sql`
    select account_sid as "accountSid", livemode, id from api_keys
     where created_by = ${maker} and disabled_at is null
     order by account_sid, id`);
}
