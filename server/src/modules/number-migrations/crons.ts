// A sender must not stay paused because the work on its migration came to an end nobody expected: that is begun again until it has
// brought the number to one of the two places.
import { eachItem } from '../../platform/jobs/each-item.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';
import { operationsOf, retryOperation } from '../operations/index.ts';
import { pausedSenders } from '../senders/index.ts';

const batch = 500;

export const freePaused = defineCron({
  name: 'number-migrations.free-paused',
  schedule: '* * * * *',
  async run(context) {
    let after = '';
    const next = async () => {
      const found = await context.database.system((s) => pausedSenders(s, { after, limit: batch }));
      after = found.at(-1)?.sid ?? after;
      return found;
    };
    await eachItem(context, 'number-migrations.free-paused', batch, next, async (t, operationSid) => {
      const operation = (await operationsOf(t, [operationSid])).get(operationSid);
      if (operation?.retryEligible) await retryOperation(t, operationSid);
    });
  },
});
