// What tests of services that are killed share: the test's own part of the installation beside the one that dies, waiting through its
// deaths, and one death after the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { bearer, startTestApp, type TestApp } from '../harness/app.ts';
import type { Death, Subject } from '../harness/dying-service.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { freePort } from '../harness/ports.ts';
import { dataFolder, until } from './godwit.ts';
import { dueByClock } from './killed-work.ts';
import { diesOnce, keepRunning, patientMs, type RestartedService, type Story } from './restarted-service.ts';

export type { Death, RestartedService, Story };

type Parts = { app: TestApp; service: RestartedService };
type Shared = { MASTER_KEY: string; PORT: string };

export const sharedSettings = async (): Promise<Shared> => ({
  MASTER_KEY: generateMasterKey(),
  PORT: String(await freePort()),
});

/** A whole service that is killed, beside another of the same installation that lives on. */
export async function killedBeside(
  lifetime: Lifetime,
  app: TestApp,
  subject: Subject,
  env: Shared & Record<string, string>,
): Promise<RestartedService> {
  // Jobs fall due by the database's clock, so that of the services stays near to it.
  app.clock.set(new Date());
  return keepRunning(lifetime, app, subject, {
    HOST: '127.0.0.1',
    DATA_DIR: await dataFolder(lifetime),
    SIMULATOR_URL: app.simulator.url,
    ...env,
  });
}

/** Both; the one that lives on asks and looks, and has the simulated provider. */
export async function startKilled(
  lifetime: Lifetime,
  subject: Subject,
  more: Record<string, string> = {},
): Promise<Parts> {
  const shared = await sharedSettings();
  const env = { MASTER_KEY: shared.MASTER_KEY };
  const app = await startTestApp(lifetime, { role: 'api', env, simulator: true });
  return { app, service: await killedBeside(lifetime, app, subject, { ...shared, ...more }) };
}

type Meanwhile = {
  /** What must hold ten seconds after a death. */
  afterDeath?: () => Promise<unknown>;
  /** What happens, or must hold, each time it is looked. */
  each?: () => Promise<unknown>;
};

/**
 * Waits as long as the machine needs. The clock of the service goes on meanwhile by so much each time: whatever failed is tried again
 * by it, and what is due by it is due by that of the database. Ten seconds after a death everything goes on.
 */
export function waitingFor({ app, service }: Parts, { afterDeath, each }: Meanwhile = {}) {
  let handled = service.deaths();
  const goOn = async (ms: number) => {
    await service.ready();
    if (service.deaths() > handled) {
      handled = service.deaths();
      service.advance(10_000);
      await afterDeath?.();
    }
    service.advance(ms);
    await app.simulator.control.settle();
    await each?.();
    await dueByClock(app);
  };
  return <T>(what: string, ms: number, condition: () => Promise<T>): Promise<NonNullable<T>> =>
    until(
      what,
      async () => {
        await goOn(ms);
        return condition();
      },
      patientMs,
    );
}

type Sending = { app: TestApp; wait: ReturnType<typeof waitingFor> };
type Account = { accountSid: string; sandboxKey: string };

/** The lane of a sender runs: what is sent leaves, once. */
export async function canSend({ app, wait }: Sending, from: string, of: Account = app): Promise<void> {
  const message = {
    from,
    to: newPhone(),
    type: 'template',
    template: { name: 'hello_world', language: 'en' },
  };
  const path = `/v1/accounts/${of.accountSid}/messages`;
  const post = async () => (await app.post(path, message, bearer(of.sandboxKey))).body.sid as string;
  const timesSent = async () => {
    const sid = await wait('a message is taken', 1_000, post);
    const sent = () => app.simulator.control.messagesWithOpaque(sid).length;
    // Killed while it was handed over, a message is not sent again by itself: nobody knows whether it arrived.
    const isUnknown = () => app.count(`message_states where sid = '${sid}' and status = 'unknown'`);
    await wait('it leaves', 1_000, async () => sent() > 0 || (await isUnknown()) > 0);
    return sent();
  };
  const first = await timesSent();
  assert.equal(first === 0 ? await timesSent() : first, 1);
}

export type Deaths = {
  /** How many deaths, at one moment of the story after the other; 0 for the few. */
  crashes: number;
  few: Death[];
  /** A test of many ends in time for the deadline of its file. */
  inATest?: number;
  /** By turns it is killed and cut off from its database; told from the beginning again, each moment has the other. Or it is always cut off. */
  cuts?: boolean | 'always';
};

const nameOf = ({ cut = false }: Death, moment: string) => `${cut ? 'cut off' : 'killed'} ${moment}`;

/** The promise is tested by a story that is told to a service that dies meanwhile, once for every death. */
export function testDeaths(
  promise: string,
  service: () => RestartedService,
  tell: () => Promise<Story>,
  { crashes, few, inATest = 10, cuts = false }: Deaths,
): void {
  let [at, times] = [0, 0];
  /** At the next moment of the story; after its last at the first again. */
  const next = async (): Promise<string> => {
    at += 1;
    const death: Death = { at, cut: cuts === 'always' || (cuts && (at + times) % 2 === 0) };
    const moment = await diesOnce(service(), tell, death);
    if (moment) return `${at}: ${nameOf(death, moment)}`;
    assert.ok(at > 1, 'it never died');
    [at, times] = [0, times + 1];
    return next();
  };
  const as = async (death: Death): Promise<string> => {
    const moment = await diesOnce(service(), tell, death);
    assert.ok(moment, `it never came to ${JSON.stringify(death)}: ${service().moments().join(', ')}`);
    return nameOf(death, moment);
  };
  const rounds = crashes ? Array.from({ length: crashes }, () => next) : few.map((death) => () => as(death));
  for (let from = 0; from < rounds.length; from += inATest)
    test(`${promise}${from ? `, after ${from} deaths` : ''}`, async (context) => {
      for (const round of rounds.slice(from, from + inATest)) context.diagnostic(await round());
    });
}
