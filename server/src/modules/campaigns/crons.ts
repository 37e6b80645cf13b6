// The operation of a campaign gives up after an error nobody expected. The campaign then says so too: it must not look as if it ran.
import { sql } from '../../platform/db/query.ts';
import { type DueItem, eachItem } from '../../platform/jobs/each-item.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { operationsOf } from '../operations/index.ts';
import { moveCampaign } from './resource/move.ts';
import { lockCampaign } from './resource/rows.ts';
import { hasEnded } from './states.ts';

const batch = 500;

export const endFailed = defineCron({
  name: 'campaigns.end-failed',
  schedule: '* * * * *',
  async run(context) {
    let after = '';
    const next = async () => {
      const found = await context.database.system((s) =>
        s.many<DueItem>(sql`
          select account_sid as "accountSid", livemode, sid from campaigns
           where state in ('SCHEDULED', 'RUNNING', 'PAUSED') and sid > ${after} order by sid limit ${batch}`),
      );
      after = found.at(-1)?.sid ?? after;
      return found;
    };
    await eachItem(context, 'campaigns.end-failed', batch, next, async (t, sid) => {
      const row = await lockCampaign(t, sid);
      if (hasEnded(row.state)) return;
      const operation = (await operationsOf(t, [row.operationSid!])).get(row.operationSid!);
      if (operation?.state === 'FAILED')
        await moveCampaign(t, row, 'fail', { reason: operation.error?.code ?? 'INTERNAL_PERMANENT_ERROR' });
    });
  },
});
