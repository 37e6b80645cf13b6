// An account of a thousand people and a hundred thousand notifications, made inside the database and gone with it.
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { startSession } from '../../../server/src/modules/identity/sessions/sessions.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import type { Godwit } from '../stage.ts';

export const people = 1_000;
export const notifications = 100_000;
const inboxes = 50;

export type Prepared = { accountSid: string; tokens: string[] };

const numbered = (prefix: string, n: string) => `'${prefix}01' || lpad((${n})::text, 24, '0')`;
// Grows with n, as the ids of the service grow with time.
const idOf = (n: string) => `('01990000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** A tenth administrators, a tenth who only look, the rest agents of one inbox each. Everybody has read a hundred. */
export async function prepareFeeds(godwit: Godwit): Promise<Prepared> {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const { accountSid } = await bootstrap(context, {
    organizationName: 'Bench',
    accountName: 'Bench',
    region: 'local',
  });
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  const fill = (text: string) => client.query(text.replaceAll(':account', `'${accountSid}'`));
  const ofAccount = 'from accounts a, generate_series(0, :n - 1) n where a.sid = :account';
  const each = (count: number) => ofAccount.replace(':n', String(count));
  const user = numbered('US', 'n');
  await fill(`insert into users (sid, organization_id, email, status, created_at, updated_at)
    select ${user}, a.organization_id, 'p' || n || '@example.com', 'ACTIVE', now(), now() ${each(people)}`);
  await fill(`insert into inboxes (account_sid, livemode, sid, name, created_at, updated_at)
    select :account, false, ${numbered('IB', 'n')}, 'Inbox ' || n, now(), now() ${each(inboxes)}`);
  await fill(`insert into inbox_members (account_sid, livemode, inbox_sid, user_sid, created_at)
    select :account, false, ${numbered('IB', `n % ${inboxes}`)}, ${user}, now() ${each(people)}`);
  await fill(`insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
      scope_kind, environment, created_by, created_at)
    select gen_random_uuid(), a.organization_id, :account, case when n % 10 > 1 then ${numbered('IB', `n % ${inboxes}`)} end,
      'USER', ${user}, coalesce((array['ADMIN', 'VIEWER'])[n % 10 + 1], 'AGENT'), case when n % 10 > 1 then 'INBOX' else 'ACCOUNT' end,
      'both', 'bench', now() ${each(people)}`);
  await fill(`insert into notifications (account_sid, livemode, id, type, category, audience, inbox_sid, resource, params,
      dedupe_key, counting, mailed_count, created_at, last_at)
    select :account, false, ${idOf('n')}, kind.type, kind.category, kind.audience, null, ${numbered('TM', 'n')},
      jsonb_build_object('resource', ${numbered('TM', 'n')}), 'bench ' || n, true, 1, now(), now()
      from generate_series(0, ${notifications - 1}) n cross join lateral (select * from (values
        (0, 'template.rejected', 'template_status', 'scope:wabas:write'),
        (1, 'api_key.created', 'security', 'scope:audit:read'),
        (2, 'conversation.opened', 'conversation', 'inbox:' || ${numbered('IB', `n % ${inboxes}`)}),
        (3, 'conversation.opened', 'conversation', 'inbox:' || ${numbered('IB', `n / 7 % ${inboxes}`)}),
        (4, 'template.approved', 'template_status', 'user:' || ${numbered('US', `n / 5 % ${people}`)}))
        as k (place, type, category, audience) where k.place = n % 5) as kind`);
  await fill(`insert into notification_reads (account_sid, livemode, principal, notification_id, count, read_at)
    select :account, false, 'user:' || ${user}, ${idOf(`${notifications} - 1 - r * 3`)}, 1, now()
      from generate_series(0, ${people - 1}) n, generate_series(0, 99) r`);
  await client.query('vacuum analyze');
  const [{ organizationId }] = (
    await client.query('select organization_id as "organizationId" from accounts where sid = $1', [
      accountSid,
    ])
  ).rows;
  await client.end();
  const tokens = await core.database.system(async (s) => {
    const made: string[] = [];
    for (let n = 0; n < people; n += 1) {
      const { token } = await startSession(s, systemClock.now(), {
        organizationId,
        userSid: `US01${String(n).padStart(24, '0')}`,
        livemode: false,
        methods: ['password'],
        providerId: null,
        address: '127.0.0.1',
        userAgent: 'bench',
        absoluteTimeoutHours: 24,
      });
      made.push(token);
    }
    return made;
  });
  await core.database.close();
  return { accountSid, tokens };
}
