// What waits for the operator, across accounts.
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ApplicationState } from '../states.ts';

export type LiveApplication = {
  accountSid: string;
  livemode: boolean;
  sid: string;
  state: ApplicationState;
  displayName: string;
  country: string;
  numberSource: string;
  openTasks: string[];
  createdAt: string;
};

/** Applications that have not ended, the oldest first; of one environment. */
export const waitingApplications = (s: SystemTx, livemode: boolean): Promise<LiveApplication[]> =>
  s.many<LiveApplication>(sql`
    select a.account_sid as "accountSid", a.livemode, a.sid, a.state, a.display_name as "displayName", a.country,
      a.number_source as "numberSource", a.created_at as "createdAt",
      array(select k.task from managed_tasks k
             where k.account_sid = a.account_sid and k.application_sid = a.sid and k.state = 'OPEN' order by k.n) as "openTasks"
      from managed_applications a
     where a.livemode = ${livemode} and a.state not in ('COMPLETED', 'REJECTED', 'WITHDRAWN')
     order by a.sid limit 500`);
