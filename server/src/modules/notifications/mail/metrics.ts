import { Counter, Gauge } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce, instruments } from '../../../platform/observability/metrics.ts';

/** How the attempts to send a mail ended: `sent`, `failed` (it is tried again) or `given_up`. */
export const mailMetrics = instruments((registers) => ({
  mails: new Counter({
    name: 'godwit_notification_mails_total',
    help: 'Attempts to send a mail about notifications, by how they ended',
    labelNames: ['outcome'] as const,
    registers,
  }),
}));

type State = { waiting: number; oldestSeconds: number };

/** What waits, asked of the database when somebody asks here. */
export function observeMail({ registry, database, now }: Observing): void {
  // When the database does not answer, what was told last stands.
  const ask = askedOnce(async () => (await waitingMail(database, now()))[0]);
  const gauge = (name: string, help: string, value: (state: State) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const state = await ask();
        if (state) this.set(value(state));
      },
    });
  gauge(
    'godwit_notification_mailboxes_waiting',
    'People for whom mail about notifications is waiting',
    ({ waiting }) => waiting,
  );
  gauge(
    'godwit_notification_mail_late_seconds',
    'How long the mail that is due longest has been due',
    ({ oldestSeconds }) => oldestSeconds,
  );
}

const waitingMail = (database: Database, now: Date) =>
  database.ask<State>(sql`
    select count(*)::integer as waiting,
      greatest(coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0), 0)::double precision as "oldestSeconds"
      from notification_mailboxes where due_at is not null`);
