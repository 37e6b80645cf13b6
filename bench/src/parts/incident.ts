// An incident announced to many people: how fast the mail leaves, and that memory does not grow with their number.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { announce, notificationChannel } from '../../../server/src/modules/notifications/index.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { type Context, emptyRow, type Row } from '../part.ts';
import type { Godwit } from '../stage.ts';
import { residentMb } from '../usage.ts';

export const incidentPeople = 10_000;
const words = { title: 'Sending is slow', body: 'We are looking into it.' };

/** Without a mail server every mail is written into the outbox, so what is measured is all but the way to one. */
export async function measureIncident({ stage, say }: Context): Promise<Row> {
  say('preparing people');
  const godwit = await stage.startGodwit({ role: 'all', env: { SIMULATOR_PORT: '0' } });
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  try {
    await preparePeople(godwit, client);
    const before = (await residentMb(godwit.pid)) ?? 0;
    const startedMs = performance.now();
    await announceTo(godwit);
    say(`mailing ${incidentPeople.toLocaleString('en')} people`);
    const most = { first: before, second: before };
    let state = await progress(client);
    while (!state.isThrough) {
      await sleep(250);
      const half = state.mailed < incidentPeople / 2 ? 'first' : 'second';
      most[half] = Math.max(most[half], (await residentMb(godwit.pid)) ?? 0);
      state = await progress(client);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    const { mailed, announced } = state;
    const mb = Math.round;
    say(
      `memory ${mb(before)} MB before, at most ${mb(most.first)} MB over the first half of the mails and ${mb(most.second)} MB ` +
        `over the second; rows written for it: ${announced}`,
    );
    return {
      ...emptyRow,
      name: `incident to ${incidentPeople.toLocaleString('en')} people (mails/s)`,
      perSecond: mailed / seconds,
      serverRssMb: Math.max(most.first, most.second),
      errors: incidentPeople - mailed,
      firstError: mailed === incidentPeople ? null : 'not everybody was mailed',
    };
  } finally {
    await client.end();
  }
}

async function preparePeople(godwit: Godwit, client: pg.Client): Promise<void> {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
  const { accountSid } = await bootstrap(context, names);
  await core.database.close();
  await client.query(
    `insert into users (sid, organization_id, email, status, created_at, updated_at)
     select 'US01' || lpad(n::text, 24, '0'), a.organization_id, 'p' || n || '@example.com', 'ACTIVE', now(), now()
       from accounts a, generate_series(1, $2::integer) n where a.sid = $1`,
    [accountSid, incidentPeople],
  );
}

async function announceTo({ dataDir, databaseUrl }: Godwit): Promise<void> {
  const { database } = await openCore(readConfig({ DATA_DIR: dataDir }), databaseUrl, silentLog);
  const incident = { category: 'incident', words: { en: words, fr: words } } as const;
  await database.system((s) => announce(s, systemClock.now(), incident));
  database.tell(notificationChannel);
  await database.close();
}

type Progress = { mailed: number; announced: number; isThrough: boolean };

async function progress(client: pg.Client): Promise<Progress> {
  const { rows } = await client.query<Progress>(`
    select count(*) filter (where m.mailed_at is not null)::integer as mailed,
      (select count(*)::integer from announcements) as announced,
      bool_and(m.mailed_at is not null) and not exists (select from announcements where mailed_at is null) as "isThrough"
      from notification_mails m`);
  return rows[0]!;
}
