// Sends the mail about notifications. A turn thinks of who is to be told of what happened, takes the mailboxes in which
// something is due, and sends to each of them at most one mail. All that must survive is in the database.
import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newRequestId } from '../../../platform/ids.ts';
import type { Loop, LoopContext, Turns } from '../../../platform/jobs/claim-loop.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { AddresseeRefused } from '../../mails/index.ts';
import { notificationTypes } from '../catalogue.ts';
import { notificationChannel } from '../notify.ts';
import { type Letter, markFailed, markSent, nextLetter } from './letters.ts';
import { type Mailbox, mailboxes, ownerOf } from './mailboxes.ts';
import { mailMetrics } from './metrics.ts';
import { queueAnnouncement } from './queue-announcement.ts';
import { queueMail } from './queue-mail.ts';

// How many people are written to at once: each takes a connection to the mail server, and for a moment one to the database.
const mailsAtOnce = 16;
const queuedAtOnce = 50;

/** One that a newer process wrote is left to it. */
const unmailed = () =>
  sql`mailed_count < count and type = any (${notificationTypes().map(({ name }) => name)}::text[])`;

export const sendMail: Loop = {
  name: 'notifications.mail',
  toldOn: [notificationChannel],
  nextDue: (processId) => sql`least(${mailboxes.nextDue(processId)},
    (select min(last_at) from notifications where ${unmailed()}),
    (select min(created_at) from announcements where mailed_at is null))`,
  apartMs: 100,
  begin: beginMailing,
};

export function beginMailing(context: LoopContext): Turns {
  const { database, now, log, ports, processId, signal } = context;
  const { mails } = mailMetrics(context.metrics);
  const as = (livemode: boolean) => ({
    principal: systemPrincipal('notifications.mail', livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  });

  /** One that cannot be thought of stays for the next turn, and keeps no other from theirs. */
  async function queue(): Promise<boolean> {
    const found = await database.ask<Tenant & { id: string }>(sql`
      select account_sid as "accountSid", livemode, id from notifications where ${unmailed()}
       order by last_at limit ${queuedAtOnce}`);
    let queued = 0;
    for (const { id, ...tenant } of found) {
      try {
        await database.write(tenant, as(tenant.livemode), (t) => queueMail(t, id));
        queued += 1;
      } catch (error) {
        log.error({ err: error, notification: id }, 'the mail about a notification cannot be queued');
      }
    }
    const announced = await database.system((s) => queueAnnouncement(s, now()));
    return queued > 0 || announced;
  }

  async function take(): Promise<Mailbox[]> {
    const asking = { processId, now: now() };
    return database.system(async (s) => {
      // Nothing is held between turns: what is held all the same could not be given back.
      const { unknown } = await mailboxes.lookAfter(s, { ...asking, known: [] });
      return [...unknown, ...(await mailboxes.lease(s, { ...asking, most: mailsAtOnce }))];
    });
  }

  async function serve(mailbox: Mailbox): Promise<void> {
    const write = <T>(work: (t: TenantTx) => Promise<T>) =>
      database.write(mailbox, as(mailbox.livemode), work);
    try {
      const letter = await write((t) => nextLetter(t, mailbox));
      if (!letter) return;
      const failure = await send(letter);
      if (!failure) return await write((t) => markSent(t, mailbox, letter.id));
      const isFinal = failure instanceof AddresseeRefused;
      const next = await write((t) => markFailed(t, mailbox, letter.id, isFinal));
      mails.inc({ outcome: next === 'later' ? 'failed' : 'given_up' });
      const about = { err: failure, account: mailbox.accountSid, user: ownerOf(mailbox) };
      log.warn(about, `a mail about notifications failed: ${next}`);
    } catch (error) {
      // It stays with this process, which finds it at its next turn.
      log.warn(
        { err: error, account: mailbox.accountSid, user: ownerOf(mailbox) },
        'a mailbox cannot be served',
      );
    }
  }

  async function send({ mail }: Letter): Promise<unknown> {
    try {
      await ports.mailer.send(mail);
      mails.inc({ outcome: 'sent' });
      return null;
    } catch (error) {
      return error ?? new Error('a mail failed');
    }
  }

  return {
    async turn() {
      const queued = await queue();
      if (signal.aborted) return false;
      const taken = await take();
      await Promise.all(taken.map(serve));
      return queued || taken.length > 0;
    },
  };
}
