// What somebody is shown: the notifications of every audience they are of now, and what is announced to all, newest first. The
// words are made here, in the language of whoever reads.
import type { Tenant, TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { PageOf, Pager } from '../../platform/http/operations/pagination.ts';
import type { NotificationCategory } from '../../platform/notification-categories.ts';
import type {
  NotificationLocale,
  NotificationParams,
  NotificationWords,
} from '../../platform/notifications.ts';
import { principalName } from '../../platform/principal.ts';
import { localeOf } from '../identity/index.ts';
import { type Asking, inboxesJoined } from '../inboxes/index.ts';
import { audiencesOf, readingInbox, stillTheirs } from './audience.ts';
import { notificationType } from './catalogue.ts';
import type { Notification, NotificationQuery } from './schema.ts';

export type Row = {
  id: string;
  category: NotificationCategory;
  type: string;
  resource: string | null;
  params: NotificationParams | null;
  /** Of what is announced, which is written in every language. */
  words: Record<NotificationLocale, NotificationWords> | null;
  count: number;
  readAt: string | null;
  createdAt: string;
  lastAt: string;
  locale: NotificationLocale;
};

/** A condition on rows called `n`, and how many of them at most, newest first. */
type Wanted = { which: Sql; fetch: number };

type Page = Pick<Pager, 'after' | 'fetch'>;

export async function listNotifications(
  t: TenantTx,
  query: NotificationQuery,
  pager: Pager,
): Promise<PageOf<Notification>> {
  const rows = await t.many<Row>(feedQuery(t, query, pager));
  return pager.page(
    rows,
    ({ id }) => [id],
    (row) => toNotification(t, row),
  );
}

/** A page of the caller's feed, in one statement. */
export function feedQuery(t: Asking, { unread }: NotificationQuery, { after, fetch }: Page): Sql {
  const which = [
    sql`n.category <> all ((select hidden from me)::text[])`,
    ...(unread === undefined ? [] : [unread ? sql`r.read_at is null` : sql`r.read_at is not null`]),
    ...(after === null ? [] : [sql`n.id < ${after[0]}::uuid`]),
  ];
  return seenBy(t, { which: sql.join(which, sql` and `), fetch });
}

/** Reading twice is no error, and keeps the first time unless it has happened again since. */
export async function readNotification(t: TenantTx, id: string): Promise<Notification> {
  const row = await t.maybe<Row>(seenBy(t, { which: sql`n.id = ${id}::uuid`, fetch: 1 }));
  if (!row) throw new ApiError('NOT_FOUND');
  if (row.readAt !== null) return toNotification(t, row);
  const { readAt } = await t.one<{ readAt: string }>(sql`
    insert into notification_reads as r (account_sid, livemode, principal, notification_id, count, read_at)
    values (${t.accountSid}, ${t.livemode}, ${principalName(t.principal)}, ${id}, ${row.count}, ${t.now})
    on conflict (account_sid, livemode, principal, notification_id)
      do update set count = greatest(r.count, excluded.count), read_at = excluded.read_at
    returning read_at as "readAt"`);
  return toNotification(t, { ...row, readAt });
}

/** Each audience and the announcements are looked through by themselves, newest first, and no further than the page goes. */
function seenBy(t: Asking, wanted: Wanted): Sql {
  return sql`
    with me as materialized (${reader(t)}), joined as materialized (${inboxesJoined(t, readingInbox)})
    select found.*, me.locale from (
      select n.* from (${audiencesOf(t)}) as a cross join lateral (${addressed(t, wanted)}) as n
      union all
      (${announced(t, wanted)})) as found cross join me
     order by id desc limit ${wanted.fetch}`;
}

/** The language of whoever looks, and the categories they do not want to see. */
function reader({ accountSid, livemode, principal }: Asking): Sql {
  const own = sql`account_sid = ${accountSid} and livemode = ${livemode} and principal = ${principalName(principal)}`;
  const personal = principal.kind === 'user' ? localeOf(principal.ref) : sql`null`;
  return sql`
    select coalesce((select locale from notification_languages where ${own}), ${personal}, 'en') as locale,
      array(select category from notification_preferences where ${own} and not in_app) as hidden`;
}

const addressed = (t: Asking, { which, fetch }: Wanted) => sql`
  select n.id, n.category, n.type, n.resource, n.params, null::jsonb as words, n.count, r.read_at as "readAt",
    n.created_at as "createdAt", n.last_at as "lastAt"
    from notifications n left join lateral (${marks(t)}) as r on true
   where n.account_sid = ${t.accountSid} and n.livemode = ${t.livemode} and n.audience = a.audience
     and ${stillTheirs(t)} and ${which}
   order by n.id desc limit ${fetch}`;

const announced = (t: Asking, { which, fetch }: Wanted) => sql`
  select n.id, n.category, 'announcement.' || n.category as type, null as resource, null::jsonb as params, n.words,
    n.count, r.read_at as "readAt", n.created_at as "createdAt", n.created_at as "lastAt"
    from (select *, 1 as count from announcements) as n left join lateral (${marks(t)}) as r on true
   where ${which}
   order by n.id desc limit ${fetch}`;

/** When the caller read it as often as it has happened. */
const marks = (t: Asking) => sql`
  select m.read_at from notification_reads m
   where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.principal = ${principalName(t.principal)}
     and m.notification_id = n.id and m.count >= n.count`;

export function toNotification({ accountSid, livemode }: Tenant, row: Row): Notification {
  const { id, category, type, resource, count, readAt, createdAt, lastAt, locale } = row;
  const words = row.words?.[locale] ?? notificationType(type)!.texts[locale](row.params ?? {});
  return {
    object: 'notification',
    id,
    accountSid,
    livemode,
    category,
    type,
    ...words,
    resource,
    count,
    readAt,
    createdAt,
    lastAt,
  };
}
