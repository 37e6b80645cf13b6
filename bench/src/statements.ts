// What each statement costs, by pg_stat_statements: for whoever looks for what to merge. Counting costs time itself, so it
// is done in a round that does not count.
import pg from 'pg';

export const statementSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.track': 'all',
};

const shown = 30;

export type Statements = {
  reset(): Promise<void>;
  /** The dearest first, as lines, told for one of so many requests. */
  told(requests: number): Promise<string[]>;
  close(): Promise<void>;
};

export async function openStatements(url: string): Promise<Statements> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  return {
    reset: async () => void (await client.query('select pg_stat_statements_reset()')),
    async told(requests) {
      const { rows } = await client.query<{ line: string }>(
        `select format('%s calls  %s µs planned  %s µs run  %s %s',
            round((calls / $1::numeric), 2), round((total_plan_time * 1000 / $1)::numeric, 1),
            round((total_exec_time * 1000 / $1)::numeric, 1), case when toplevel then '' else '(inside)' end,
            left(regexp_replace(query, '\\s+', ' ', 'g'), 150)) as line
           from pg_stat_statements order by total_plan_time + total_exec_time desc limit ${shown}`,
        [Math.max(1, requests)],
      );
      return rows.map(({ line }) => line);
    },
    close: () => client.end(),
  };
}

/** Says what each statement costs in one more round of each, which does not count. `things` is what a round is told for. */
export async function tellEach(
  { statements, say }: { statements: Statements | null; say(text: string): void },
  things: number,
  rounds: Record<string, () => Promise<unknown>>,
): Promise<void> {
  if (!statements) return;
  for (const [name, round] of Object.entries(rounds)) {
    await statements.reset();
    await round();
    say([`${name}, for each:`, ...(await statements.told(things))].join('\n  '));
  }
}
