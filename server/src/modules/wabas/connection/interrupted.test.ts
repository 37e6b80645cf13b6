// Whatever is interrupted, at whichever call or commit, and whichever answer of the provider is lost: a reconnect ends with the
// account connected or with a link that works, a reconcile with our app subscribed, and neither leaves anything half done.
// CONNECTION_ROUNDS=200 repeats every moment that often.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { type Connections, connectionsOf } from '../../../../test/harness/connections.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import type { Provider } from '../../provider/index.ts';
import { takeReturn } from './return.ts';

let app: TestApp;
let connections: Connections;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
  connections = await connectionsOf(app);
});

const rounds = Number(process.env.CONNECTION_ROUNDS ?? 20);

class Dead extends Error {}

/** Dies at the nth moment, and from then on does nothing more. `moments` counts those there are. */
function dyingAt(n: number) {
  let moments = 0;
  return {
    moments: () => moments,
    watch() {
      moments += 1;
      if (moments > n) throw new Dead();
    },
  };
}
type Dying = ReturnType<typeof dyingAt>;

const killed = async (work: Promise<unknown>) =>
  work.catch((error) => {
    if (!(error instanceof Dead)) throw error;
  });

/** The request of somebody who comes back, in a process that dies at a moment of its own. */
async function comeBack(back: string, dying: Dying): Promise<void> {
  const { searchParams } = new URL(back);
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    dying.watch();
    const answer = await work();
    dying.watch();
    return answer;
  };
  const provider = new Proxy(app.ports.provider, {
    get(target, name) {
      const asked = target[name as keyof Provider] as (...given: unknown[]) => Promise<unknown>;
      return (...given: unknown[]) => call(() => asked.apply(target, given));
    },
  });
  const database = new Proxy(app.database, {
    get(target, name) {
      if (name !== 'write') return target[name as keyof typeof target];
      return (...given: Parameters<typeof target.write>) => call(() => target.write(...given));
    },
  });
  const ports = { ...app.ports, provider };
  const means = { database, ports, site: app.site(), now: app.clock.now(), requestId: 'test', log: app.log };
  await killed(takeReturn(means, { state: searchParams.get('state')!, code: searchParams.get('code') }));
}

/** Runs the job again as the queue would, past the waits between tries. */
async function untilEnded(sid: string, run: (sid: string) => Promise<void>) {
  for (let n = 0; n < 10; n += 1) {
    const operation = await connections.operation(sid);
    if (operation.finishedAt !== null || operation.awaits !== null) return operation;
    await run(sid);
  }
  return connections.operation(sid);
}

suite('a reconnect that is interrupted', () => {
  test('as somebody comes back: the link that is shown works, or the account is connected', async () => {
    let longest = 1;
    for (let round = 0; round < rounds; round += 1) {
      const { waba, operationSid, url } = await connections.waiting();
      const dying = dyingAt(round % (longest + 1));
      await comeBack(await connections.answerPage(url, 'continue', waba.providerWabaId), dying);
      longest = Math.max(longest, dying.moments());
      let operation = await untilEnded(operationSid, connections.runReconnect);
      if (operation.awaits === 'SIGNUP') {
        const link = operation.nextAction.url;
        const page = await connections.comeBack(
          await connections.answerPage(link, 'continue', waba.providerWabaId),
        );
        assert.equal(page.status, 200, `round ${round}`);
        operation = await untilEnded(operationSid, connections.runReconnect);
      }
      assert.equal(operation.state, 'SUCCEEDED', `round ${round}`);
      const { connection } = await connections.get(waba.sid);
      assert.deepEqual([connection.state, connection.subscription], ['CONNECTED', 'SUBSCRIBED']);
    }
    assert.ok(longest >= 8, `${longest} moments`);
  });

  test('as it runs: the next run connects the account, once', async () => {
    let longest = 1;
    for (let round = 0; round < rounds; round += 1) {
      const { waba, operationSid, url } = await connections.waiting();
      await connections.comeBack(await connections.answerPage(url, 'continue', waba.providerWabaId));
      const dying = dyingAt(round % (longest + 1));
      await killed(connections.runReconnect(operationSid, dying.watch));
      longest = Math.max(longest, dying.moments());
      const { state } = await untilEnded(operationSid, connections.runReconnect);
      assert.equal(state, 'SUCCEEDED', `round ${round}`);
      const connected = await app.count(
        `events where resource_sid = '${waba.sid}' and type = 'waba.connected'`,
      );
      assert.equal(connected, 2, `round ${round}`);
      const left = await app.count(
        `waba_signups where operation_sid = '${operationSid}' and (state_hash is not null or sealed_token is not null)`,
      );
      assert.equal(left, 0);
    }
    assert.ok(longest >= 8, `${longest} moments`);
  });

  test('by an answer that is lost: of the exchange a new link is shown, of anything else it is asked again', async () => {
    for (const path of ['access_token', 'debug_token', 'phone_numbers', 'subscribed_apps']) {
      for (const answer of ['lost', 'closed-before', 'bad-gateway'] as const) {
        const { waba, operationSid, url } = await connections.waiting();
        app.simulator.control.addRule({ match: { path }, behaviour: { answer }, count: 1 });
        const page = await connections.comeBack(
          await connections.answerPage(url, 'continue', waba.providerWabaId),
        );
        assert.equal(page.status, path === 'access_token' ? 502 : 200, `${path} ${answer}`);
        if (path === 'access_token') {
          const link = await connections.linkOf(operationSid);
          await connections.comeBack(await connections.answerPage(link, 'continue', waba.providerWabaId));
        }
        const { state } = await untilEnded(operationSid, connections.runReconnect);
        assert.equal(state, 'SUCCEEDED', `${path} ${answer}`);
        app.simulator.control.clearRules();
      }
    }
  });
});

suite('a reconcile that is interrupted', () => {
  test('ends with our app subscribed, and tells what was before the first try', async () => {
    let longest = 1;
    for (let round = 0; round < rounds; round += 1) {
      const { sid, providerWabaId } = await connections.waba();
      app.simulator.control.change('wabas', providerWabaId, { subscribed: false });
      const { body } = await connections.reconcile(sid);
      const dying = dyingAt(round % (longest + 1));
      await killed(connections.runReconcile(body.sid, dying.watch));
      longest = Math.max(longest, dying.moments());
      const { state, result } = await untilEnded(body.sid, connections.runReconcile);
      assert.deepEqual([state, result.before.subscription], ['SUCCEEDED', 'MISSING'], `round ${round}`);
      assert.equal((await connections.get(sid)).connection.subscription, 'SUBSCRIBED');
    }
    assert.ok(longest >= 8, `${longest} moments`);
  });
});
