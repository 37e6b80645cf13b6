// What the operator tells everybody: one row for all accounts and people, each of whom reads it for themselves.
import type { SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newUuid } from '../../platform/ids.ts';
import type { AnnouncedCategory } from '../../platform/notification-categories.ts';
import type { NotificationLocale, NotificationWords } from '../../platform/notifications.ts';

export type NewAnnouncement = {
  category: AnnouncedCategory;
  words: Record<NotificationLocale, NotificationWords>;
};
export type Announcement = NewAnnouncement & { id: string; createdAt: string };

const columns = sql`id, category, words, created_at as "createdAt"`;

export function announce(
  s: SystemTx,
  now: Date,
  { category, words }: NewAnnouncement,
): Promise<Announcement> {
  return s.one<Announcement>(sql`
    insert into announcements (id, category, words, created_at)
    values (${newUuid(now)}, ${category}, ${JSON.stringify(words)}::jsonb, ${now})
    returning ${columns}`);
}

export async function findAnnouncement(s: SystemTx, id: string): Promise<Announcement | null> {
  return (await s.maybe<Announcement>(sql`select ${columns} from announcements where id = ${id}`)) ?? null;
}
