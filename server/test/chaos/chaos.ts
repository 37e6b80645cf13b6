// Load, kills and faults at once, and then the question whether anything was lost, doubled or left behind.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCore } from '../../src/main/process/core.ts';
import { bootstrap } from '../../src/main/process/demo.ts';
import { readConfig } from '../../src/main/settings.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { patience } from '../harness/app.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { call, until } from '../process/godwit.ts';
import { openAnswer, runCustomers } from './customers.ts';
import { type Account, runLoad } from './load.ts';
import { type Machines, startMachines } from './machines.ts';
import { eventsAhead, type Findings, type Handed, verify } from './verify.ts';

type Options = {
  seconds: number;
  seed: number;
  perSecond: number;
  accounts?: number;
  say(text: string): void;
};

export type Report = Findings & {
  seed: number;
  acknowledged: number;
  repeats: number;
  handedOver: number;
  /** How many customers wrote the word that starts a workflow. */
  asked: number;
  /** How many messages of customers the service took, whatever they said. The provider loses a few. */
  taken: number;
  kills: Record<string, number>;
  settledMs: number;
  endedByThemselves: string[];
};

/** Faults of the provider, each with how likely it is. */
const faults = [
  { behaviour: { answer: 'lost' }, probability: 0.03 },
  { behaviour: { answer: 'closed-before' }, probability: 0.02 },
  { behaviour: { answer: 'bad-gateway-accepted' }, probability: 0.02 },
  { behaviour: { refuse: { code: 131_000, http: 500 } }, probability: 0.05 },
  { behaviour: { fail: { code: 131_026, afterSent: true } }, probability: 0.03 },
  { behaviour: { statuses: ['read', 'delivered', 'sent'] }, probability: 0.1 },
];
const noise = { duplicateCallbacks: 0.2, reorderCallbacks: 0.2, loseCallbacks: 0.02, readMs: 800 };

export async function runChaos(lifetime: Lifetime, options: Options): Promise<Report> {
  const { seconds, seed, perSecond, accounts: count = 2, say } = options;
  const machines = await startMachines(lifetime);
  const accounts = await openAccounts(machines, count);
  const witness = witnessAt(machines.simulatorUrl);
  const answering = accounts.filter((_, at) => at % 2 === 0);
  for (const account of answering) await openAnswer(machines.apiUrl, account);
  await until('the numbers are known', async () => (await witness.accepted()) >= answering.length, 120_000);
  await witness.change('PATCH', 'settings', noise);
  for (const fault of faults) await witness.change('POST', 'rules', fault);
  say(`loading and killing for ${seconds} s, seed ${seed}`);
  const untilMs = performance.now() + seconds * 1000;
  const customers = {
    numbers: answering.map(({ known }) => known.number),
    perSecond: perSecond / 10,
    bring: (message: object) => witness.change('POST', 'inbound', message),
  };
  const [load, asked, kills] = await Promise.all([
    runLoad({ apiUrl: machines.apiUrl, accounts, perSecond }, untilMs),
    runCustomers(customers, untilMs),
    killAtRandom(machines, seed, untilMs, say),
  ]);
  await Promise.all(machines.all.map((machine) => machine.back()));
  await witness.change('DELETE', 'rules');
  say('waiting until everything has come to its end');
  const owner = new pg.Client({ connectionString: machines.env.DATABASE_URL });
  await owner.connect();
  const core = await openCore(readConfig(machines.env), machines.env.DATABASE_URL, silentLog, patience);
  try {
    const settledMs = await settle(owner, witness);
    const [handed, taken] = [await witness.handed(), await witness.taken()];
    // The first message of each number that customers write to had a key, too.
    const keyed = { ...load, keys: load.keys + answering.length };
    const findings = await verify(owner, core.database, keyed, { handed, taken });
    const { acknowledged, repeats } = load;
    return {
      ...findings,
      seed,
      acknowledged: acknowledged.size,
      repeats,
      handedOver: handed.length,
      asked,
      taken: new Set(taken).size,
      kills,
      settledMs,
      endedByThemselves: machines.ends,
    };
  } finally {
    await core.database.close();
    await owner.end();
  }
}

