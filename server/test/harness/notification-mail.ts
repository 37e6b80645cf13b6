// Mail about notifications, sent to a mail server of the test: queued and sent by hand, up to where nothing is due.
import { Registry } from 'prom-client';
import { createMailer } from '../../src/adapters/email/mailer.ts';
import { beginMailing } from '../../src/modules/notifications/mail/send-mail.ts';
import {
  type NotificationCategory,
  notificationCategories,
} from '../../src/platform/notification-categories.ts';
import { startTestApp } from './app.ts';
import type { Lifetime } from './lifetime.ts';
import { readMail, startMailServer } from './mail-server.ts';
import { type Person, person } from './people.ts';
import { loopContext } from './webhooks.ts';

export const publicUrl = 'https://godwit.example';

type Options = Parameters<typeof startMailServer>[1];

export async function startNotifyingApp(lifetime: Lifetime, options: Options = {}) {
  const server = await startMailServer(lifetime, options);
  const app = await startTestApp(lifetime, { env: { PUBLIC_URL: publicUrl } });
  const mailFrom = 'Godwit <no-reply@godwit.example>';
  const mailer = createMailer({ smtpUrl: server.url, mailFrom, dataDir: '/nowhere' });
  lifetime.after(() => mailer.close());
  const context = await loopContext(app, lifetime);
  const registry = new Registry();
  const mailing = beginMailing({ ...context, ports: { mailer } as never, metrics: { registry } as never });
  const live = { accountSid: app.accountSid, livemode: true, key: app.liveKey };
  return {
    ...app,
    /** Where notifications of the live environment belong. */
    live,
    /** The live environment of an account that nobody else is told in. */
    newLive: async () => {
      const { accountSid, liveKey } = await app.newAccount();
      return { accountSid, livemode: true, key: liveKey };
    },
    /** Somebody who has signed in to the live environment. */
    livePerson: (given: Parameters<typeof person>[1] = {}) => person(app, { livemode: true, ...given }),
    /** Sends everything that is due now. */
    async sendMail() {
      for (let more = true; more; ) more = await mailing.turn();
    },
    /** What somebody got so far, as a mail program reads it. */
    mailsTo: ({ email }: Pick<Person, 'email'>) =>
      Promise.all(server.received.filter(({ to }) => to.includes(email)).map(({ raw }) => readMail(raw))),
    refused: server.refused,
    mailMetrics: () => registry.metrics(),
    prefer: (who: Person, category: NotificationCategory, email: boolean) =>
      app.put(
        `/v1/accounts/${who.accountSid}/notification-preferences`,
        { category, email, inApp: true },
        who.headers,
      ),
    /** Mail of every category, whether it is sent by default or not. */
    async wantAllMail(who: Person) {
      for (const category of notificationCategories) await this.prefer(who, category, true);
    },
  };
}

export type NotifyingApp = Awaited<ReturnType<typeof startNotifyingApp>>;
