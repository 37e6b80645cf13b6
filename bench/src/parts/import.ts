// An import of contacts with consents, beside COPY of the very same rows into the very same tables.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { contactImport, storeWhole } from '../../../server/src/modules/contact-files/index.ts';
import { startOperation } from '../../../server/src/modules/operations/index.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { emptyRow, type Part, type Row } from '../part.ts';
import { familyCpuSeconds, serverUsage } from '../usage.ts';

const size = Number(process.env.BENCH_IMPORT ?? 1_000_000);
const aim = 0.25;
/** In the order of their references. */
const tables = ['contacts', 'contact_identifiers', 'consents', 'consent_states', 'events'];

export const imports: Part = {
  name: 'import',
  description: `${size.toLocaleString('en')} contacts with consent from a CSV file (BENCH_IMPORT), beside COPY of the same rows`,
  async run({ stage, say }) {
    const godwit = await stage.startGodwit({ role: 'all' });
    const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
    const context = { database: core.database, clock: systemClock, log: silentLog };
    const client = new pg.Client({ connectionString: godwit.databaseUrl });
    await client.connect();
    try {
      const account = await bootstrap(context, { organizationName: 'B', accountName: 'B', region: 'local' });
      const tenant = { accountSid: account.accountSid, livemode: false };
      say(`importing ${size.toLocaleString('en')} contacts`);
      const { sid } = await core.database.write(tenant, asOperator(context, false), async (t) => {
        const operation = await startOperation(t, contactImport, { format: 'csv' });
        await storeWhole(t, operation.sid, 'source', 'csv', Buffer.from(csv()));
        return operation;
      });
      const micros = async <T>(work: () => Promise<T>) => {
        const before = await familyCpuSeconds(stage.postmasterPid);
        const result = await work();
        const after = await familyCpuSeconds(stage.postmasterPid);
        const databaseMicros = before === null || after === null ? null : ((after - before) / size) * 1e6;
        return { result, databaseMicros };
      };
      const before = await serverUsage(godwit.url);
      const imported = await micros(() => follow(client, godwit.url, sid));
      const { cpuSeconds } = await serverUsage(godwit.url);
      const { seconds, rssMb } = imported.result;
      say('copying the same rows');
      const copied = await micros(() => copySeconds(client));
      return [
        row('COPY of the same rows', size / copied.result, { databaseMicros: copied.databaseMicros }),
        row('import', size / seconds, {
          ratio: copied.result / seconds,
          serverRssMb: rssMb,
          serverMicros: ((cpuSeconds - before.cpuSeconds) / size) * 1e6,
          databaseMicros: imported.databaseMicros,
          aim,
        }),
      ];
    } finally {
      await client.end();
      await core.database.close();
    }
  },
};

function csv(): string {
  const lines = Array.from(
    { length: size },
    (_, n) =>
      `+3361${String(n).padStart(7, '0')},Inès Martin ${n},fr,Europe/Paris,gold,MARKETING,OPTED_IN,2026-01-15T09:30:00Z\n`,
  );
  return `phone,displayName,locale,timezone,attributes.plan,consent.purpose,consent.status,consent.evidence.capturedAt\n${lines.join('')}`;
}

/** From the moment the work begins to its end, and the most memory the process took meanwhile. */
async function follow(client: pg.Client, url: string, sid: string) {
  let rssMb = 0;
  for (;;) {
    rssMb = Math.max(rssMb, (await serverUsage(url)).rssMb);
    const { rows } = await client.query(
      'select state, error, extract(epoch from finished_at - started_at) as seconds from operations where sid = $1',
      [sid],
    );
    const [{ state, error, seconds }] = rows;
    if (state === 'SUCCEEDED') return { seconds: Number(seconds), rssMb };
    if (state === 'FAILED') throw new Error(`the import failed: ${JSON.stringify(error)}`);
    await sleep(250);
  }
}

/** The rows go out of the tables and in again, with every index, reference and trigger as they are. */
async function copySeconds(client: pg.Client): Promise<number> {
  const folder = (await client.query("select current_setting('data_directory') as folder")).rows[0].folder;
  const file = (table: string) => `${folder}/bench-${table}.copy`;
  for (const table of tables) await client.query(`copy ${table} to '${file(table)}'`);
  await client.query(`set session_replication_role = replica`);
  for (const table of tables.toReversed()) await client.query(`truncate ${table} cascade`);
  await client.query(`set session_replication_role = origin`);
  const beganMs = performance.now();
  for (const table of tables) {
    // Identifiers come before their contacts only within a transaction; here the contacts are there already.
    await client.query(`copy ${table} from '${file(table)}'`);
  }
  return (performance.now() - beganMs) / 1000;
}

function row(name: string, perSecond: number, known: Partial<Row>): Row {
  return { ...emptyRow, name, perSecond, ...known };
}
