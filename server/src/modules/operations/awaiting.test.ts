import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { operationsOf } from '../../../test/harness/operations.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { Closed } from '../../platform/http/input/schema.ts';
import { endAwaiting, guardOperations } from './crons.ts';
import {
  defineOperationType,
  resumeOperation,
  type StepOutcome,
  setCancelable,
  startOperation,
  wakeOperation,
} from './index.ts';

let app: TestApp;
let operations: ReturnType<typeof operationsOf>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  operations = operationsOf(app);
});

const hourMs = 60 * 60 * 1000;
const later = (ms: number) => new Date(app.clock.now().getTime() + ms);
const step = (run: () => Promise<StepOutcome>) =>
  defineOperationType({ type: 'test.awaiting', input: Closed({}), run });
const done = step(async () => ({ result: { done: true } }));
const asks = () => ({
  awaits: 'SIGNUP',
  nextAction: { expiresAt: later(hourMs).toISOString() },
  secrets: { url: 'https://signup.example/?state=hunter2' },
  until: later(hourMs),
});
const jobsOf = (sid: string) =>
  app.count(`graphile_worker.jobs where key = 'operation:${sid}' and locked_at is null`);
const cancel = (sid: string) => app.post(`${app.at}/operations/${sid}/cancel`);
const retry = (sid: string) => app.post(`${app.at}/operations/${sid}/retry`);
const rowOf = async (sid: string) =>
  (await app.sql<Record<string, unknown>>('select * from operations where sid = $1', [sid]))[0]!;

test('an operation can begin by waiting for somebody, and says for what, how, and until when', async () => {
  const sid = await operations.start(done, {}, { awaiting: { ...asks(), result: { step: 'signup' } } });
  const { state, awaits, nextAction, result } = await operations.get(sid);
  assert.deepEqual([state, awaits, result], ['WAITING', 'SIGNUP', { step: 'signup' }]);
  assert.deepEqual(nextAction, {
    expiresAt: later(hourMs).toISOString(),
    url: 'https://signup.example/?state=hunter2',
  });
  assert.equal(await jobsOf(sid), 0);
});

test('secret parts of the next action are in no column as text and in no event, and gone once nobody is waited for', async () => {
  const sid = await operations.start(done, {}, { awaiting: asks() });
  const row = await rowOf(sid);
  assert.ok(row.sealed_next_action instanceof Buffer);
  assert.doesNotMatch(JSON.stringify({ ...row, sealed_next_action: null }), /hunter2/);
  assert.ok(!row.sealed_next_action.includes('hunter2'));
  const events = await app.sql<{ type: string }>('select * from events where resource_sid = $1', [sid]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['operation.action_required'],
  );
  assert.doesNotMatch(JSON.stringify(events), /hunter2/);
  assert.equal(await operations.write((t) => resumeOperation(t, sid)), true);
  assert.equal((await rowOf(sid)).sealed_next_action, null);
});

test('while it waits for somebody nothing runs it: no job, no guard, no waking, no job given out twice', async () => {
  const sid = await operations.start(done, {}, { awaiting: asks() });
  app.clock.advance(10 * 60_000);
  await runCron(app, guardOperations);
  await runCron(app, endAwaiting);
  await operations.write((t) => wakeOperation(t, sid));
  assert.equal(await jobsOf(sid), 0);
  await operations.run(done, sid);
  assert.deepEqual([(await operations.get(sid)).state, await jobsOf(sid)], ['WAITING', 0]);
});

test('whoever brings what it waits for resumes it, once', async () => {
  const sid = await operations.start(done, {}, { awaiting: asks() });
  const resumed = await Promise.all([1, 2, 3].map(() => operations.write((t) => resumeOperation(t, sid))));
  assert.deepEqual(resumed.sort(), [false, false, true]);
  const { state, awaits, nextAction } = await operations.get(sid);
  assert.deepEqual([state, awaits, nextAction, await jobsOf(sid)], ['PENDING', null, null, 1]);
  await operations.run(done, sid);
  assert.equal((await operations.get(sid)).state, 'SUCCEEDED');
  assert.equal(await operations.write((t) => resumeOperation(t, sid)), false);
});

