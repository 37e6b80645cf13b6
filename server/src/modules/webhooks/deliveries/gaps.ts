// What an endpoint never acknowledged, of the events that are for it: the answer to "did I miss anything?"
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { loadEndpoint } from '../endpoints/endpoints.ts';
import { refuseForgotten } from '../events/history.ts';
import { isGap, pairs } from './redeliver.ts';
import type { Gap, GapQuery } from './schema.ts';

// Each event of the range is looked at, so the range is bounded.
const widest = 100_000;

type Row = Omit<Gap, 'sequence'> & { sequence: string };

/** Oldest first. Without a range: the last 100,000 events. */
export async function listGaps(t: TenantTx, endpointSid: string, query: GapQuery, pager: Pager) {
  await loadEndpoint(t, endpointSid);
  const { from, to } = await rangeOf(t, query);
  const after = Math.max(from - 1, Number(pager.after?.[0] ?? 0));
  const rows = await t.many<Row>(sql`
    select 'webhook_gap' as object, ev.sequence, ev.sid as "eventSid", ev.type as "eventType", d.sid as "deliverySid",
      case when d.sid is null then 'none' when u.due_at is not null then 'pending' else 'failed' end as state
      from ${pairs}
     where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode}
       and ev.sequence > ${after} and ev.sequence <= ${to} and e.sid = ${endpointSid}
       and ${isGap}
     order by ev.sequence limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sequence }) => [sequence],
    (row): Gap => ({ ...row, sequence: Number(row.sequence) }),
  );
}

async function rangeOf(t: TenantTx, { fromSequence, toSequence }: GapQuery) {
  const head = await t.maybe<{ sequence: string }>(sql`
    select sequence from event_heads where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  const to = toSequence === undefined ? Number(head?.sequence ?? 0) : Number(toSequence);
  const start = await refuseForgotten(t, 'fromSequence', Number(fromSequence ?? Infinity));
  const from = fromSequence === undefined ? Math.max(start, to - widest + 1) : Number(fromSequence);
  if (to - from >= widest)
    throw invalid({ path: 'toSequence', issue: `must be at most ${widest - 1} above fromSequence` });
  return { from, to };
}
