import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runJob, write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { JobContext } from '../../platform/jobs/jobs.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import type { FlowKey } from '../provider/index.ts';
import { insertFlow } from '../templates/flows/register-flow.ts';
import { readFlowKey, requestFlowKeys, rereadMissingFlowKeys } from './read-flow-key.ts';

let app: TestApp;
let senders: { sid: string; wabaSid: string }[];
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  senders = (await app.get(`${app.at}/senders`)).body.data;
});

const told = (senderSid: string, flowKey: FlowKey) =>
  runJob(
    { app, provider: { getFlowKey: async () => ({ ok: true as const, value: { flowKey } }) } },
    readFlowKey,
    { senderSid },
  );
const known = async (senderSid: string) => (await app.get(`${app.at}/senders/${senderSid}`)).body.flowKey;
const queued = (senderSid: string) =>
  app.count(`graphile_worker._private_jobs where key = 'flow-key/${senderSid}'`);
const announced = (senderSid: string) =>
  app.count(`events where type = 'sender.updated' and resource_sid = '${senderSid}'`);

test('whether a number has a key is unknown until it is read, and each change is told once', async () => {
  const { sid } = senders[0]!;
  assert.equal(await known(sid), null);
  for (const flowKey of ['NONE', 'NONE', 'MISMATCH', 'VALID', 'VALID'] as const) {
    await told(sid, flowKey);
    assert.equal(await known(sid), flowKey);
  }
  assert.equal(await announced(sid), 3);
});

test('a flow with an endpoint cannot be sent from a number known to have no key', async () => {
  const { sid: from, wabaSid } = senders[1]!;
  const flow = await write({ app }, (t) =>
    insertFlow(t, wabaSid, {
      id: '990077665544331',
      name: 'Book',
      status: 'PUBLISHED',
      endpointUri: 'https://shop.example/flow',
    }),
  );
  const body = {
    from,
    to: '+33612345678',
    type: 'flow',
    flow: { flowSid: flow.sid, body: 'Book', ctaText: 'Go' },
  };
  const contentCheck = async () => {
    const { checks } = (await app.post(`${app.at}/messages/preflight`, body)).body;
    return checks.find(({ gate }: { gate: string }) => gate === 'content').code;
  };
  assert.equal(await contentCheck(), null);
  await told(from, 'NONE');
  assert.equal(await contentCheck(), 'FLOW_ENCRYPTION_KEY_MISSING');
  await told(from, 'VALID');
  assert.equal(await contentCheck(), null);
});

test('it is asked for every number of the business account, and again while it is missing', async () => {
  const [first, second] = senders as [{ sid: string; wabaSid: string }, { sid: string }];
  const drop = () => app.sql("delete from graphile_worker._private_jobs where key like 'flow-key/%'");
  await write({ app }, (t) => requestFlowKeys(t, first.wabaSid));
  assert.deepEqual([await queued(first.sid), await queued(second.sid)], [1, 1]);
  await drop();
  await told(first.sid, 'MISMATCH');
  await told(second.sid, 'VALID');
  const { database, sealer, ports, clock } = app;
  const context: JobContext = {
    database,
    sealer,
    ports,
    log: silentLog,
    now: () => clock.now(),
    site: app.site(),
    processId: '',
    signal: new AbortController().signal,
  };
  await rereadMissingFlowKeys.run(context);
  assert.deepEqual([await queued(first.sid), await queued(second.sid)], [1, 0]);
});
