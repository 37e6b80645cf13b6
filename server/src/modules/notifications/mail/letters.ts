// The next mail to a person. What it tells is chosen and written down before it is sent: should the process die between the mail
// server's yes and our writing that down, the repeat is the same mail with the same Message-ID.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { NotificationCategory } from '../../../platform/notification-categories.ts';
import type {
  NotificationLocale,
  NotificationParams,
  NotificationWords,
} from '../../../platform/notifications.ts';
import { organizationName } from '../../accounts/index.ts';
import { type Mail, oneLine } from '../../mails/index.ts';
import { readAudience } from '../audience-text.ts';
import { notificationType } from '../catalogue.ts';
import { isIn, type Recipient, recipientsAmong, unreadAmong } from '../recipients.ts';
import { unsubscribeUrl } from '../unsubscribe/tokens.ts';
import {
  countFailure,
  countMail,
  giveBack,
  lockMailbox,
  type Mailbox,
  ownerOf,
  paceOf,
  waitingFor,
} from './mailboxes.ts';
import { isUrgent } from './queue-mail.ts';
import { composeLetter, type Notice } from './words.ts';

export type Letter = { id: string; mail: Mail };

type Waiting = {
  id: string;
  category: NotificationCategory;
  dueAt: string;
  letter: string | null;
  /** Of a notification; null for an announcement. */
  type: string | null;
  params: NotificationParams | null;
  audience: string | null;
  inboxSid: string | null;
  count: number;
  words: Record<NotificationLocale, NotificationWords> | null;
};

/**
 * The mail that is due to a person, fixed from the commit on. Without one the mailbox is given back until something is due; null
 * also where the mailbox is another's by now.
 */
export async function nextLetter(t: TenantTx, mailbox: Mailbox): Promise<Letter | null> {
  const sent = await lockMailbox(t, mailbox);
  if (!sent) return null;
  const { recipient, wanted } = await stillWanted(t, mailbox);
  const begun = wanted.filter(({ letter }) => letter !== null);
  const pace = paceOf(sent, t.now);
  const chosen = begun.length > 0 ? begun : pace.notBefore ? [] : due(wanted, t.now, pace.isSlowed);
  const [first, ...others] = chosen;
  if (!recipient || !first) {
    await giveBack(t, mailbox, pace.notBefore);
    return null;
  }
  const id = first.letter ?? newUuid(t.now);
  await t.run(sql`
    update notification_mails set letter = ${id}
     where ${waitingFor(t, mailbox)} and notification_id = any (${chosen.map((one) => one.id)}::uuid[])`);
  return { id, mail: await compose(t, id, recipient, [first, ...others]) };
}

/** More than that share no mail: the rest is in the next. */
const mostTogether = 100;

/** What waits for a person and is still news to them; whatever is not is forgotten. */
async function stillWanted(t: TenantTx, mailbox: Mailbox) {
  const waiting = await t.many<Waiting>(sql`
    select m.notification_id as id, m.category, m.due_at as "dueAt", m.letter, n.type, n.params, n.audience,
      n.inbox_sid as "inboxSid", coalesce(n.count, 1) as count, a.words
      from (select * from notification_mails where ${waitingFor(t, mailbox)}
        order by letter nulls last, notification_id limit ${mostTogether}) as m
      left join notifications n on n.account_sid = m.account_sid and n.livemode = m.livemode and n.id = m.notification_id
      left join announcements a on a.id = m.notification_id
     order by m.notification_id`);
  const userSid = ownerOf(mailbox);
  const ids = waiting.map(({ id }) => id);
  const people = new Map<NotificationCategory, Recipient | undefined>();
  for (const category of new Set(waiting.map((one) => one.category)))
    people.set(category, (await recipientsAmong(t, [userSid], category))[0]);
  const isUnread = await unreadAmong(t, ids, [userSid]);
  const isTheirs = await stillTheirs(t, userSid, waiting);
  const wanted = waiting.filter(
    (one) => people.get(one.category)?.email === true && isUnread(one.id, userSid) && isTheirs(one),
  );
  const unwanted = ids.filter((id) => !wanted.some((one) => one.id === id));
  if (unwanted.length > 0)
    await t.run(sql`
      delete from notification_mails where ${waitingFor(t, mailbox)} and notification_id = any (${unwanted}::uuid[])`);
  const recipient = wanted[0] && people.get(wanted[0].category);
  return { recipient: recipient ?? null, wanted };
}

