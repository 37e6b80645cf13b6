// Work on applications that falls due by a time of their own.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type DueItem, eachItem } from '../../../platform/jobs/each-item.ts';
import { defineCron } from '../../../platform/jobs/jobs.ts';

const batch = 200;

/** Does the work for every application whose time has come; the work itself says when it comes again. */
export const cronOfDue = (
  name: string,
  schedule: string,
  column: 'rent_due_at' | 'name_due_at',
  work: (t: TenantTx, sid: string) => Promise<void>,
) =>
  defineCron({
    name,
    schedule,
    run: (context) =>
      eachItem(
        context,
        name,
        batch,
        () =>
          context.database.system((s) =>
            s.many<DueItem>(sql`
              select account_sid as "accountSid", livemode, sid from managed_applications
               where ${sql.id(column)} <= ${context.now()} order by ${sql.id(column)} limit ${batch}`),
          ),
        work,
      ),
  });
