// Who is to be told of something by mail: thought of once, when it has happened, and written down for each of them.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { NotificationCategory } from '../../../platform/notification-categories.ts';
import { readAudience } from '../audience-text.ts';
import { notificationType } from '../catalogue.ts';
import { peopleIn, recipientsAmong } from '../recipients.ts';
import { mailboxes, mailboxOf } from './mailboxes.ts';

const atOnce: ReadonlySet<NotificationCategory> = new Set(['security', 'incident', 'action_required']);
const gatheredForMs = 15 * 60_000;

/** What cannot wait goes by itself; everything else is gathered. */
export const isUrgent = (category: NotificationCategory) => atOnce.has(category);

export const mailDueAt = (category: NotificationCategory, happenedAt: Date): Date =>
  isUrgent(category) ? happenedAt : new Date(happenedAt.getTime() + gatheredForMs);

type Told = {
  id: string;
  type: string;
  category: NotificationCategory;
  audience: string;
  inboxSid: string | null;
  count: number;
  lastAt: string;
};

/** Queues the mail about a notification that happened, or happened again, since mail was last thought of. */
export async function queueMail(t: TenantTx, id: string): Promise<void> {
  const told = await t.maybe<Told>(sql`
    select id, type, category, audience, inbox_sid as "inboxSid", count, last_at as "lastAt" from notifications
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} and mailed_count < count`);
  const type = told && notificationType(told.type);
  if (!type) return;
  const addressed = { audience: readAudience(told.audience, told.inboxSid), needs: type.needs };
  for (let after: string | null = ''; after !== null; ) {
    const { userSids, next }: { userSids: string[]; next: string | null } = await peopleIn(
      t,
      addressed,
      after,
    );
    const recipients = await recipientsAmong(t, userSids, told.category);
    const wanting = recipients.filter(({ email }) => email).map(({ userSid }) => userSid);
    await queueFor(t, told, wanting);
    after = next;
  }
  await t.run(sql`
    update notifications set mailed_count = greatest(mailed_count, ${told.count})
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
}

/** Who was told by mail of something that happens again is told again only once they have read it: it is still news to them. */
async function queueFor(t: TenantTx, { id, category, count, lastAt }: Told, userSids: string[]) {
  if (userSids.length === 0) return;
  const dueAt = mailDueAt(category, new Date(lastAt));
  const queued = await t.many<{ userSid: string }>(sql`
    insert into notification_mails as m (account_sid, livemode, user_sid, notification_id, category, count, due_at)
    select ${t.accountSid}, ${t.livemode}, person.sid, ${id}::uuid, ${category}, ${count}, ${dueAt}::timestamptz
      from unnest(${userSids}::text[]) as person (sid)
    on conflict (account_sid, livemode, user_sid, notification_id) do update
      set count = excluded.count, due_at = excluded.due_at, letter = null, mailed_at = null
      where m.mailed_at is not null and m.count < excluded.count and exists (
        select from notification_reads r
         where r.account_sid = m.account_sid and r.livemode = m.livemode and r.principal = 'user:' || m.user_sid
           and r.notification_id = m.notification_id and r.count >= m.count)
    returning m.user_sid as "userSid"`);
  if (queued.length === 0) return;
  const due = queued.map(({ userSid }) => [mailboxOf(t.livemode, userSid), dueAt] as const);
  await mailboxes.announce(t, new Map(due));
}
