// Messages go when their time is over: their content first, the whole of them later. What was charged for them stays in the ledger.
// To be called while `removing`, with a stretch of at most some thousand messages.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { blankEvents } from '../../../platform/events.ts';
import { removeFilesOf } from '../../media/index.ts';
import type { Extras } from '../messages.ts';
import type { Stretch } from '../states/countable-messages.ts';
import { type Exceptions, inStretch, isRemovable } from './removable.ts';

export type Files = { files: number; bytes: number };

const contentInEvents = ['content', 'text', 'variables', 'context'];

/** The messages stay, without what was said in them. Tells which it took. */
export async function removeContents(
  t: TenantTx,
  stretch: Stretch,
  exceptions: Exceptions,
): Promise<string[]> {
  const rows = await t.many<{ sid: string; extras: Extras | null }>(sql`
    update messages m set content = null, content_removed_at = ${t.now}
      from message_states s
     where ${inStretch(t, stretch)} and ${isRemovable(t, 'contents', exceptions)}
    returning m.sid, case when m.extras::text ~ '"(variables|context)"' then m.extras end as extras`);
  await shortenExtras(
    t,
    rows.flatMap(({ sid, extras }) => (extras === null ? [] : [{ sid, extras }])),
  );
  return rows.map(({ sid }) => sid);
}

/** Not by PostgreSQL, whose functions refuse what people can write. */
async function shortenExtras(t: TenantTx, rows: { sid: string; extras: Extras }[]): Promise<void> {
  if (rows.length === 0) return;
  const kept = rows.map(({ extras: { variables: _, context: __, ...others } }) => JSON.stringify(others));
  await t.run(sql`
    update messages m set extras = item.extras::json
      from unnest(${rows.map(({ sid }) => sid)}::text[], ${kept}::text[]) as item (sid, extras)
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = item.sid`);
}

/** Nothing of them stays but what was paid, once `removeRest` was called for those it tells. */
export async function removeMessages(
  t: TenantTx,
  stretch: Stretch,
  exceptions: Exceptions,
): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    delete from messages m using message_states s
     where ${inStretch(t, stretch)} and ${isRemovable(t, 'messages', exceptions)}
    returning m.sid`);
  return rows.map(({ sid }) => sid);
}

/** What belongs to messages that are gone. */
export async function removeRest(t: TenantTx, sids: readonly string[]): Promise<void> {
  if (sids.length === 0) return;
  const own = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;
  const gone = [...sids];
  await Promise.all([
    t.run(sql`delete from message_states where ${own} and sid = any (${gone}::text[])`),
    t.run(sql`delete from message_attempts where ${own} and message_sid = any (${gone}::text[])`),
    t.run(sql`delete from provider_messages where ${own} and message_sid = any (${gone}::text[])`),
  ]);
}

/** The files that only these messages carried, and what events that still wait for somebody tell of them. */
export async function removeCopies(t: TenantTx, sids: readonly string[]): Promise<Files> {
  if (sids.length === 0) return { files: 0, bytes: 0 };
  const [files] = await Promise.all([removeFilesOf(t, sids), blankEvents(t, sids, contentInEvents)]);
  return files;
}

/** The last of the next so many messages of a stretch, and how many of them have their content; null when there is none. */
export async function endOfBatch(
  t: TenantTx,
  { from, before }: Stretch,
  size: number,
): Promise<{ last: string; withContent: number } | null> {
  const { last, withContent } = await t.one<{ last: string | null; withContent: number }>(sql`
    select max(sid) as last, count(*) filter (where content_removed_at is null)::integer as "withContent" from (
      select sid, content_removed_at from messages
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid >= ${from} and sid < ${before}
       order by sid limit ${size}) as batch`);
  return last === null ? null : { last, withContent };
}

/** The first message of a stretch that still has its content. */
export async function firstWithContent(t: TenantTx, { from, before }: Stretch): Promise<string | null> {
  const row = await t.maybe<{ sid: string }>(sql`
    select sid from messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid >= ${from} and sid < ${before} and content_removed_at is null
     order by sid limit 1`);
  return row?.sid ?? null;
}
