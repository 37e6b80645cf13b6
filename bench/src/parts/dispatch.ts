// From acceptance to the stored report of delivery: the service on one side, the simulated provider as a process of its own on
// the other. First as fast as it goes, then at half that rate for the time from acceptance to hand-off.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { creditWallet } from '../../../server/src/modules/billing/index.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { newUuid } from '../../../server/src/platform/ids.ts';
import { money } from '../../../server/src/platform/money.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { acceptMessages } from '../accepted-messages.ts';
import { freePort } from '../free-port.ts';
import type { Context, Part, Row } from '../part.ts';
import { familyCpuSeconds, serverUsage } from '../usage.ts';
import { timeStops } from './dispatch-stops.ts';

const accountCount = 4;
const senderPerSecond = 1_000;
const leastPerSecond = 1_000;

export const dispatch: Part = {
  name: 'dispatch',
  description: 'accepted messages handed to a simulated provider and reported as delivered',
  async run(context) {
    const scene = await setScene(context);
    try {
      if (context.only.includes('stop')) return await drainWithStops(context, scene);
      const fastest = await drain(context, scene);
      if (context.only.includes('fast')) return [fastest];
      return [fastest, await keepHalf(context, scene, Math.round(fastest.perSecond / 2))];
    } finally {
      await scene.close();
    }
  },
};

type Account = { accountSid: string; senderSids: string[] };
type Scene = Awaited<ReturnType<typeof setScene>>;

