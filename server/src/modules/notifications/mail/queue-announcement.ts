// The mail about an announcement, for everybody there is: a page of people in each transaction, which also remembers how far it
// came. A process that dies costs nothing, and no list of people is ever held whole.
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { AnnouncedCategory } from '../../../platform/notification-categories.ts';
import { homeAccounts } from '../../accounts/index.ts';
import { everybody, type Person } from '../../identity/index.ts';
import { defaultFor } from '../preferences.ts';
import { mailboxOf } from './mailboxes.ts';
import { mailDueAt } from './queue-mail.ts';

const pageSize = 500;

type Row = { id: string; category: AnnouncedCategory; upTo: string; createdAt: string };

/** Queues the next page of the oldest announcement that is not through; false when there is none. */
export async function queueAnnouncement(s: SystemTx, now: Date): Promise<boolean> {
  const row = await s.maybe<Row>(sql`
    select id, category, mailed_up_to as "upTo", created_at as "createdAt" from announcements
     where mailed_at is null order by created_at limit 1 for no key update skip locked`);
  if (!row) return false;
  const people = await everybody(s, row.upTo, pageSize);
  await queueFor(s, row, await wanting(s, row.category, people));
  const upTo = people.at(-1)?.userSid ?? row.upTo;
  const isThrough = people.length < pageSize;
  await s.run(sql`
    update announcements set mailed_up_to = ${upTo}, mailed_at = ${isThrough ? now : null}::timestamptz where id = ${row.id}`);
  return true;
}

type Wanting = { userSid: string; accountSid: string };

/**
 * An announcement belongs to no account, and what somebody wants of it may stand in any of theirs: what they said last counts, and
 * their mail then comes in the name of that account, so that its link changes the same switch.
 */
async function wanting(s: SystemTx, category: AnnouncedCategory, people: Person[]): Promise<Wanting[]> {
  const principals = people.map(({ userSid }) => `user:${userSid}`);
  const said = await s.many<{ principal: string; accountSid: string; email: boolean }>(sql`
    select distinct on (principal) principal, account_sid as "accountSid", email from notification_preferences
     where principal = any (${principals}::text[]) and category = ${category} and livemode
     order by principal, updated_at desc`);
  const last = new Map(said.map((one) => [one.principal, one]));
  const homes = await homeAccounts(s, [...new Set(people.map(({ organizationId }) => organizationId))]);
  return people.flatMap(({ userSid, organizationId }) => {
    const own = last.get(`user:${userSid}`);
    const accountSid = own?.accountSid ?? homes.get(organizationId);
    const isWanted = own?.email ?? defaultFor(category, true).email;
    return isWanted && accountSid !== undefined ? [{ userSid, accountSid }] : [];
  });
}

async function queueFor(s: SystemTx, { id, category, createdAt }: Row, people: Wanting[]): Promise<void> {
  if (people.length === 0) return;
  const dueAt = mailDueAt(category, new Date(createdAt));
  const [accountSids, userSids] = [people.map((one) => one.accountSid), people.map((one) => one.userSid)];
  const boxes = userSids.map((userSid) => mailboxOf(true, userSid));
  await s.run(sql`
    insert into notification_mails (account_sid, livemode, user_sid, notification_id, category, count, due_at)
    select person.account_sid, true, person.sid, ${id}::uuid, ${category}, 1, ${dueAt}::timestamptz
      from unnest(${accountSids}::text[], ${userSids}::text[]) as person (account_sid, sid)
    on conflict (account_sid, livemode, user_sid, notification_id) do nothing`);
  await s.run(sql`
    insert into notification_mailboxes as box (account_sid, livemode, mailbox, due_at)
    select person.account_sid, true, person.mailbox, ${dueAt}::timestamptz
      from unnest(${accountSids}::text[], ${boxes}::text[]) as person (account_sid, mailbox)
     order by person.account_sid, person.mailbox
    on conflict (account_sid, mailbox) do update set due_at = least(box.due_at, excluded.due_at)`);
}
