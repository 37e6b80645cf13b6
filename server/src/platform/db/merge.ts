// Statements that serve several accounts of one transaction. The work of each account is written as if it were alone;
// where several come to the same statement, it is sent once for all of them.
import type pg from 'pg';
import type { Asked, Merged, MergedQueries, Queries, TenantTx } from './database.ts';
import { plainArray } from './query.ts';
import { inOneWrite } from './submit.ts';

type Row = { accountSid: string };
type Call = { items: readonly unknown[]; done(rows: Row[]): void; fail(error: unknown): void };
type AnyMerged = Merged<unknown, Row>;
type Round = { statement: AnyMerged; calls: Map<string, Call> };

export type Merger = {
  /** The connection's queries, for all accounts of the transaction. */
  queries: Queries;
  merged(accountSid: string): TenantTx['merged'];
  /** Resolves when nothing is under way and nobody can ask for more: the connection may then go on to something else. */
  quiet(): Promise<void>;
};

/**
 * Statements wait until nothing is under way on the connection: then every account has come as far as it can without an
 * answer, and those that need the same have all asked for it.
 */
export function createMerger(
  client: pg.PoolClient,
  given: Queries,
  { livemode, now }: { livemode: boolean; now: Date },
): Merger {
  let underWay = 0;
  let scheduled = false;
  let rounds: Round[] = [];
  let onQuiet: (() => void) | null = null;

  const goOnSoon = () => {
    if (scheduled) return;
    scheduled = true;
    // Runs once no promise that is settled has anything left to do.
    process.nextTick(goOn);
  };
  const goOn = () => {
    scheduled = false;
    if (underWay > 0) return;
    const due = rounds;
    rounds = [];
    if (due.length === 0) onQuiet?.();
    inOneWrite(client, () => due.forEach((round) => void run(round, queries)));
  };
  const ended = () => {
    underWay -= 1;
    if (underWay === 0) goOnSoon();
  };
  const watched =
    <Query, Answer>(submit: (query: Query) => Promise<Answer>) =>
    (query: Query): Promise<Answer> => {
      underWay += 1;
      const answer = submit(query);
      answer.then(ended, ended);
      return answer;
    };
  const queries: MergedQueries = {
    one: watched(given.one) as Queries['one'],
    maybe: watched(given.maybe) as Queries['maybe'],
    many: watched(given.many) as Queries['many'],
    run: watched(given.run),
    takesUpTo: given.takesUpTo,
    livemode,
    now,
  };

  const roundFor = (accountSid: string, statement: AnyMerged): Round => {
    const open = rounds.find((round) => round.statement === statement && !round.calls.has(accountSid));
    if (open) return open;
    const round = { statement, calls: new Map() };
    rounds.push(round);
    return round;
  };
  const merged = (accountSid: string) => (statement: AnyMerged, items: readonly unknown[]) => {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise<Row[]>((done, fail) => {
      roundFor(accountSid, statement).calls.set(accountSid, { items, done, fail });
      goOnSoon();
    });
  };
  return {
    queries,
    merged: merged as Merger['merged'],
    quiet: () =>
      new Promise((resolve) => {
        onQuiet = resolve;
        goOnSoon();
      }),
  };
}

async function run({ statement, calls }: Round, queries: MergedQueries): Promise<void> {
  try {
    const asked = [...calls].flatMap(([accountSid, { items }]) => askedBy(accountSid, items));
    const rows = Map.groupBy(await statement(queries, asked), ({ accountSid }) => accountSid);
    for (const [accountSid, { done }] of calls) done(rows.get(accountSid) ?? []);
  } catch (error) {
    for (const { fail } of calls.values()) fail(error);
  }
}

export const askedBy = <Item>(accountSid: string, items: readonly Item[]) =>
  items.map((item) => ({ accountSid, item }));

/** The accounts of what was asked, as an array for PostgreSQL. */
export const accountsOf = (asked: readonly Asked<unknown>[]): string =>
  plainArray(asked.map(({ accountSid }) => accountSid));
