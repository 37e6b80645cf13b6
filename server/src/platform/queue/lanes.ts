// Lanes: queues of which one process works on each. A lane says when something in it is due next. While it is leased that instant
// is empty; whatever stands there afterwards was announced by somebody who added work meanwhile, and the holder finds it when
// it next asks for lanes. Giving a lane back keeps what was announced, or names what is next.
//
// The table is its module's: `account_sid`, `livemode`, the lane's own key, `due_at`, `holder`, `generation`, unique by account
// and key, with indexes on `due_at` and on `holder`.
import type { Asked, MergedQueries, SystemTx, Tenant, TenantTx } from '../db/database.ts';
import { accountsOf } from '../db/merge.ts';
import { type Sql, sql } from '../db/query.ts';
import { givenBack, isHeld, isOrphaned, type Lease } from './lease.ts';

export type Lane<Key extends string> = Tenant & Lease & Record<Key, string>;

type Table<Key extends string> = {
  table: string;
  /** The column of the lane's own key, and what a lane calls it here. */
  column: string;
  key: Key;
  /** Which lanes may be leased at all. */
  open?: Sql;
};
type Asking = { processId: string; now: Date };

/** Own lanes to which work was added are told of, also where no other can be taken. */
const mostOwn = 64;

export function lanesOf<Key extends string>({ table, column, key, open = sql`true` }: Table<Key>) {
  const lanes = sql.id(table);
  const own = sql.id(column);
  const columns = sql`lane.account_sid as "accountSid", lane.livemode, lane.${own} as ${sql.id(key)}, lane.holder,
    lane.generation`;
  const keyOf = (lane: Lane<Key>): string => lane[key];
  const nameOf = (lane: Lane<Key>) => `${lane.accountSid} ${keyOf(lane)} ${lane.generation}`;
  const isThis = (lane: Lane<Key>) =>
    sql`account_sid = ${lane.accountSid} and ${own} = ${keyOf(lane)} and ${isHeld(lane)}`;

  const storeDue = async (q: MergedQueries, asked: readonly Asked<[key: string, dueAt: Date]>[]) => {
    await q.run(sql`
      insert into ${lanes} as lane (account_sid, livemode, ${own}, due_at)
      select item.account_sid, ${q.livemode}, item.key, item.due_at
        from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item: [key] }) => key)}::text[],
          ${asked.map(({ item: [, at] }) => at)}::timestamptz[]) as item (account_sid, key, due_at)
       order by item.account_sid, item.key
      on conflict (account_sid, ${own}) do update set due_at = least(lane.due_at, excluded.due_at)`);
    return [];
  };

  return {
    /**
     * Says when something in these lanes is due, in the transaction that wrote it. A lane is locked even where it is due already:
     * whoever gives it back at this moment must wait until what was written can be seen.
     */
    async announce(t: TenantTx, dueAt: ReadonlyMap<string, Date>): Promise<void> {
      await t.merged(storeDue, [...dueAt]);
    },

    /**
     * Leases lanes in which something is due, those waiting longest first; tells of own ones to which work was added. Does not wait
     * for the disk: a lease that a crash of the database takes back was followed by nothing that lasts, since whatever is committed
     * after it writes it out too.
     */
    lease(s: SystemTx, { processId, now, most }: Asking & { most: number }): Promise<Lane<Key>[]> {
      return s.many<Lane<Key>>(sql`
        with due as (
          select account_sid, ${own} from ${lanes}
           where ${open} and due_at <= ${now} and (holder = ${processId} or (holder is null and ${most}::integer > 0))
           order by due_at limit ${Math.max(most, 0) + mostOwn} for no key update skip locked)
        update ${lanes} lane set holder = ${processId}, due_at = null,
          generation = lane.generation + case when lane.holder = ${processId} then 0 else 1 end
          from due, (select set_config('synchronous_commit', 'off', true)) as quickly
         where lane.account_sid = due.account_sid and lane.${own} = due.${own}
        returning ${columns}`);
    },

    /**
     * Frees the lanes of dead processes: what they held is due at once. Whoever asks is alive, however late its own beat is.
     * Tells how many, which of the lanes it believes to hold it has lost, and which it holds without knowing: it never heard
     * that they were leased to it, or could not give them back.
     */
    async lookAfter(s: SystemTx, { processId, now, known }: Asking & { known: Lane<Key>[] }) {
      const [freed, held] = await Promise.all([
        s.run(sql`
          with orphaned as (
            select account_sid, ${own} from ${lanes}
             where ${isOrphaned} and holder <> ${processId} for no key update skip locked)
          update ${lanes} lane set ${givenBack}, due_at = ${now}
            from orphaned where lane.account_sid = orphaned.account_sid and lane.${own} = orphaned.${own}`),
        s.many<Lane<Key>>(sql`select ${columns} from ${lanes} lane where lane.holder = ${processId}`),
      ]);
      const [knows, holds] = [new Set(known.map(nameOf)), new Set(held.map(nameOf))];
      return {
        freed,
        lost: known.filter((lane) => !holds.has(nameOf(lane))),
        unknown: held.filter((lane) => !knows.has(nameOf(lane))),
      };
    },

    /**
     * Gives a lane back, due at the instant `next` tells, which may be none. The lane is locked before that is looked at: work
     * that is added at this moment would otherwise go unnoticed by both. Tells when it is due; nothing changes where the lease
     * was lost.
     */
    async giveBack(t: SystemTx | TenantTx, lane: Lane<Key>, next: Sql): Promise<Date | null> {
      // One round trip, two statements: the second sees what was committed before the first had its lock.
      const [, given] = await Promise.all([
        t.run(sql`select from ${lanes} where ${isThis(lane)} for no key update`),
        t.maybe<{ dueAt: string | null }>(sql`
          update ${lanes} set ${givenBack}, due_at = least(due_at, ${next}) where ${isThis(lane)}
          returning due_at as "dueAt"`),
      ]);
      return given?.dueAt ? new Date(given.dueAt) : null;
    },

    /** When a lane is due next; now, where this process holds some or a dead one does, so that they are looked after. */
    nextDue: (processId: string) => sql`least(
      (select min(due_at) from ${lanes} where ${open} and holder is null),
      (select '-infinity'::timestamptz from ${lanes} where holder = ${processId} or (${isOrphaned}) limit 1))`,

    /** For the work itself, in the statement that takes it: nothing is taken in the name of a lease that was lost. */
    holds: (lane: Lane<Key>) => sql`exists (select from ${lanes} where ${isThis(lane)})`,
  };
}
