import { defineCron } from '../../../platform/jobs/jobs.ts';
import { overdueTests } from './test-workflow.ts';

export const sweepTests = defineCron({
  name: 'workflows.sweep-tests',
  schedule: '17 * * * *',
  async run({ database, now, signal }) {
    for (let removed = 1; removed > 0 && !signal.aborted; )
      removed = await database.system((s) => s.run(overdueTests(now())));
  },
});
