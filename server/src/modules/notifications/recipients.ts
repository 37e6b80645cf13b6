// Who is told by mail: the people of an audience as it is now, a page at a time, with what each of them wants.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { NotificationCategory } from '../../platform/notification-categories.ts';
import type { Audience, NotificationLocale } from '../../platform/notifications.ts';
import { activePeople, type Person } from '../identity/index.ts';
import { membersAmong, membersOf } from '../inboxes/index.ts';
import { holdersOf } from '../roles/index.ts';
import { readingInbox } from './audience.ts';
import { preferencesFor } from './preferences.ts';

const pageSize = 500;

/** A page of people, by SID; `next` is where the following page begins, null when there is none. */
export type People = { userSids: string[]; next: string | null };

/** `needs` is what the type asks of a single person. Keys get no mail and are nobody here. */
export async function peopleIn(
  t: TenantTx,
  { audience, needs }: { audience: Audience; needs: string | null },
  after = '',
  limit = pageSize,
): Promise<People> {
  if ('principal' in audience) {
    const userSids = await personIn(t, audience, needs);
    return { userSids: userSids.filter((sid) => sid > after), next: null };
  }
  if ('scope' in audience) {
    const userSids = await holdersOf(t, audience.scope, { after, limit });
    return { userSids, next: nextAfter(userSids, limit) };
  }
  const members = await membersOf(t, audience.part, { after, limit });
  const userSids = await holdersOf(t, readingInbox, { inboxSid: audience.part, among: members });
  return { userSids, next: nextAfter(members, limit) };
}

/** Whether somebody is still of an audience. */
export async function isIn(
  t: TenantTx,
  { audience, needs }: { audience: Audience; needs: string | null },
  userSid: string,
): Promise<boolean> {
  if ('principal' in audience) return (await personIn(t, audience, needs)).includes(userSid);
  const among = [userSid];
  if ('scope' in audience) return (await holdersOf(t, audience.scope, { among })).length > 0;
  const asked = { inboxSid: audience.part, userSid };
  if (!(await membersAmong(t, [asked]))(asked)) return false;
  return (await holdersOf(t, readingInbox, { inboxSid: audience.part, among })).length > 0;
}

const nextAfter = (page: string[], limit: number) => (page.length < limit ? null : page.at(-1)!);

async function personIn(
  t: TenantTx,
  { principal, part: inbox = null }: Extract<Audience, { principal: string }>,
  needs: string | null,
): Promise<string[]> {
  const userSid = userOf(principal);
  if (userSid === null) return [];
  const among = [userSid];
  if (needs === null) return among;
  const onAccount = await holdersOf(t, needs, { among });
  if (onAccount.length > 0 || inbox === null) return onAccount;
  const isMember = await membersAmong(t, [{ inboxSid: inbox, userSid }]);
  return isMember({ inboxSid: inbox, userSid }) ? holdersOf(t, needs, { inboxSid: inbox, among }) : [];
}

const userOf = (principal: string): string | null => /^user:(.+)$/.exec(principal)?.[1] ?? null;

/** Somebody who can be written to, and what they want of a category. */
export type Recipient = Person & { email: boolean; locale: NotificationLocale };

/** Those of these people who are active, each with whether mail of the category is wanted and in which language. */
export async function recipientsAmong(
  t: TenantTx,
  userSids: readonly string[],
  category: NotificationCategory,
): Promise<Recipient[]> {
  const people = await activePeople(t, userSids);
  const wanted = await preferencesFor(
    t,
    people.map(({ userSid }) => userSid),
    category,
  );
  return people.map((person) => {
    const { email, locale } = wanted(person.userSid);
    return { ...person, email, locale: locale ?? person.locale };
  });
}

/** Which of these people have not read these notifications, or not since they last happened. */
export async function unreadAmong(
  t: TenantTx,
  notificationIds: readonly string[],
  userSids: readonly string[],
): Promise<(notificationId: string, userSid: string) => boolean> {
  const rows = await t.many<{ id: string; principal: string }>(sql`
    select r.notification_id as id, r.principal from notification_reads r
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode}
       and r.principal = any (${userSids.map((sid) => `user:${sid}`)}::text[])
       and r.notification_id = any (${[...notificationIds]}::uuid[])
       and r.count >= coalesce((select n.count from notifications n
         where n.account_sid = r.account_sid and n.id = r.notification_id), 1)`);
  const read = new Set(rows.map(({ id, principal }) => `${id} ${principal}`));
  return (id, userSid) => !read.has(`${id} user:${userSid}`);
}
