// One allocation of the credit line serves all accounts a business has at the provider, in whatever account here: taking it from
// one takes it from all. So it is revoked only when every one of them is to lose it, and given to none while it is being revoked.
// Both are decided under one lock of the business.
import type { Database, SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { holdingStates } from './states.ts';
import type { Switch } from './switches.ts';

export type Sibling = { accountSid: string; wabaSid: string };

type Whose = { livemode: boolean; now: Date };

const lockBusiness = (s: SystemTx, { receivingBusinessId }: Switch, { livemode }: Whose) =>
  s.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`credit line ${livemode} ${receivingBusinessId}`}, 0))`);

/** Whether the account may be given the line now; false while the provider is taking it from its business. */
export const beginAllocating = (database: Database, one: Switch, whose: Whose): Promise<boolean> =>
  database.system(async (s) => {
    await lockBusiness(s, one, whose);
    const begun = await s.run(sql`
      update billing_mode_switches m set state = 'allocating', updated_at = ${whose.now}
       where m.id = ${one.id} and m.state = 'accepted' and not exists (
         select from billing_mode_switches k
          where k.receiving_business_id = m.receiving_business_id and k.livemode = m.livemode
            and k.state not in ('failed', 'direct') and k.deleting_since is not null)`);
    return begun > 0;
  });

/** Marks the line as being taken back, unless others of the business have it: then it tells who. */
export const beginRevoking = (database: Database, one: Switch, whose: Whose): Promise<Sibling[]> =>
  database.system(async (s) => {
    await lockBusiness(s, one, whose);
    const holders = await s.many<Sibling>(sql`
      select account_sid as "accountSid", waba_sid as "wabaSid" from billing_mode_switches
       where receiving_business_id = ${one.receivingBusinessId} and livemode = ${whose.livemode}
         and state = any (${[...holdingStates]}::text[]) and id <> ${one.id}
       order by account_sid, waba_sid`);
    if (holders.length === 0)
      await s.run(sql`
        update billing_mode_switches set deleting_since = coalesce(deleting_since, ${whose.now}), updated_at = ${whose.now}
         where id = ${one.id} and state = 'revoking'`);
    return holders;
  });
