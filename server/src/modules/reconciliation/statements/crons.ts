// When the provider's figures are looked at: 48 hours after the end of a month, and again after 7 days, since it corrects them.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { plainArray, sql } from '../../../platform/db/query.ts';
import { defineCron, enqueue, type JobContext } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { type ConnectedWaba, connectedWabas } from '../../wabas/index.ts';
import { compareStatement } from './compare-statement.ts';

const hourMs = 3_600_000;
const looks = [
  { look: 'first', afterMs: 48 * hourMs },
  { look: 'second', afterMs: 7 * 24 * hourMs },
] as const;
type Look = (typeof looks)[number]['look'];
const batch = 500;

/** The last calendar month in UTC that has ended. */
function lastMonth(now: Date) {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month - 1)), to: new Date(Date.UTC(year, month)) };
}

export const lookAtStatements = defineCron({
  name: 'reconciliation.look-at-statements',
  schedule: '41 * * * *',
  async run(context) {
    const period = lastMonth(context.now());
    const due = looks
      .filter(({ afterMs }) => context.now().getTime() >= period.to.getTime() + afterMs)
      .at(-1);
    if (!due) return;
    for (let after = ''; !context.signal.aborted; ) {
      const wabas = await context.database.system((s) => connectedWabas(s, { after, limit: batch }));
      for (const waba of await context.database.system((s) => without(s, wabas, period.to, due.look)))
        await queue(context, waba, period, due.look);
      if (wabas.length < batch) return;
      after = wabas.at(-1)!.sid;
    }
  },
});

/** Those that were not looked at yet. */
async function without(
  s: SystemTx,
  wabas: ConnectedWaba[],
  periodEnd: Date,
  look: Look,
): Promise<ConnectedWaba[]> {
  const rows = await s.many<{ sid: string }>(sql`
    select waba_sid as sid from reconciliation_looks
     where period_end = ${periodEnd} and look = ${look} and waba_sid = any(${plainArray(wabas.map(({ sid }) => sid))}::text[])`);
  const looked = new Set(rows.map(({ sid }) => sid));
  return wabas.filter(({ sid }) => !looked.has(sid));
}

function queue(
  { database, now, log }: JobContext,
  { sid: wabaSid, ...tenant }: ConnectedWaba,
  period: { from: Date; to: Date },
  look: Look,
): Promise<void> {
  const principal = systemPrincipal('cron:reconciliation.look-at-statements', tenant.livemode);
  return database.write(tenant, { principal, now: now(), requestId: 'cron', log }, async (t) => {
    const fresh = await t.run(sql`
      insert into reconciliation_looks (account_sid, livemode, waba_sid, period_start, period_end, look, queued_at)
      values (${t.accountSid}, ${t.livemode}, ${wabaSid}, ${period.from}, ${period.to}, ${look}, ${t.now})
      on conflict do nothing`);
    if (fresh > 0) queueComparison(t, wabaSid, period);
  });
}

export function queueComparison(t: TenantTx, wabaSid: string, { from, to }: { from: Date; to: Date }): void {
  const span = { from: from.toISOString(), to: to.toISOString() };
  enqueue(t, compareStatement, { wabaSid, ...span }, { key: `statement/${wabaSid}/${span.from}/${span.to}` });
}
