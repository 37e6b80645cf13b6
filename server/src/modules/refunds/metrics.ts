// What operators see of refunds: those of which the payment service has not said what became of them.
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { stateGauges } from '../../platform/observability/metrics.ts';
import { undecidedStates } from './states.ts';

type Undecided = { state: string; refunds: number; seconds: number };

export function observeRefunds({ registry, database, now }: Observing): void {
  const gauge = stateGauges(registry, () =>
    database.system((s) =>
      s.many<Undecided>(sql`
        select state, count(*)::integer as refunds,
          extract(epoch from ${now()}::timestamptz - min(created_at))::double precision as seconds
          from refunds where state in ('pending', 'submitted', 'unknown') group by state`),
    ),
  );
  const underWay = 'Refunds that are on their way, by state';
  gauge('godwit_refunds_undecided', underWay, undecidedStates, (u) => u.refunds);
  const oldest = 'How long the oldest of them has been under way';
  gauge('godwit_refunds_undecided_oldest_seconds', oldest, undecidedStates, (u) => u.seconds);
}
