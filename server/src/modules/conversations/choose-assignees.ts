// To whom conversations go that nobody named a person for: to the members of their inbox in turn, or to whoever has fewest open.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { membersOf } from '../inboxes/index.ts';
import { readersAmong } from './assignees.ts';

export type Choice = 'roundRobin' | 'leastOpen';

// An inbox with more members than this is given out among the first.
const mostMembers = 1_000;

/**
 * Chooses one after the other, each choice counting for the next; null where nobody in the inbox could read it. The turns of inboxes are
 * held until the transaction ends.
 */
export async function chooserOf(t: TenantTx, asked: readonly { inboxSid: string; choice: Choice }[]) {
  const members = await candidates(t, [...new Set(asked.map(({ inboxSid }) => inboxSid))]);
  const inTurn = asked.filter(({ choice }) => choice === 'roundRobin').map(({ inboxSid }) => inboxSid);
  const byLoad = asked.filter(({ choice }) => choice === 'leastOpen');
  const [turns, open] = await Promise.all([
    lockTurns(t, [...new Set(inTurn)].sort()),
    countOpen(t, [...new Set(byLoad.flatMap(({ inboxSid }) => members.get(inboxSid)!))]),
  ]);
  const chosen = new Map<string, string>();
  return {
    choose(inboxSid: string, choice: Choice): string | null {
      const able = members.get(inboxSid) ?? [];
      if (able.length === 0) return null;
      if (choice === 'leastOpen') {
        const load = (userSid: string) => open.get(userSid) ?? 0;
        const least = able.reduce((best, one) => (load(one) < load(best) ? one : best));
        open.set(least, load(least) + 1);
        return least;
      }
      const last = chosen.get(inboxSid) ?? turns.get(inboxSid) ?? '';
      const next = able.find((userSid) => userSid > last) ?? able[0]!;
      chosen.set(inboxSid, next);
      return next;
    },
    /** Writes down whose turn it was. */
    async remember(): Promise<void> {
      if (chosen.size === 0) return;
      await t.run(sql`
        update assignment_turns a set user_sid = item.user_sid
          from unnest(${[...chosen.keys()]}::text[], ${[...chosen.values()]}::text[]) as item (inbox_sid, user_sid)
         where a.account_sid = ${t.accountSid} and a.livemode = ${t.livemode} and a.inbox_sid = item.inbox_sid`);
    },
  };
}

/** The members of each inbox who could read what is in it, in the order of their SIDs. */
async function candidates(t: TenantTx, inboxSids: string[]): Promise<Map<string, string[]>> {
  const lists = await Promise.all(
    inboxSids.map(async (inboxSid) => {
      const userSids = await membersOf(t, inboxSid, { after: '', limit: mostMembers });
      return userSids.map((userSid) => ({ userSid, inboxSid }));
    }),
  );
  const isReader = await readersAmong(t, lists.flat());
  return new Map(
    inboxSids.map((inboxSid, at) => [inboxSid, lists[at]!.filter(isReader).map(({ userSid }) => userSid)]),
  );
}

async function lockTurns(t: TenantTx, inboxSids: string[]): Promise<Map<string, string>> {
  if (inboxSids.length === 0) return new Map();
  const [, rows] = await Promise.all([
    t.run(sql`
      insert into assignment_turns (account_sid, livemode, inbox_sid, user_sid)
      select ${t.accountSid}, ${t.livemode}, inbox_sid, '' from unnest(${inboxSids}::text[]) as inbox_sid
      on conflict do nothing`),
    t.many<{ inboxSid: string; userSid: string }>(sql`
      select inbox_sid as "inboxSid", user_sid as "userSid" from assignment_turns
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = any (${inboxSids}::text[])
       order by inbox_sid for update`),
  ]);
  return new Map(rows.map(({ inboxSid, userSid }) => [inboxSid, userSid]));
}

async function countOpen(t: TenantTx, userSids: string[]): Promise<Map<string, number>> {
  if (userSids.length === 0) return new Map();
  const rows = await t.many<{ userSid: string; open: number }>(sql`
    select assignee_sid as "userSid", count(*)::integer as open from conversations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and assignee_sid = any (${userSids}::text[])
       and status = 'open' and merged_into is null
     group by assignee_sid`);
  return new Map(rows.map(({ userSid, open }) => [userSid, open]));
}
