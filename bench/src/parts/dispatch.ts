// From acceptance to the stored report of delivery: the service on one side, the simulated provider as a process of its own on
// the other. First as fast as it goes, then at half that rate for the time from acceptance to hand-off.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ofCheckout } from '../checkout.ts';
import { freePort } from '../free-port.ts';
import type { Context, Part, Row } from '../part.ts';
import { ownCheckout } from '../stage.ts';
import { familyCpuSeconds, serverUsage } from '../usage.ts';
import { timeStops } from './dispatch-stops.ts';

const accountCount = 4;
const senderPerSecond = 1_000;
const leastPerSecond = 1_000;

export const dispatch: Part = {
  name: 'dispatch',
  description: 'accepted messages handed to a simulated provider and reported as delivered',
  async run(context) {
    const checkouts = [ownCheckout, ...(context.against ? [context.against] : [])];
    const scenes: Scene[] = [];
    try {
      for (const checkout of checkouts) scenes.push(await setScene(context, checkout));
      if (context.only.includes('stop')) return await drainWithStops(context, scenes[0]!);
      const fastest =
        scenes.length === 1 ? [await drain(context, scenes[0]!)] : await inTurns(context, scenes);
      if (context.only.includes('fast')) return fastest;
      return [...fastest, await keepHalf(context, scenes[0]!, Math.round(fastest[0]!.perSecond / 2))];
    } finally {
      for (const scene of scenes) await scene.close();
    }
  },
};

type Account = { accountSid: string; senderSids: string[] };
type Scene = Awaited<ReturnType<typeof setScene>>;

async function setScene({ stage, say }: Context, checkout: string) {
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const env = {
    MASTER_KEY: randomBytes(32).toString('base64'),
    PORT: String(port),
    SIMULATOR_PORT: String(simulatorPort),
  };
  const simulator = await stage.startGodwit({ checkout, role: 'simulator', env });
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
  const service = await stage.startGodwit({
    checkout,
    role: 'all',
    env: { ...env, SIMULATOR_URL: simulator.url },
  });
  say(`making ${accountCount} accounts with two senders each`);
  const theirs = await ofCheckout<typeof import('../messages-due.ts')>(checkout, 'messages-due.ts');
  const { payers, sealer, accept, close } = await theirs.openPayers(service, env.MASTER_KEY, accountCount);
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  const accounts: Account[] = [];
  for (const { accountSid } of payers) {
    const { rows } = await pool.query<{ sid: string }>(
      'update senders set throughput_per_second = $2 where account_sid = $1 and not livemode returning sid',
      [accountSid, senderPerSecond],
    );
    accounts.push({ accountSid, senderSids: rows.map(({ sid }) => sid) });
  }
  let accepted = 0;
  return {
    stage,
    service,
    simulator,
    sealer,
    pool,
    accounts,
    fallDue: theirs.fallDue,
    control,
    accepted: () => accepted,
    async accept(count: number, account: Account, dueAt: Date | null = null) {
      const firstPerson = 10_000_000 + accepted;
      accepted += count;
      await accept(account, { count, firstPerson, dueAt });
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
      await close();
    },
  };
}

const later = new Date('2999-01-01T00:00:00Z');
const turns = 5;

/** Two checkouts in turns: each handles a part of its messages while the other rests. */
async function inTurns(context: Context, scenes: Scene[]): Promise<Row[]> {
  const rows: Row[][] = scenes.map(() => []);
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const [at, scene] of scenes.entries()) {
      const row = await drain({ ...context, seconds: context.seconds / turns }, scene);
      if (turn > 0) rows[at]!.push(row); // the first is to warm up
    }
  }
  return rows.map((own, at) => middleOf(own, at === 0 ? '' : ' [against]'));
}

function middleOf(rows: Row[], suffix: string): Row {
  const middle = (field: (row: Row) => number | null) =>
    rows.map((row) => field(row) ?? 0).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)]!;
  return {
    ...rows.at(-1)!,
    name: `${rows[0]!.name}${suffix}`,
    perSecond: middle(({ perSecond }) => perSecond),
    serverMicros: middle(({ serverMicros }) => serverMicros),
    databaseMicros: middle(({ databaseMicros }) => databaseMicros),
    walBytes: middle(({ walBytes }) => walBytes ?? null),
    walRecords: middle(({ walRecords }) => walRecords ?? null),
  };
}

