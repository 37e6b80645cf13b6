// A service that kills itself when it is told to, and is started again at once: what a supervisor does. It may also lose all its
// connections to the database at such a moment.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import type { TestApp } from '../harness/app.ts';
import { openDoor } from '../harness/database-door.ts';
import { beginDeadline } from '../harness/deadline.ts';
import type { Death, Subject, Tells, Told } from '../harness/dying-service.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { programIn } from '../harness/program.ts';
import { atEnd, until } from './godwit.ts';

const program = programIn(new URL('../harness/dying-service.ts', import.meta.url));
// Starting it takes seconds, more on a busy machine.
export const patientMs = 180_000;

// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies whose shape they check themselves
type Reply = { status: number; body: any };
type Sent = { headers: object; body?: object; key: string };
type Running = { child: ChildProcess; isReady: boolean; isDead: boolean; mayDie: boolean; heard: number };

export type RestartedService = Awaited<ReturnType<typeof keepRunning>>;

/**
 * `env` names the port it always answers on. `app` is another process of the same installation, which lives on. Where it is to lose its
 * database, `databaseDies` ends that and has it back; without it only its connections end.
 */
export async function keepRunning(
  lifetime: Lifetime,
  app: Pick<TestApp, 'databaseUrl' | 'clock' | 'sql'>,
  subject: Subject,
  env: Record<string, string> & { PORT: string },
  databaseDies = async () => {},
) {
  const url = `http://127.0.0.1:${env.PORT}`;
  let running: Running;
  let stopping = false;
  let moments: string[] = [];
  const logged: string[] = [];
  let deaths = 0;
  const failures: unknown[] = [];
  const door = await openDoor(app.databaseUrl, (letIn) => letIn());
  atEnd(lifetime, () => door.close());

  const start = (): Running => {
    const given = [door.url, app.clock.now().toISOString(), subject];
    const child = spawn(process.execPath, [...program, ...given], {
      env: { PATH: process.env.PATH ?? '', DATABASE_WAIT_MS: '30000', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const one: Running = { child, isReady: false, isDead: false, mayDie: false, heard: 0 };
    child.on('message', (tells: Tells) => {
      if ('ready' in tells) one.isReady = true;
      else if ('armed' in tells) one.heard += 1;
      else void cut().catch((error) => failures.push(error));
    });
    createInterface({ input: child.stdout! }).on('line', (line) =>
      (line.startsWith('{') ? logged : moments).push(line),
    );
    // Its output has all been read, too.
    child.once('close', (code, signal) => {
      one.isReady = false;
      one.isDead = true;
      if (stopping) return;
      if (signal === 'SIGKILL' && one.mayDie) void afterDeath(one).catch((error) => failures.push(error));
      else failures.push(new Error(`the service ended by itself: ${code ?? signal}`));
    });
    return one;
  };
  const afterDeath = async ({ child }: Running) => {
    // Instead of waiting until it has been silent for as long as the dead are.
    await app.sql("update processes set beat_at = clock_timestamp() - interval '7 seconds' where pid = $1", [
      child.pid,
    ]);
    deaths += 1;
    running = start();
  };

  const cut = async () => {
    await databaseDies();
    door.cut();
    deaths += 1;
    tell({ isCut: true });
  };

  running = start();
  atEnd(lifetime, async () => {
    stopping = true;
    const { child } = running;
    const ended = new Promise((done) => child.once('close', done));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  const tell = (told: Told) => running.child.connected && running.child.send(told, () => {});
  const ready = () =>
    until(
      'the service is ready',
      () => {
        if (failures.length > 0) throw failures[0];
        return running.isReady;
      },
      patientMs,
    );
  await ready();
  /** Returns when it knows, or has died meanwhile and is back. */
  const decide = async (death: Death | null) => {
    const one = running;
    const before = one.heard;
    tell({ death });
    await until('it knows', () => one.heard > before || one.isDead, patientMs);
    if (one.isDead)
      await until('it is started again', () => running !== one || failures.length > 0, patientMs);
    else one.mayDie = death !== null;
    await ready();
  };

  return {
    url,
    ready,
    deaths: () => deaths,
    /** What came since it was told when to die, the deadly moment last when it died. */
    moments: () => moments,
    /** What it wrote into its log, where TEST_LOG_LEVEL lets it. */
    log: () => logged.join('\n'),
    async dieAt(death: Death): Promise<void> {
      await ready();
      moments = [];
      running.mayDie = true;
      await decide(death);
    },
    liveOn: () => decide(null),
    advance(ms: number): void {
      app.clock.advance(ms);
      tell({ now: app.clock.now().toISOString() });
    },
    /** Asks under one key until it is answered, as a client does whose connection broke. */
    send: (method: 'GET' | 'POST' | 'PUT', path: string, { headers, body, key }: Sent): Promise<Reply> =>
      until(
        `${method} ${path} is answered`,
        async () => {
          await ready();
          const answer = await request(url + path, {
            method,
            headers: {
              ...headers,
              'idempotency-key': key,
              ...(body && { 'content-type': 'application/json' }),
            },
            ...(body && { body: JSON.stringify(body) }),
          }).catch(() => null);
          const text = await answer?.body.text().catch(() => null);
          if (!answer || text === null || text === undefined || answer.statusCode >= 500) return null;
          const reply = { status: answer.statusCode, body: JSON.parse(text) };
          return reply.body.error?.code === 'IDEMPOTENCY_IN_PROGRESS' ? null : reply;
        },
        patientMs,
      ),
  };
}

/** What is to be done; told beforehand, it is done as soon as it is called. */
export type Story<T = unknown> = () => Promise<T>;

/** Tells the story once to a service that dies meanwhile; answers with the moment, or null where it never came. */
export async function diesOnce(
  service: RestartedService,
  tell: () => Promise<Story>,
  death: Death,
): Promise<string | null> {
  const story = await tell();
  const before = service.deaths();
  await service.dieAt(death);
  await story();
  await service.liveOn();
  // However many deaths are asked for: what is limited is the time of each.
  beginDeadline();
  return service.deaths() > before ? service.moments().at(-1)! : null;
}

/**
 * Tells the story again and again, each time to a service that dies at another moment of it: at these, or at its first, its second
 * and so on up to so many. Answers with the moments.
 */
export async function diesIn(
  service: RestartedService,
  tell: () => Promise<Story>,
  when: string[] | { most: number },
): Promise<string[]> {
  const deaths: string[] = [];
  const named = 'most' in when ? null : when;
  const most = 'most' in when ? when.most : when.length;
  for (let at = 0; at < most; at += 1) {
    const moment = await diesOnce(service, tell, named ? { named: named[at]! } : { at: at + 1 });
    if (named) assert.ok(moment, `it never came to "${named[at]}": ${service.moments().join(', ')}`);
    if (!moment) break; // it has no more moments
    deaths.push(moment);
  }
  return deaths;
}
