// What operators see of campaigns: how many are under way, and how many people still wait in them.
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { stateGauges } from '../../platform/observability/metrics.ts';

const underWay = ['SCHEDULED', 'RUNNING', 'PAUSED'] as const;
type Seen = { state: string; campaigns: number; waiting: number };

export function observeCampaigns({ registry, database }: Observing): void {
  const gauge = stateGauges(registry, () =>
    database.system((s) =>
      s.many<Seen>(sql`
        select state, count(*)::integer as campaigns, sum(recipients - admitted - refused)::double precision as waiting
          from campaigns where state in ('SCHEDULED', 'RUNNING', 'PAUSED') group by state`),
    ),
  );
  gauge('godwit_campaigns', 'Campaigns that are under way, by state', underWay, (seen) => seen.campaigns);
  const waiting = 'Their recipients that wait for their turn';
  gauge('godwit_campaign_recipients_waiting', waiting, underWay, (seen) => seen.waiting);
}