/** Everything is accepted first and falls due at one moment; the rate is what reaches the end from then on. */
async function drain({ seconds, say }: Context, scene: Scene, meanwhile = () => {}): Promise<Row> {
  const total = Math.ceil(Math.max(2_000, seconds * leastPerSecond) / 500) * 500;
  say(`accepting ${total} messages`);
  for (let done = 0; done < total; done += 500) {
    await scene.accept(500, scene.accounts[(done / 500) % accountCount]!, later);
  }
  await scene.pool.query('vacuum analyze');
  await scene.pool.query(scene.fallDue.messages);
  say('handing them over');
  await scene.stage.statements?.reset();
  const usage = await startUsage(scene);
  await scene.pool.query(scene.fallDue.lanes);
  meanwhile();
  const memory = watchMemory(scene);
  await untilEnded(scene, say, memory.at);
  say(`memory of the service in MB as the messages pass: ${memory.told().join(', ')}`);
  const told = await scene.stage.statements?.told(total);
  if (told) say(['for each message:', ...told].join('\n  '));
  return { ...(await usage.row('as fast as it goes', total)), ...(await errorsOf(scene)) };
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
  say: (text: string) => void,
  onCount: (ended: number) => Promise<void> = async () => {},
): Promise<void> {
  let last = { ended: -1, atMs: performance.now() };
  for (;;) {
    const beganMs = performance.now();
    const { ended } = await scene.counts();
    const tookMs = performance.now() - beganMs;
    if (ended >= scene.accepted()) return;
    if (ended > last.ended) last = { ended, atMs: performance.now() };
    if (performance.now() - last.atMs > 20_000) {
      say(`only ${ended} of ${scene.accepted()} came to an end`);
      return;
    }
    await onCount(ended);
    // Among a million messages counting takes long: it must stay a small part of what is measured.
    await sleep(Math.max(100, tookMs * 10));
  }
}

/** The service's memory as the messages pass: it should not grow with their number. */
function watchMemory({ service, accepted }: Scene) {
  const tenths: number[] = [];
  return {
    async at(ended: number): Promise<void> {
      const tenth = Math.floor((ended * 10) / accepted());
      if (tenths[tenth] === undefined) tenths[tenth] = (await serverUsage(service.url)).rssMb;
    },
    told: () => Object.entries(tenths).map(([tenth, mb]) => `${tenth}0 % ${Math.round(mb)}`),
  };
}

async function errorsOf(scene: Scene): Promise<Pick<Row, 'errors' | 'firstError'>> {
  const { delivered } = await scene.counts();
  const { rows } = await scene.pool.query(
    `select status, count(*) as n, min(error ->> 'message') as error from message_states
      where status not in ('delivered', 'read') group by 1`,
  );
  const accepted: { repeatedOpaque: number } = (await (await scene.control('GET', 'counts')).json()) as never;
  const errors = scene.accepted() - delivered + accepted.repeatedOpaque;
  return { errors, firstError: errors === 0 ? null : JSON.stringify({ rows, accepted }) };
}

async function startUsage({ stage, service }: Scene) {
  const read = async () => ({
    atMs: performance.now(),
    server: await serverUsage(service.url),
    database: await familyCpuSeconds(stage.postmasterPid),
  });
  const from = await stage.wal.end();
  const before = await read();
  return {
    async row(name: string, messages: number): Promise<Row> {
      const after = await read();
      const wal = await stage.wal.since(from);
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
        walBytes: wal.bytes / messages,
        walRecords: wal.records / messages,
      };
    },
  };
}

const tickMs = 25;

/** A steady stream; each message is timed from its acceptance to the moment the provider had it. */
async function keepHalf({ seconds, say }: Context, scene: Scene, perSecond: number): Promise<Row> {
  say(`accepting ${perSecond} a second`);
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
  await untilEnded(scene, say);
  const row = await usage.row('at half of it, acceptance to hand-off', accepted);
  const waits = await handOffWaits(scene, begin.sid);
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] ?? null;
  return { ...row, p50Ms: at(0.5), p99Ms: at(0.99), ...(await errorsOf(scene)) };
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
