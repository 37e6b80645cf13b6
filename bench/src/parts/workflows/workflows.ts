// What workflows cost: their runs, waking them among many that wait, and how soon they answer.
import { type Context, measureEach, type Part, type Row } from '../../part.ts';
import { measureReplies } from './replies.ts';
import { measureRuns } from './runs.ts';
import { measureWakes } from './wakes.ts';

const measures: Record<string, (context: Context) => Promise<Row[]>> = {
  runs: measureRuns,
  wakes: measureWakes,
  replies: measureReplies,
};

export const workflows: Part = {
  name: 'workflows',
  description: `runs of workflows (--only ${Object.keys(measures).join(', ')}; BENCH_WAITING, BENCH_WAKES)`,
  run: (context) => measureEach(context, measures),
};