/** Whether somebody is still of the audience of each; most share one, which is looked at once. */
async function stillTheirs(t: TenantTx, userSid: string, waiting: Waiting[]) {
  const nameOf = ({ type, audience, inboxSid }: Waiting) => `${type} ${audience} ${inboxSid}`;
  const theirs = new Map<string, boolean>();
  for (const one of waiting) {
    const { type, audience, inboxSid } = one;
    if (type === null || audience === null || theirs.has(nameOf(one))) continue;
    const known = notificationType(type);
    const addressed = known && { audience: readAudience(audience, inboxSid), needs: known.needs };
    theirs.set(nameOf(one), addressed !== null && (await isIn(t, addressed, userSid)));
  }
  // What is announced is for everybody.
  return (one: Waiting) => one.words !== null || theirs.get(nameOf(one)) === true;
}

/**
 * What shares the next mail. Each urgent category goes by itself, so that its link turns off nothing else; all others go together
 * as soon as one of them has waited long enough. After too many mails in a day everything goes together.
 */
function due(wanted: Waiting[], now: Date, isSlowed: boolean): Waiting[] {
  const isDue = ({ dueAt }: Waiting) => new Date(dueAt) <= now;
  const first = wanted.find((one) => isDue(one) && isUrgent(one.category)) ?? wanted.find(isDue);
  if (!first) return [];
  if (isSlowed) return wanted.toSorted((a, b) => rank(a) - rank(b));
  return isUrgent(first.category)
    ? wanted.filter(({ category }) => category === first.category)
    : wanted.filter(({ category }) => !isUrgent(category));
}

const rank = ({ category }: Waiting) => (isUrgent(category) ? 0 : 1);

async function compose(
  t: TenantTx,
  id: string,
  recipient: Recipient,
  chosen: [Waiting, ...Waiting[]],
): Promise<Mail> {
  const { userSid, organizationId, address, name, locale } = recipient;
  const [first, ...others] = chosen;
  const noticeOf = ({ words, type, params, count }: Waiting): Notice => ({
    words: words?.[locale] ?? notificationType(type!)!.texts[locale](params ?? {}),
    count,
  });
  const categories = [...new Set(chosen.map(({ category }) => category))].sort();
  const url = await unsubscribeUrl(t, userSid, categories);
  const composed = composeLetter({
    locale,
    name,
    organization: await organizationName(t, organizationId),
    accountSid: t.accountSid,
    livemode: t.livemode,
    notices: [noticeOf(first), ...others.map(noticeOf)],
    categories,
    unsubscribeUrl: url,
  });
  const listId = `${categories.length === 1 ? categories[0] : 'several'}.${t.accountSid}.notifications`;
  return {
    to: { name: oneLine(name ?? ''), address },
    ...composed,
    id,
    list: { id: listId, unsubscribeUrl: url },
  };
}

/** Writes down that a mail is out; in the name of a mailbox that was lost, nothing. */
export async function markSent(t: TenantTx, mailbox: Mailbox, letterId: string): Promise<void> {
  if (!(await lockMailbox(t, mailbox))) return;
  await t.run(sql`
    update notification_mails set mailed_at = ${t.now} where ${waitingFor(t, mailbox)} and letter = ${letterId}`);
  await countMail(t, mailbox);
  await giveBack(t, mailbox, null);
}

const firstWaitMs = 60_000;
const longestWaitMs = 60 * 60_000;
const newsForMs = 3 * 24 * 60 * 60_000;

/**
 * A mail that failed is tried again, ever more rarely, until it is no news any more; one that was refused for good is not. What is
 * given up stands among the notifications all the same.
 */
export async function markFailed(
  t: TenantTx,
  mailbox: Mailbox,
  letterId: string,
  isFinal: boolean,
): Promise<'later' | 'given up'> {
  const sent = await lockMailbox(t, mailbox);
  if (!sent) return 'later';
  const oldest = new Date(t.now.getTime() - newsForMs);
  const ended = await t.run(sql`
    update notification_mails set mailed_at = ${t.now}
     where ${waitingFor(t, mailbox)} and letter = ${letterId} and (${isFinal} or due_at < ${oldest})`);
  await countFailure(t, mailbox);
  const waitMs = Math.min(firstWaitMs * 2 ** Math.min(sent.failures, 10), longestWaitMs);
  await giveBack(t, mailbox, new Date(t.now.getTime() + waitMs));
  return ended > 0 ? 'given up' : 'later';
}
