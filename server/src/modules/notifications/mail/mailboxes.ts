// A person's mailbox: a lane in which mail is due at an instant, and what was sent to it of late. One process at a time sends
// to a person, so that what comes together is told together, and nothing twice.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { type Lane, lanesOf } from '../../../platform/queue/lanes.ts';
import { isHeld } from '../../../platform/queue/lease.ts';

export type Mailbox = Lane<'mailbox'>;

export const mailboxes = lanesOf({ table: 'notification_mailboxes', column: 'mailbox', key: 'mailbox' });

export const mailboxOf = (livemode: boolean, userSid: string) =>
  `${livemode ? 'live' : 'sandbox'}:${userSid}`;

export const ownerOf = ({ mailbox }: Mailbox): string => mailbox.slice(mailbox.indexOf(':') + 1);

const mailsPerDay = 20;
const thenEveryMs = 60 * 60_000;

const isThis = (mailbox: Mailbox) =>
  sql`account_sid = ${mailbox.accountSid} and mailbox = ${mailbox.mailbox} and ${isHeld(mailbox)}`;

type Sent = { mailedOn: string | null; mailedThatDay: number; lastMailedAt: string | null; failures: number };

/** Locks the mailbox and tells what was sent to it; null where another process holds it by now. */
export async function lockMailbox(t: TenantTx, mailbox: Mailbox): Promise<Sent | null> {
  const sent = await t.maybe<Sent>(sql`
    select mailed_on::text as "mailedOn", mailed_that_day as "mailedThatDay", last_mailed_at as "lastMailedAt", failures
      from notification_mailboxes where ${isThis(mailbox)} for no key update`);
  return sent ?? null;
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/** How often a person may be written to: after many mails in a day, once an hour, and then about everything at once. */
export function paceOf({ mailedOn, mailedThatDay, lastMailedAt }: Sent, now: Date) {
  if (mailedOn !== dayOf(now) || mailedThatDay < mailsPerDay || lastMailedAt === null)
    return { isSlowed: false, notBefore: null };
  const next = new Date(new Date(lastMailedAt).getTime() + thenEveryMs);
  return { isSlowed: true, notBefore: next > now ? next : null };
}

export async function countMail(t: TenantTx, mailbox: Mailbox): Promise<void> {
  const today = dayOf(t.now);
  await t.run(sql`
    update notification_mailboxes
       set mailed_that_day = case when mailed_on = ${today}::date then mailed_that_day + 1 else 1 end,
         mailed_on = ${today}::date, last_mailed_at = ${t.now}, failures = 0
     where ${isThis(mailbox)}`);
}

export async function countFailure(t: TenantTx, mailbox: Mailbox): Promise<void> {
  await t.run(sql`update notification_mailboxes set failures = failures + 1 where ${isThis(mailbox)}`);
}

/** What waits for a person. */
const waiting = (
  t: TenantTx,
  userSid: string,
) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
  and user_sid = ${userSid} and mailed_at is null`;

export const waitingFor = (t: TenantTx, mailbox: Mailbox): Sql => waiting(t, ownerOf(mailbox));

/** Gives the mailbox back, due when what waits in it is, and not before `notBefore`. */
export async function giveBack(t: TenantTx, mailbox: Mailbox, notBefore: Date | null): Promise<void> {
  const next = sql`(select min(due_at) from notification_mails where ${waitingFor(t, mailbox)})`;
  // Nothing may wait: then there is no instant, however late.
  await mailboxes.giveBack(
    t,
    mailbox,
    notBefore
      ? sql`(select greatest(first, ${notBefore}::timestamptz) from ${next} as found (first) where first is not null)`
      : next,
  );
}