async function openAccounts({ env, apiUrl }: Machines, count: number): Promise<Account[]> {
  const core = await openCore(readConfig(env), env.DATABASE_URL, silentLog, patience);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const accounts: Account[] = [];
  try {
    while (accounts.length < count) {
      const names = { organizationName: 'Chaos', accountName: 'Chaos', region: 'local' };
      const { accountSid, sandboxKey: key } = await bootstrap(context, names);
      const { body } = await call(`${apiUrl}/v1/accounts/${accountSid}/senders`, { key });
      const senders: { sid: string; wabaSid: string | null; phoneNumber: string }[] = body.data;
      const { sid: senderSid, phoneNumber } = senders.find(({ wabaSid }) => wabaSid !== null)!;
      const senderSids = senders.map(({ sid }) => sid);
      accounts.push({ accountSid, key, senderSids, known: { senderSid, number: phoneNumber.slice(1) } });
    }
  } finally {
    await core.database.close();
  }
  return accounts;
}

/** Numbers that look random and are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function killAtRandom(
  { all }: Machines,
  seed: number,
  untilMs: number,
  say: (text: string) => void,
): Promise<Record<string, number>> {
  const random = randomOf(seed);
  const kills: Record<string, number> = {};
  while (performance.now() < untilMs) {
    await sleep(500 + 2_000 * random());
    const victim = all[Math.floor(random() * all.length)]!;
    // One that is just coming back is left to do so.
    if (!victim.up() || performance.now() >= untilMs) continue;
    await victim.kill();
    kills[victim.name] = (kills[victim.name] ?? 0) + 1;
    say(`killed ${victim.name}`);
  }
  return kills;
}

type Witness = ReturnType<typeof witnessAt>;

function witnessAt(url: string) {
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = body ? { method, headers, body: JSON.stringify(body) } : { method };
    const answer = await fetch(`${url}/_control/${path}`, init);
    if (!answer.ok)
      throw new Error(`The simulator answered ${answer.status} to ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const all = async <T>(path: string): Promise<T[]> => {
    const found: T[] = [];
    for (let after = 0; ; ) {
      const page = (await ask('GET', `${path}?after=${after}&limit=1000`)) as { data: T[]; after: number };
      if (page.data.length === 0) return found;
      found.push(...page.data);
      after = page.after;
    }
  };
  return {
    change: ask,
    /** Whether everything it has to tell was told or given up. */
    async isIdle(): Promise<boolean> {
      const { scheduled } = (await ask('GET', 'counts')) as { scheduled: number };
      return scheduled === 0;
    },
    /** How many messages it accepted. */
    accepted: async () => ((await ask('GET', 'counts')) as { accepted: number }).accepted,
    /** Everything it accepted. */
    handed: () => all<Handed>('messages'),
    /** The ids of messages that customers wrote and the service took. */
    async taken(): Promise<string[]> {
      const callbacks = await all<{ status: number | null; body: string }>('callbacks');
      return callbacks.filter(({ status }) => status === 200).flatMap(({ body }) => messagesIn(body));
    },
  };
}

type Told = { entry: { changes: { value: { messages?: { id: string }[] } }[] }[] };
const messagesIn = (body: string) =>
  (JSON.parse(body) as Told).entry.flatMap(({ changes }) =>
    changes.flatMap(({ value }) => (value.messages ?? []).map(({ id }) => id)),
  );

// A machine may be slow; what stands still for so long has come to no end.
const stillForMs = 120_000;

/** Waits until nothing waits, nothing is in flight and every report was heard; tells how long it took. */
async function settle(owner: pg.Client, witness: Witness): Promise<number> {
  const beganMs = performance.now();
  const busy = `select (select count(*) from message_states where waiting)
    + (select count(*) from message_attempts where ended_at is null)
    + (select count(*) from provider_callback_work)
    + (select count(*) from workflow_wakes)
    + (${eventsAhead}) as n`;
  let quiet = 0;
  let last = { left: '', atMs: beganMs };
  // What is left when nothing moves any more is told by the verification.
  while (quiet < 3 && performance.now() - last.atMs < stillForMs) {
    const { rows } = await owner.query<{ n: string }>(busy);
    const idle = await witness.isIdle();
    const left = `${rows[0]!.n} ${idle}`;
    if (left !== last.left) last = { left, atMs: performance.now() };
    // Reports that found nobody home are repeated after minutes: those pass at once.
    if (!idle) await witness.change('POST', 'advance', { ms: 60_000 });
    const still = Number(rows[0]!.n) === 0 && idle;
    quiet = still ? quiet + 1 : 0;
    if (quiet < 3) await sleep(200);
  }
  return Math.round(performance.now() - beganMs);
}
