// Uploads beside a bare stream to disk: the same bytes, received by Node's own server and flushed the same way.
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import type { Part, Row } from '../part.ts';
import type { Godwit } from '../stage.ts';
import { serverUsage } from '../usage.ts';

const diskServer = fileURLToPath(new URL('../disk-server.ts', import.meta.url));
const rounds = 5;
const sizes = [
  { name: '100 KiB', bytes: 100 * 1024, files: 40 },
  { name: '16 MiB', bytes: 16 * 1024 * 1024, files: 4 },
];

export const media: Part = {
  name: 'media',
  description: 'files per second taken by form, beside a bare stream to disk',
  async run({ stage, say }) {
    const godwit = await stage.startGodwit();
    const account = await prepare(godwit);
    const disk = await stage.startScript(diskServer, { FOLDER: godwit.dataDir });
    const rows: Row[] = [];
    for (const size of sizes) {
      const bare: number[] = [];
      const ours: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        say(`${size.name}, round ${round} of ${rounds}`);
        const file = randomBytes(size.bytes);
        const toDisk = await rate(size.files, () => put(disk.url, file));
        const uploaded = await rate(size.files, () => upload(godwit, account, file));
        if (round === 0) continue; // warm-up
        bare.push(toDisk);
        ours.push(uploaded);
      }
      const { rssMb } = await serverUsage(godwit.url);
      const ratio = median(ours.map((perSecond, i) => perSecond / bare[i]!));
      rows.push(row(`bare stream to disk, ${size.name}`, median(bare), null, null));
      rows.push(row(`upload, ${size.name}`, median(ours), ratio, rssMb));
    }
    return rows;
  },
};

async function rate(files: number, send: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const lanes = 4;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let i = 0; i < files / lanes; i += 1) await send();
    }),
  );
  return files / ((performance.now() - startedAt) / 1000);
}

async function put(url: string, file: Buffer): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(file) });
  await answer.text();
  if (answer.status !== 200) throw new Error(`the bare server answered ${answer.status}`);
}

async function upload(godwit: Godwit, { sid, key }: Account, file: Buffer): Promise<void> {
  // Each file is new: what is already there would not be written again.
  const fresh = new Uint8Array(file);
  fresh.set(randomBytes(16));
  const body = new FormData();
  body.append('file', new Blob([fresh]), 'file.bin');
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() };
  const answer = await fetch(`${godwit.url}/v1/accounts/${sid}/media`, { method: 'POST', body, headers });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`an upload was answered ${answer.status} ${text}`);
}

type Account = { sid: string; key: string };

async function prepare(godwit: Godwit): Promise<Account> {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const made = await bootstrap(context, { organizationName: 'Bench', accountName: 'Bench', region: 'local' });
  await core.database.close();
  return { sid: made.accountSid, key: made.sandboxKey };
}

function row(name: string, perSecond: number, ratio: number | null, serverRssMb: number | null): Row {
  const unknown = { p50Ms: null, p99Ms: null, serverMicros: null, databaseMicros: null };
  const cpu = { serverCpu: null, databaseCpu: null, clientCpu: null };
  return { name, perSecond, ratio, errors: 0, firstError: null, serverRssMb, ...unknown, ...cpu };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
