// How a notification comes to be: gathered during a transaction and written with it. A transaction that has none of the
// registered types pays nothing.
import type { Flush, Share, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Notice, NotificationType } from '../../platform/notifications.ts';
import { audienceText, inboxOf } from './audience-text.ts';

const countedForMs = 24 * 60 * 60 * 1000;

/** Where it is told that there is something to be told. */
export const notificationChannel = 'notifications';

type Gathered = {
  id: string;
  type: string;
  category: string;
  audience: string;
  inboxSid: string | null;
  resource: string;
  params: string;
  dedupeKey: string;
  count: number;
};

/** Tells whoever `to` names, with this transaction. */
export function notify(t: TenantTx, type: NotificationType, notice: Notice): void {
  const { to, resource, params = { resource }, dedupeKey = resource } = notice;
  const audience = audienceText(to);
  t.atCommit(notificationLog, {
    id: newUuid(t.now),
    type: type.name,
    category: type.category,
    audience,
    inboxSid: inboxOf(to),
    resource,
    params: JSON.stringify(params),
    dedupeKey: `${type.name} ${audience} ${dedupeKey}`,
    count: 1,
  });
  t.tell(notificationChannel);
}

const notificationLog: Flush<Gathered> = {
  name: 'notifications',
  write: (shares) => shares.flatMap((share) => [closeOld(share), insertOrCount(share)]),
};

/** Keys that were last counted from more than a day ago begin anew. */
const closeOld = ({ t, items }: Share<Gathered>) => sql`
  update notifications set counting = false
   where account_sid = ${t.accountSid} and livemode = ${t.livemode} and counting
     and dedupe_key = any (${items.map(({ dedupeKey }) => dedupeKey)}::text[])
     and created_at <= ${new Date(t.now.getTime() - countedForMs)}`;

function insertOrCount({ t, items }: Share<Gathered>) {
  const rows = countedOnce(items);
  return sql`
    insert into notifications as n (account_sid, livemode, id, type, category, audience, inbox_sid, resource, params,
      dedupe_key, count, created_at, last_at)
    select ${t.accountSid}, ${t.livemode}, item.id, item.type, item.category, item.audience, item.inbox_sid, item.resource,
      item.params::jsonb, item.dedupe_key, item.count, ${t.now}::timestamptz, ${t.now}::timestamptz
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ type }) => type)}::text[],
        ${rows.map(({ category }) => category)}::text[], ${rows.map(({ audience }) => audience)}::text[],
        ${rows.map(({ inboxSid }) => inboxSid)}::text[], ${rows.map(({ resource }) => resource)}::text[],
        ${rows.map(({ params }) => params)}::text[], ${rows.map(({ dedupeKey }) => dedupeKey)}::text[],
        ${rows.map(({ count }) => count)}::integer[])
        as item (id, type, category, audience, inbox_sid, resource, params, dedupe_key, count)
    on conflict (account_sid, livemode, dedupe_key) where counting
      do update set count = n.count + excluded.count, resource = excluded.resource, params = excluded.params, 
        last_at = greatest(n.last_at, excluded.last_at)`;
}

/** One statement touches a row once, and all transactions touch them in one order. */
function countedOnce(items: Gathered[]): Gathered[] {
  const byKey = Map.groupBy(items, ({ dedupeKey }) => dedupeKey);
  return [...byKey.values()]
    .map((same) => ({ ...same.at(-1)!, count: same.length }))
    .sort((a, b) => (a.dedupeKey < b.dedupeKey ? -1 : 1));
}
