// Has the provider's figures looked at twice after the end of each period.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { plainArray, sql } from '../../../platform/db/query.ts';
import { defineCron, enqueue, type JobContext } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { listProviderStatements, type Period } from '../../invoices/index.ts';
import { type ConnectedWaba, connectedWabas } from '../../wabas/index.ts';
import { compareStatement } from './compare-statement.ts';
import { type DueLook, looksDue } from './periods.ts';

const batch = 500;

export const lookAtStatements = defineCron({
  name: 'reconciliation.look-at-statements',
  schedule: '41 * * * *',
  async run(context) {
    const { database, now, signal } = context;
    const automated = await database.system(automatedPeriods);
    for (let after = ''; !signal.aborted; ) {
      const wabas = await database.system((s) => connectedWabas(s, { after, limit: batch }));
      const due = wabas.flatMap((waba) =>
        looksDue(now(), automated.get(waba.sid) ?? null).map((look) => ({ waba, ...look })),
      );
      for (const look of await database.system((s) => notQueued(s, due))) await queue(context, look);
      if (wabas.length < batch) return;
      after = wabas.at(-1)!.sid;
    }
  },
});

/** The first period of each business account whose automation names one. */
async function automatedPeriods(s: SystemTx): Promise<Map<string, Period>> {
  const statements = await listProviderStatements(s);
  return new Map(
    statements.map(({ providerStatement: { wabaSid, nextPeriodStart, nextPeriodEnd } }) => [
      wabaSid,
      { start: new Date(nextPeriodStart), end: new Date(nextPeriodEnd) },
    ]),
  );
}

type Due = DueLook & { waba: ConnectedWaba };
const keyOf = (wabaSid: string, periodEnd: string, look: string) => `${wabaSid} ${periodEnd} ${look}`;

/** Those that were not queued before. */
async function notQueued(s: SystemTx, due: Due[]): Promise<Due[]> {
  if (due.length === 0) return [];
  const sids = [...new Set(due.map(({ waba }) => waba.sid))];
  const earliest = new Date(Math.min(...due.map(({ to }) => to.getTime())));
  const rows = await s.many<{ sid: string; periodEnd: string; look: string }>(sql`
    select waba_sid as sid, period_end as "periodEnd", look from reconciliation_looks
     where period_end >= ${earliest} and waba_sid = any(${plainArray(sids)}::text[])`);
  const queued = new Set(rows.map(({ sid, periodEnd, look }) => keyOf(sid, periodEnd, look)));
  return due.filter(({ waba, to, look }) => !queued.has(keyOf(waba.sid, to.toISOString(), look)));
}

function queue({ database, now, log }: JobContext, { waba, from, to, look }: Due): Promise<void> {
  const { sid: wabaSid, ...tenant } = waba;
  const principal = systemPrincipal('cron:reconciliation.look-at-statements', tenant.livemode);
  return database.write(tenant, { principal, now: now(), requestId: 'cron', log }, async (t) => {
    const fresh = await t.run(sql`
      insert into reconciliation_looks (account_sid, livemode, waba_sid, period_start, period_end, look, queued_at)
      values (${t.accountSid}, ${t.livemode}, ${wabaSid}, ${from}, ${to}, ${look}, ${t.now})
      on conflict do nothing`);
    if (fresh > 0) queueComparison(t, wabaSid, { from, to });
  });
}

export function queueComparison(t: TenantTx, wabaSid: string, { from, to }: { from: Date; to: Date }): void {
  const span = { from: from.toISOString(), to: to.toISOString() };
  enqueue(t, compareStatement, { wabaSid, ...span }, { key: `statement/${wabaSid}/${span.from}/${span.to}` });
}
