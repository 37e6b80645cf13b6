// Statements that serve several accounts of one transaction. The work of each account is written as if it were alone;
// where several come to the same statement, it is sent once for all of them.
import type pg from 'pg';
import type { Asked, Merged, MergedQueries, Queries, TenantTx } from './database.ts';
import { plainArray, type Sql } from './query.ts';
import type { Silence } from './silence.ts';
import type { Inside } from './statement.ts';
import { inOneWrite, inOneWriteUntilIdle, queriesOn } from './submit.ts';

type Row = { accountSid: string };
type Call = {
  items: readonly unknown[];
  isOver(): boolean;
  done(rows: Row[]): void;
  fail(error: unknown): void;
};
type AnyMerged = Merged<unknown, Row>;
type Round = { statement: AnyMerged; calls: Map<string, Call> };

export type Merger = {
  /**
   * Statements of one account: each runs inside that account, and row security shows it no other of the transaction. Once
   * `isOver`, nothing is sent any more.
   */
  queriesOf(accountSid: string, isOver?: () => boolean): Queries;
  merged(accountSid: string, isOver?: () => boolean): TenantTx['merged'];
  /** How many statements that may have changed something were sent for this account. */
  writesOf(accountSid: string): number;
  /** What the next statement must enter to run inside all accounts; null where it would already. */
  intoAll(): Inside | null;
  /** Resolves when nothing is under way and nobody can ask for more: the connection may then go on to something else. */
  quiet(): Promise<void>;
};

type Scope = { accounts: string[]; livemode: boolean; now: Date };

/**
 * Statements wait until nothing is under way on the connection: then every account has come as far as it can without an
 * answer, and those that need the same have all asked for it.
 */
export function createMerger(
  client: pg.PoolClient,
  silence: Silence,
  { accounts, livemode, now }: Scope,
): Merger {
  const all = accounts.join();
  const writes = new Map<string, number>();
  /** The accounts the statement sent last ran inside. */
  let inside = all;
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
    inOneWrite(client, () => due.forEach((round) => void run(round)));
  };
  const ended = () => {
    underWay -= 1;
    if (underWay === 0) goOnSoon();
  };
  const watched =
    <Query, Answer>(submit: (query: Query) => Promise<Answer>) =>
    (query: Query): Promise<Answer> => {
      underWay += 1;
      inOneWriteUntilIdle(client);
      const answer = submit(query);
      answer.then(ended, ended);
      return answer;
    };
  const into = (whose: string): Inside | null => {
    if (whose === inside) return null;
    inside = whose;
    return { accountSid: whose, livemode };
  };
  const queriesFor = (whose: string, sids: readonly string[], isOver = never): Queries => {
    const given = queriesOn(client, silence, (query) => {
      refuseLate(isOver);
      if (mayChange(query)) for (const sid of sids) writes.set(sid, (writes.get(sid) ?? 0) + 1);
      return into(whose);
    });
    return {
      one: watched(given.one) as Queries['one'],
      maybe: watched(given.maybe) as Queries['maybe'],
      many: watched(given.many) as Queries['many'],
      run: watched(given.run),
      takesUpTo: given.takesUpTo,
    };
  };
  const run = async ({ statement, calls }: Round): Promise<void> => {
    for (const [accountSid, { isOver, fail }] of calls) {
      if (!isOver()) continue;
      calls.delete(accountSid);
      fail(tooLate());
    }
    if (calls.size === 0) return goOnSoon();
    const queries: MergedQueries = { ...queriesFor(all, [...calls.keys()]), livemode, now };
    try {
      const asked = [...calls].flatMap(([accountSid, { items }]) => askedBy(accountSid, items));
      const rows = Map.groupBy(await statement(queries, asked), ({ accountSid }) => accountSid);
      for (const [accountSid, { done }] of calls) done(rows.get(accountSid) ?? []);
    } catch (error) {
      for (const { fail } of calls.values()) fail(error);
    }
  };

  const roundFor = (accountSid: string, statement: AnyMerged): Round => {
    const open = rounds.find((round) => round.statement === statement && !round.calls.has(accountSid));
    if (open) return open;
    const round = { statement, calls: new Map() };
    rounds.push(round);
    return round;
  };
  const merged =
    (accountSid: string, isOver = never) =>
    (statement: AnyMerged, items: readonly unknown[]) => {
      if (items.length === 0) return Promise.resolve([]);
      return new Promise<Row[]>((done, fail) => {
        refuseLate(isOver);
        roundFor(accountSid, statement).calls.set(accountSid, { items, isOver, done, fail });
        goOnSoon();
      });
    };
  return {
    queriesOf: (accountSid, isOver) => queriesFor(accountSid, [accountSid], isOver),
    merged: merged as Merger['merged'],
    writesOf: (accountSid) => writes.get(accountSid) ?? 0,
    intoAll: () => into(all),
    quiet: () =>
      new Promise((resolve) => {
        onQuiet = resolve;
        goOnSoon();
      }),
  };
}

const never = () => false;

const tooLate = () => new Error('this turn in the transaction is over');

function refuseLate(isOver: () => boolean): void {
  if (isOver()) throw tooLate();
}

/** Anything but a plain question. Functions that a question calls are the caller's to know. */
const mayChange = ({ texts }: Sql): boolean => !/^\s*select\b/i.test(texts[0]!);

export const askedBy = <Item>(accountSid: string, items: readonly Item[]) =>
  items.map((item) => ({ accountSid, item }));

/** The accounts of what was asked, as an array for PostgreSQL. */
export const accountsOf = (asked: readonly Asked<unknown>[]): string =>
  plainArray(asked.map(({ accountSid }) => accountSid));
