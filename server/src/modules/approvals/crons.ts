import type { Tenant } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { expire } from './decisions.ts';
import type { ApprovalHooks } from './hooks.ts';

const batch = 500;

/** Requests nobody decided in time. They count as expired already; this writes it down and announces it. */
export const expireApprovals = (hooks: ApprovalHooks) =>
  defineCron({
    name: 'approvals.expire',
    schedule: '*/5 * * * *',
    async run({ database, now, log, signal }) {
      for (;;) {
        const due = await database.system((s) =>
          s.many<Tenant & { sid: string }>(sql`
          select account_sid as "accountSid", livemode, sid from approvals
           where state = 'PENDING' and expires_at <= ${now()} order by expires_at limit ${batch}`),
        );
        for (const { sid, ...tenant } of due) {
          if (signal.aborted) return;
          const principal = systemPrincipal('cron:approvals.expire', tenant.livemode);
          const requestContext = { principal, now: now(), requestId: 'cron', log };
          await database.write(tenant, requestContext, (t) => expire(hooks, t, sid));
        }
        if (due.length < batch) return;
      }
    },
  });