async function setScene({ stage, say }: Context) {
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const env = {
    MASTER_KEY: randomBytes(32).toString('base64'),
    PORT: String(port),
    SIMULATOR_PORT: String(simulatorPort),
  };
  const simulator = await stage.startGodwit({ role: 'simulator', env });
  const control = (method: string, path: string, body?: object) =>
    fetch(`${simulator.url}/_control/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  await control('PATCH', 'settings', {
    sentMs: 20,
    deliveredMs: 40,
    throughputLimit: false,
    pairLimit: false,
    duplicateCallbacks: 0,
    reorderCallbacks: 0,
  });
  await control('POST', 'rules', { behaviour: { statuses: ['sent', 'delivered'] } });
  const service = await stage.startGodwit({ role: 'all', env: { ...env, SIMULATOR_URL: simulator.url } });
  const config = readConfig({ DATA_DIR: service.dataDir, MASTER_KEY: env.MASTER_KEY });
  const core = await openCore(config, service.databaseUrl, silentLog);
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  const context = { database: core.database, clock: systemClock, log: silentLog };
  say(`making ${accountCount} accounts with two senders each`);
  const accounts: Account[] = [];
  for (let i = 0; i < accountCount; i += 1) {
    const { accountSid } = await bootstrap(context, {
      organizationName: 'Bench',
      accountName: `Bench ${i}`,
      region: 'local',
    });
    await core.database.write({ accountSid, livemode: false }, asOperator(context, false), (t) =>
      creditWallet(t, { amount: money(10n ** 12n, 'USD', 6), reason: 'bench', reference: newUuid(t.now) }),
    );
    const { rows } = await pool.query<{ sid: string }>(
      'update senders set throughput_per_second = $2 where account_sid = $1 and not livemode returning sid',
      [accountSid, senderPerSecond],
    );
    accounts.push({ accountSid, senderSids: rows.map(({ sid }) => sid) });
  }
  let people = 10_000_000;
  return {
    stage,
    service,
    simulator,
    sealer: core.sealer,
    pool,
    accounts,
    control,
    async accept(count: number, account: Account, dueAt?: Date) {
      const firstPerson = people;
      people += count;
      const requestContext = asOperator(context, false);
      await core.database.write({ accountSid: account.accountSid, livemode: false }, requestContext, (t) =>
        acceptMessages(t, { count, senderSids: account.senderSids, firstPerson, dueAt: dueAt ?? t.now }),
      );
    },
    async counts(): Promise<{ delivered: number; ended: number }> {
      const { rows } = await pool.query<{ delivered: string; ended: string }>(
        `select count(*) filter (where status in ('delivered', 'read')) as delivered,
           count(*) filter (where status in ('delivered', 'read', 'failed', 'expired', 'unknown')) as ended
           from message_states`,
      );
      return { delivered: Number(rows[0]!.delivered), ended: Number(rows[0]!.ended) };
    },
    async close() {
      await pool.end();
      await core.database.close();
    },
  };
}

const later = new Date('2999-01-01T00:00:00Z');

/** Everything is accepted first and falls due at one moment; the rate is what reaches the end from then on. */
async function drain({ seconds, say }: Context, scene: Scene, meanwhile = () => {}): Promise<Row> {
  const total = Math.max(2_000, seconds * leastPerSecond);
  say(`accepting ${total} messages`);
  for (let done = 0; done < total; done += 500) {
    await scene.accept(500, scene.accounts[(done / 500) % accountCount]!, later);
  }
  await scene.pool.query('vacuum analyze');
  await scene.pool.query(
    `update message_states set due_at = now(), turn_at = now() + interval '5 seconds' where waiting`,
  );
  say('handing them over');
  const usage = await startUsage(scene);
  await scene.pool.query('update dispatch_lanes set due_at = now()');
  await scene.pool.query(`select pg_notify('dispatch', '')`);
  meanwhile();
  const memory = watchMemory(scene, total);
  await untilEnded(scene, total, say, memory.at);
  say(`memory of the service in MB as the messages pass: ${memory.told().join(', ')}`);
  return { ...(await usage.row('as fast as it goes', total)), ...(await errorsOf(scene, total)) };
}

/** The same while people ask to be left alone. */
async function drainWithStops(context: Context, scene: Scene): Promise<Row[]> {
  let stops: Promise<Row> | null = null;
  const fastest = await drain(context, scene, () => {
    stops = timeStops(scene);
  });
  return [fastest, await stops!];
}

async function untilEnded(
  scene: Scene,
  total: number,
  say: (text: string) => void,
  onCount: (ended: number) => Promise<void> = async () => {},
): Promise<void> {
  let last = { ended: -1, atMs: performance.now() };
  for (;;) {
    const beganMs = performance.now();
    const { ended } = await scene.counts();
    const tookMs = performance.now() - beganMs;
    if (ended >= total) return;
    if (ended > last.ended) last = { ended, atMs: performance.now() };
    if (performance.now() - last.atMs > 20_000) {
      say(`only ${ended} of ${total} came to an end`);
      return;
    }
    await onCount(ended);
    // Among a million messages counting takes long: it must stay a small part of what is measured.
    await sleep(Math.max(100, tookMs * 10));
  }
}

/** The service's memory as the messages pass: it should not grow with their number. */
function watchMemory({ service }: Scene, total: number) {
  const tenths: number[] = [];
  return {
    async at(ended: number): Promise<void> {
      const tenth = Math.floor((ended * 10) / total);
      if (tenths[tenth] === undefined) tenths[tenth] = (await serverUsage(service.url)).rssMb;
    },
    told: () => Object.entries(tenths).map(([tenth, mb]) => `${tenth}0 % ${Math.round(mb)}`),
  };
}

async function errorsOf(scene: Scene, total: number): Promise<Pick<Row, 'errors' | 'firstError'>> {
  const { delivered } = await scene.counts();
  const { rows } = await scene.pool.query(
    `select status, count(*) as n, min(error ->> 'message') as error from message_states
      where status not in ('delivered', 'read') group by 1`,
  );
  const accepted: { repeatedOpaque: number } = (await (await scene.control('GET', 'counts')).json()) as never;
  const errors = total - delivered + accepted.repeatedOpaque;
  return { errors, firstError: errors === 0 ? null : JSON.stringify({ rows, accepted }) };
}

async function startUsage({ stage, service }: Scene) {
  const read = async () => ({
    atMs: performance.now(),
    server: await serverUsage(service.url),
    database: await familyCpuSeconds(stage.postmasterPid),
  });
  const before = await read();
  return {
    async row(name: string, messages: number): Promise<Row> {
      const after = await read();
      const elapsedMs = after.atMs - before.atMs;
      const server = after.server.cpuSeconds - before.server.cpuSeconds;
      const database = after.database === null ? null : after.database - before.database!;
      return {
        name,
        perSecond: (messages * 1000) / elapsedMs,
        ratio: null,
        p50Ms: null,
        p99Ms: null,
        errors: 0,
        firstError: null,
        serverRssMb: after.server.rssMb,
        serverMicros: (server * 1e6) / messages,
        databaseMicros: database === null ? null : (database * 1e6) / messages,
        serverCpu: (server * 100_000) / elapsedMs,
        databaseCpu: database === null ? null : (database * 100_000) / elapsedMs,
        clientCpu: null,
      };
    },
  };
}

const tickMs = 25;

/** A steady stream; each message is timed from its acceptance to the moment the provider had it. */
async function keepHalf({ seconds, say }: Context, scene: Scene, perSecond: number): Promise<Row> {
  say(`accepting ${perSecond} a second`);
  const before = (await scene.counts()).ended;
  const {
    rows: [begin],
  } = await scene.pool.query('select max(sid) as sid from messages');
  const usage = await startUsage(scene);
  const startMs = performance.now();
  let accepted = 0;
  for (let turn = 0; performance.now() - startMs < seconds * 1000; turn += 1) {
    const owed = Math.floor(((performance.now() - startMs) / 1000) * perSecond) - accepted;
    if (owed > 0) {
      await scene.accept(owed, scene.accounts[turn % accountCount]!);
      accepted += owed;
    }
    await sleep(tickMs);
  }
  await untilEnded(scene, before + accepted, say);
  const row = await usage.row('at half of it, acceptance to hand-off', accepted);
  const waits = await handOffWaits(scene, begin.sid);
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] ?? null;
  return { ...row, p50Ms: at(0.5), p99Ms: at(0.99), ...(await errorsOf(scene, before + accepted)) };
}

/** Milliseconds from acceptance to the provider's own record of it, sorted. */
async function handOffWaits(scene: Scene, afterSid: string): Promise<number[]> {
  const { rows } = await scene.pool.query<{ sid: string; atMs: string }>(
    `select sid, extract(epoch from created_at) * 1000 as "atMs" from messages where sid > $1`,
    [afterSid],
  );
  const acceptedAtMs = new Map(rows.map(({ sid, atMs }) => [sid, Number(atMs)]));
  const waits: number[] = [];
  for (let after = 0; ; ) {
    const page = (await (await scene.control('GET', `messages?after=${after}&limit=1000`)).json()) as {
      data: { opaque: string; atMs: number }[];
      after: number;
    };
    if (page.data.length === 0) break;
    for (const { opaque, atMs } of page.data) {
      const acceptedMs = acceptedAtMs.get(opaque);
      if (acceptedMs !== undefined) waits.push(atMs - acceptedMs);
    }
    after = page.after;
  }
  return waits.sort((a, b) => a - b);
}