test('a run can come to where it waits for somebody; what it applies commits with the wait, or not at all', async () => {
  const type = step(async () => ({ ...asks(), apply: (t) => setCancelable(t, sid, false) }));
  const sid: string = await operations.start(type);
  await operations.run(type, sid);
  const waiting = await operations.get(sid);
  assert.deepEqual([waiting.state, waiting.awaits, waiting.cancelable], ['WAITING', 'SIGNUP', false]);
  assert.equal(waiting.nextAction.url, 'https://signup.example/?state=hunter2');

  for (const wait of [() => asks(), () => ({ waitUntil: later(hourMs) })]) {
    let other = '';
    const canceled: string = await operations.start(done);
    const superseded = step(async () => {
      await cancel(canceled);
      const apply = async (t: TenantTx) => {
        other = (await startOperation(t, done, {})).sid;
      };
      return { ...wait(), apply };
    });
    await operations.run(superseded, canceled);
    const { state, awaits } = await operations.get(canceled);
    assert.deepEqual([state, awaits], ['CANCELED', null]);
    assert.equal((await app.get(`${app.at}/operations/${other}`)).status, 404);
  }
});

test('when its time is over its run comes, and judges it', async () => {
  const late = step(async () => ({
    failure: { code: 'ONBOARDING_CODE_EXPIRED' as never, message: 'Nobody came.', retryable: true },
    apply: (t) => setCancelable(t, sid, true),
  }));
  const sid: string = await operations.start(late, {}, { awaiting: asks() });
  app.clock.advance(hourMs - 1);
  await runCron(app, endAwaiting);
  assert.equal((await operations.get(sid)).state, 'WAITING');
  app.clock.advance(1);
  await runCron(app, endAwaiting);
  assert.deepEqual([(await operations.get(sid)).state, await jobsOf(sid)], ['PENDING', 1]);
  await operations.run(late, sid);
  const { state, awaits, error } = await operations.get(sid);
  assert.deepEqual([state, awaits, error.code], ['FAILED', null, 'ONBOARDING_CODE_EXPIRED']);
});

test('canceled while it waits it waits for nobody, and a retry runs it', async () => {
  const sid = await operations.start(done, {}, { awaiting: asks() });
  const { body } = await cancel(sid);
  assert.deepEqual([body.state, body.awaits, body.nextAction], ['CANCELED', null, null]);
  assert.equal(await operations.write((t) => resumeOperation(t, sid)), false);
  assert.equal((await retry(sid)).body.state, 'PENDING');
  await operations.run(done, sid);
  assert.equal((await operations.get(sid)).state, 'SUCCEEDED');
});

test('of a cancel and the commit after which it cannot be canceled one wins', async () => {
  for (let round = 0; round < 10; round += 1) {
    const sid = await operations.start(done, {}, { awaiting: asks() });
    const [canceled, decided] = await Promise.all([
      cancel(sid),
      operations
        .write((t) => setCancelable(t, sid, false))
        .then(() => true)
        .catch((error) => {
          assert.equal(error.code, 'CONFLICT');
          return false;
        }),
    ]);
    const { state, cancelable } = await operations.get(sid);
    assert.equal(canceled.status === 200, !decided);
    assert.deepEqual([state, cancelable], decided ? ['WAITING', false] : ['CANCELED', true]);
  }
});

test('a commit can give the way back again', async () => {
  const sid = await operations.start(done, {}, { awaiting: asks() });
  await operations.write((t) => setCancelable(t, sid, false));
  assert.equal((await cancel(sid)).body.error.code, 'CONFLICT');
  await operations.write((t) => setCancelable(t, sid, true));
  assert.equal((await cancel(sid)).body.state, 'CANCELED');
});

test('those who can act are told that it waits for somebody', async () => {
  const sid = await operations.start(done, {}, { awaiting: asks() });
  const { body } = await app.get(`${app.at}/notifications?limit=100`);
  const told = body.data.filter(({ resource }: { resource: string }) => resource === sid);
  assert.deepEqual(
    told.map(({ category, type }: Record<string, string>) => [category, type]),
    [['action_required', 'operation.action_required']],
  );
});
