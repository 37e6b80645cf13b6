// `godwit doctor`: looks at what the service stands on and says what to do about it.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createMediaScanner } from '../../adapters/scanner/media-scanner.ts';
import { createMediaStore } from '../../adapters/storage/media-store.ts';
import { daysUntil, findVersion, nextVersion, servedVersion } from '../../modules/provider/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { type Connection, connect } from '../../platform/db/connect.ts';
import { pendingMigrations } from '../../platform/db/setup/migrate.ts';
import { createSpool } from '../../platform/spool.ts';
import type { Config } from '../settings.ts';
import { reasonOf } from './reason.ts';

export type Finding = { name: string; verdict: 'ok' | 'warning' | 'problem'; says: string; remedy?: string };

const ok = (name: string, says: string): Finding => ({ name, verdict: 'ok', says });

export async function examine(config: Config, databaseUrl: string): Promise<Finding[]> {
  let client: Connection;
  try {
    client = await connect(databaseUrl, { timeoutMs: 5_000 });
  } catch (error) {
    const remedy = 'Check DATABASE_URL, and that PostgreSQL runs and accepts this user.';
    return [{ name: 'database', verdict: 'problem', says: `does not answer: ${reasonOf(error)}`, remedy }];
  }
  try {
    return [
      await version(client),
      await migrations(client),
      await roles(client),
      await clockDifference(client),
      await disk(config),
      await queue(client),
      ...(await media(config)),
      mail(config),
      payments(config),
      ...providerVersionsOf(config, systemClock.now()),
    ];
  } finally {
    await client.end();
  }
}

async function version(client: Connection): Promise<Finding> {
  const { rows } = await client.query<{ number: number; text: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as text",
  );
  const { number, text } = rows[0]!;
  if (number >= 160_000) return ok('database', `PostgreSQL ${text} answers`);
  return {
    name: 'database',
    verdict: 'problem',
    says: `PostgreSQL ${text} is too old`,
    remedy: 'Use PostgreSQL 16 or newer.',
  };
}

async function migrations(client: Connection): Promise<Finding> {
  const { migrations: pending, total } = await pendingMigrations(client);
  if (pending.length === 0) return ok('migrations', `all ${total} applied`);
  const says = `${pending.length} of ${total} not applied`;
  return {
    name: 'migrations',
    verdict: 'problem',
    says,
    remedy: 'Run "godwit migrate", or start the service once.',
  };
}

async function roles(client: Connection): Promise<Finding> {
  const { rows } = await client.query<{ can: boolean }>(
    `select bool_and(to_regrole(name) is not null and pg_has_role(current_user, to_regrole(name), 'set')) as can
       from unnest(array['godwit_tenant', 'godwit_system', 'godwit_search', 'godwit_ledger']) as name`,
  );
  if (rows[0]?.can) return ok('roles', 'the serving roles exist and can be used');
  const remedy =
    'Let the database user create roles, or run server/migrations/0001_roles.sql as one who may.';
  return { name: 'roles', verdict: 'problem', says: 'the serving roles are missing or not granted', remedy };
}

async function clockDifference(client: Connection): Promise<Finding> {
  const before = systemClock.now().getTime();
  const { rows } = await client.query<{ ms: string }>(
    'select extract(epoch from clock_timestamp()) * 1000 as ms',
  );
  const middle = (before + systemClock.now().getTime()) / 2;
  const seconds = Math.abs(Number(rows[0]!.ms) - middle) / 1000;
  if (seconds < 1) return ok('clock', 'this machine and the database agree');
  const says = `differs from the database's by ${seconds.toFixed(1)} s`;
  const verdict = seconds < 30 ? 'warning' : 'problem';
  return {
    name: 'clock',
    verdict,
    says,
    remedy: 'Synchronize both machines by NTP: signatures allow 5 minutes.',
  };
}

const gibibyte = 1024 ** 3;

async function disk(config: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(config.dataDir));
  const free = (bavail * bsize) / gibibyte;
  const says = `${free.toFixed(1)} GiB free at ${config.dataDir}`;
  if (free >= 2) return ok('disk', says);
  return {
    name: 'disk',
    verdict: free < 0.5 ? 'problem' : 'warning',
    says,
    remedy: 'Free space, or move DATA_DIR.',
  };
}

/** The data folder, or the folder it would be made in. */
function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

async function queue(client: Connection): Promise<Finding> {
  const found = await client.query("select from pg_proc where proname = 'queue_state'");
  if (found.rowCount === 0)
    return { name: 'queue', verdict: 'warning', says: 'is not there yet', remedy: 'Run "godwit migrate".' };
  const { rows } = await client.query<{ due: number; oldestSeconds: number }>('select * from queue_state()');
  const { due, oldestSeconds } = rows[0]!;
  const says =
    due === 0 ? 'no job is waiting' : `${due} jobs due, the oldest for ${Math.round(oldestSeconds)} s`;
  if (oldestSeconds < 60) return ok('queue', says);
  return {
    name: 'queue',
    verdict: oldestSeconds < 600 ? 'warning' : 'problem',
    says,
    remedy: 'Start a worker, or more of them.',
  };
}

