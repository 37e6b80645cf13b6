// A service that is killed at any moment while a business account is reconnected or its subscription reconciled, with answers of the
// provider lost besides: it ends connected and subscribed, and says so once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite } from 'node:test';
import type { TestApp } from '../harness/app.ts';
import { type Connections, connectionsOf, why } from '../harness/connections.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import {
  canSend,
  type Death,
  type RestartedService,
  type Story,
  startKilled,
  testDeaths,
  waitingFor,
} from './killed-service.ts';

// CONNECTION_CRASHES=200 kills the service so often, half of it in either story, at one moment after the other; otherwise at the few
// below. Each round also loses the answer of one call.
const crashes = Math.ceil(Number(process.env.CONNECTION_CRASHES ?? 0) / 2);
const few: Record<'reconnect' | 'reconcile', Death[]> = {
  reconnect: [
    { named: 'after commit of operations' },
    { named: 'after exchangeCode' },
    { named: 'after subscribe' },
  ],
  reconcile: [{ named: 'after subscribe' }],
};

let app: TestApp;
let connections: Connections;
let service: RestartedService;
let wait: ReturnType<typeof waitingFor>;
const lifetime = sharedLifetime();
before(async () => {
  ({ app, service } = await startKilled(lifetime, 'connections'));
  wait = waitingFor({ app, service });
  connections = await connectionsOf(app);
});

let told = 0;
/** The answer to one of these calls is lost: to another in every story. */
function loseOneOf(paths: string[]): void {
  told += 1;
  const path = paths[told % paths.length]!;
  const answer = told % 2 === 0 ? 'lost' : 'closed-before';
  app.simulator.control.clearRules();
  // Several calls share a path, and it is not always the first.
  app.simulator.control.addRule({ match: { path }, behaviour: { answer }, count: 1, probability: 0.6 });
}

async function asked(path: string, status: number, body: object, headers: object = connections.key) {
  const reply = await service.send('POST', `${app.at}/wabas/${path}`, { headers, body, key: randomUUID() });
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

/** Whoever signs up comes back through the link that is shown, as often as there is one. */
async function signsUp(operationSid: string, providerWabaId: string): Promise<boolean> {
  const { state, awaits, nextAction, error } = await connections.operation(operationSid);
  assert.equal(error, null, JSON.stringify(error));
  if (awaits === 'SIGNUP') {
    const back = await connections.answerPage(nextAction.url, 'continue', providerWabaId);
    await connections.comeBack(back).catch(() => null); // it was killed: somebody looks again
  }
  return state === 'SUCCEEDED';
}

async function reconnect(): Promise<Story> {
  const { sid, providerWabaId } = await connections.waba();
  const { headers, stepUpToken } = await connections.stepUp();
  loseOneOf(['access_token', 'debug_token', 'phone_numbers', 'subscribed_apps']);
  return async () => {
    await asked(`${sid}/disconnect`, 200, { reason: 'Ended' });
    const { sid: operationSid } = await asked(`${sid}/reconnect`, 202, { ...why, stepUpToken }, headers);
    await wait('it is connected again', 1_000, () => signsUp(operationSid, providerWabaId));
    await isWhole(sid, providerWabaId);
    const connected = await app.count(`events where resource_sid = '${sid}' and type = 'waba.connected'`);
    assert.equal(connected, 2);
    const left = `waba_signups where operation_sid = '${operationSid}'`;
    assert.equal(await app.count(`${left} and (state_hash is not null or sealed_token is not null)`), 0);
  };
}

async function reconcile(): Promise<Story> {
  const { sid, providerWabaId } = await connections.waba();
  app.simulator.control.change('wabas', providerWabaId, { subscribed: false });
  loseOneOf(['subscribed_apps']);
  return async () => {
    const { sid: operationSid } = await asked(`${sid}/reconcile-subscription`, 202, why);
    await wait(
      'it is over',
      1_000,
      async () => (await connections.operation(operationSid)).finishedAt !== null,
    );
    const { state, result } = await connections.operation(operationSid);
    assert.deepEqual(
      [state, result?.before.subscription, result?.after.subscription],
      ['SUCCEEDED', 'MISSING', 'SUBSCRIBED'],
    );
    await isWhole(sid, providerWabaId);
  };
}

/** Connected and subscribed, here and at the provider, at one place, and its lane runs. */
async function isWhole(sid: string, providerWabaId: string): Promise<void> {
  await wait('nothing is left to be done', 1_000, async () => {
    const { state, token, subscription, operationSid } = (await connections.get(sid)).connection;
    const isSubscribed = app.simulator.control.wabas().find(({ id }) => id === providerWabaId)!.subscribed;
    const seen = [state, token, subscription, operationSid, isSubscribed].join();
    return seen === ['CONNECTED', 'VALID', 'SUBSCRIBED', null, true].join();
  });
  const senders = await app.sql<{ sid: string; status: string }>(
    'select sid, status from senders where waba_sid = $1',
    [sid],
  );
  assert.deepEqual(
    senders.map(({ status }) => status),
    ['CONNECTED'],
  );
  await canSend({ app, wait }, senders[0]!.sid);
}

suite('whose service is killed at any moment', () => {
  testDeaths('a reconnect ends with the account connected and subscribed, once', () => service, reconnect, {
    crashes,
    few: few.reconnect,
  });
  testDeaths(
    'a reconcile ends with the account subscribed, and tells what was before',
    () => service,
    reconcile,
    { crashes, few: few.reconcile },
  );
});