/** Where media is kept, and who scans it. A folder that is not there yet is made with the first file, not by looking. */
async function media(config: Config): Promise<Finding[]> {
  if (config.mediaStore === null && !existsSync(config.dataDir)) {
    return [ok('media', `will be kept in ${config.dataDir}`)];
  }
  const store = createMediaStore(config, createSpool(join(config.dataDir, 'spool')));
  const scanner = createMediaScanner(config);
  const look = async (name: string, check: () => Promise<void>, says: string, remedy: string) =>
    check().then(
      () => ok(name, says),
      (error): Finding => ({ name, verdict: 'problem', says: reasonOf(error), remedy }),
    );
  return [
    await look('media', store.check, 'the store takes files', 'Check MEDIA_STORE and its credentials.'),
    await look(
      'scanner',
      scanner.check,
      `${scanner.name} looks at media`,
      'Check CLAMD_URL, and that ClamAV runs.',
    ),
  ];
}

/** Where mail goes, and what would keep mail programs from believing it. Nothing is sent by looking. */
export function mail({ smtpUrl, mailFrom, dkimDomain, publicUrl, dataDir }: Config): Finding {
  if (smtpUrl === null) return ok('mail', `is laid into ${join(dataDir, 'outbox')}, without a mail server`);
  const says = `goes to ${new URL(smtpUrl).host}${dkimDomain ? `, signed for ${dkimDomain}` : ', unsigned'}`;
  const from = /@([^@>]+)>?$/.exec(mailFrom)![1]!.toLowerCase();
  const signed = dkimDomain?.toLowerCase() ?? null;
  const isAligned = signed === null || from === signed || from.endsWith(`.${signed}`);
  const remedies = [
    ...(isAligned
      ? []
      : [`Sign for the domain of MAIL_FROM, ${from}: a signature of another counts for little.`]),
    ...(publicUrl?.startsWith('https:')
      ? []
      : ['Set PUBLIC_URL to an https address: mail programs offer to unsubscribe only there.']),
  ];
  if (remedies.length === 0) return ok('mail', says);
  return { name: 'mail', verdict: 'warning', says, remedy: remedies.join(' ') };
}

function payments({ paymentSecretKey, paymentWebhookSecrets }: Config): Finding {
  const name = 'payments';
  if (paymentSecretKey === null) return ok(name, 'no live ones are taken: PAYMENT_SECRET_KEY is not set');
  if (paymentWebhookSecrets.length > 0) return ok(name, 'live ones are taken');
  const remedy = 'Set PAYMENT_WEBHOOK_SECRET, so that payments are heard of at once and not after minutes.';
  return { name, verdict: 'warning', says: 'live ones are taken, and their webhooks are not', remedy };
}

const environments = [
  { name: 'live', variable: 'PROVIDER_API_VERSION' },
  { name: 'sandbox', variable: 'SANDBOX_PROVIDER_API_VERSION' },
] as const;

/** The version each environment speaks; they are one finding where they speak the same. */
export function providerVersionsOf(
  { providerApiVersion: live, sandboxApiVersion }: Pick<Config, 'providerApiVersion' | 'sandboxApiVersion'>,
  now: Date,
): Finding[] {
  if (sandboxApiVersion === null || sandboxApiVersion === live)
    return [versionFinding('provider', live, environments[0].variable, now)];
  return environments.map(({ name, variable }) =>
    versionFinding(`provider, ${name}`, name === 'live' ? live : sandboxApiVersion, variable, now),
  );
}

const warnDays = 90;
const urgentDays = 30;
const lastDays = 7;

/** Warned of 90, 30 and 7 days before a version ends, ever more plainly: afterwards another one answers without a word. */
function versionFinding(name: string, version: string, variable: string, now: Date): Finding {
  const endsOn = findVersion(version)?.endsOn ?? null;
  const left = endsOn && daysUntil(endsOn, now);
  if (left === null) return ok(name, `${version} is spoken; no end of it is announced`);
  const about = endsOn!.precision === 'MONTH' ? `in the month of ${endsOn!.date}` : `on ${endsOn!.date}`;
  if (left > warnDays) return ok(name, `${version} is spoken, and ends ${about}`);
  const next = nextVersion(version, now)?.version;
  const move = next
    ? `Set ${variable} to ${next}; "godwit provider contract --version ${next}" tries it first.`
    : 'See what the provider has announced.';
  if (left <= 0) {
    const says = `${version} ended ${about}: ${servedVersion(version, now)} answers in its place`;
    return { name, verdict: 'problem', says, remedy: move };
  }
  const days = left === 1 ? '1 day' : `${left} days`;
  const says = `${version} ends ${about}, in ${days}`;
  if (left <= lastDays)
    return { name, verdict: 'problem', says, remedy: `${move} Within the week, another version answers.` };
  return { name, verdict: 'warning', says, remedy: left <= urgentDays ? `${move} A month is left.` : move };
}
