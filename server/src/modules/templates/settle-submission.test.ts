import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { refused } from '../../../test/harness/contacts.ts';
import { runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { untilDone } from '../../platform/jobs/jobs.ts';
import type { Provider, ProviderFailure } from '../provider/index.ts';
import { submitTemplate } from './submit-template.ts';
import { readTemplates } from './sync-templates.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const hourMs = 3_600_000;
let names = 0;
const create = async () => {
  names += 1;
  const components = [{ type: 'BODY', text: 'Your parcel arrives.' }];
  const wanted = { name: `overdue_${names}`, language: 'en', category: 'UTILITY', components };
  const reply = await app.post(`${app.at}/templates`, wanted);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
type Template = { sid: string; name: string; wabaSid: string };
const submit = ({ sid }: Template, provider: Partial<Provider>, revision = 1) =>
  runJob({ app, provider }, submitTemplate, { templateSid: sid, revision });
const approved = async () => {
  const template = await create();
  await submit(template, {
    createTemplate: async (_connection, _waba, { name, category }) => ({
      ok: true,
      value: { id: `id of ${name}`, status: 'APPROVED', category },
    }),
  });
  return template;
};
const read = async ({ sid }: Template) => (await app.get(`${app.at}/templates/${sid}`)).body;
const historyOf = async ({ sid }: Template) =>
  (await app.get(`${app.at}/templates/${sid}/status-history`)).body.data;
const later = async (code: ProviderFailure['code'] = 'PROVIDER_TEMPORARY_ERROR') => ({
  ok: false as const,
  failure: {
    code,
    retryable: code === 'PROVIDER_TEMPORARY_ERROR',
    providerCode: 2,
    providerSubcode: null,
    reason: 'as told',
    retryAfterMs: null,
  },
});
const queued = ({ sid }: Template) =>
  app.sql<{ max_attempts: number; attempts: number }>(
    'select max_attempts, attempts from graphile_worker.jobs where key = $1',
    [`template:${sid}`],
  );

suite('a change the provider does not take', () => {
  test('is tried for as long as it takes to be taken or given up: the queue never drops it', async () => {
    assert.deepEqual(await queued(await create()), [{ max_attempts: untilDone, attempts: 0 }]);
  });
  test('waits for three days, and then a draft is a draft again that says why', async () => {
    const template = await create();
    app.clock.advance(72 * hourMs - 1);
    await assert.rejects(submit(template, { createTemplate: () => later() }));
    assert.equal((await read(template)).pendingChange, 'CREATE');
    refused(await app.delete(`${app.at}/templates/${template.sid}`), 409, 'CONFLICT');

    app.clock.advance(1);
    await submit(template, { createTemplate: () => later() });
    const after = await read(template);
    assert.deepEqual([after.status, after.pendingChange], ['DRAFT', null]);
    assert.deepEqual(after.failure, {
      code: 'PROVIDER_TEMPORARY_ERROR',
      message: 'as told',
      providerCode: 2,
    });
    const [newest] = await historyOf(template);
    assert.deepEqual([newest.status, newest.reason], ['DRAFT', 'given up after 72 hours']);
    assert.equal((await app.delete(`${app.at}/templates/${template.sid}`)).body.status, 'DELETED');
  });
  test('is counted from the last change, not from the first', async () => {
    const template = await create();
    app.clock.advance(72 * hourMs);
    await submit(template, { createTemplate: () => later() });
    const components = [{ type: 'BODY', text: 'Another text.' }];
    await app.patch(`${app.at}/templates/${template.sid}`, { components });
    await assert.rejects(submit(template, { createTemplate: () => later() }, 2));
    assert.equal((await read(template)).pendingChange, 'CREATE');
  });
  test('an edit is dropped and what was approved stays in use', async () => {
    const template = await approved();
    const components = [{ type: 'BODY', text: 'Another text.' }];
    await app.patch(`${app.at}/templates/${template.sid}`, { components });
    app.clock.advance(72 * hourMs);
    await submit(template, { editTemplate: () => later() }, 2);
    const after = await read(template);
    assert.deepEqual([after.status, after.pendingChange], ['APPROVED', null]);
    assert.equal(after.components[0].text, 'Your parcel arrives.');
    assert.equal((await historyOf(template))[0].reason, 'given up after 72 hours');
    assert.equal((await app.patch(`${app.at}/templates/${template.sid}`, { components })).status, 200);
  });
  test('a deletion is taken back, with its name', async () => {
    const template = await approved();
    await app.delete(`${app.at}/templates/${template.sid}`);
    app.clock.advance(72 * hourMs);
    await submit(template, { deleteTemplate: () => later() }, 2);
    const after = await read(template);
    assert.deepEqual([after.status, after.pendingChange], ['APPROVED', null]);
    const [newest] = await historyOf(template);
    assert.deepEqual([newest.status, newest.reason], ['APPROVED', 'given up after 72 hours']);
    const locked = `locked_until > '${app.clock.now().toISOString()}'`;
    assert.equal(await app.count(`template_name_locks where name = '${template.name}' and ${locked}`), 0);
  });
  test('an error of our own ends too, and does not pretend to know what the provider has', async () => {
    const template = await create();
    const createTemplate = async () => {
      throw new TypeError('a mistake');
    };
    await assert.rejects(submit(template, { createTemplate }), TypeError);
    app.clock.advance(72 * hourMs);
    await submit(template, { createTemplate });
    const after = await read(template);
    assert.deepEqual(
      [after.status, after.pendingChange, after.failure.code],
      ['DRAFT', null, 'PROVIDER_RESULT_UNKNOWN'],
    );
  });
  test('a business account that is not connected is waited for as long, and no longer', async () => {
    const template = await create();
    const connect = (state: string, at: Date | null) =>
      app.sql('update wabas set connection_state = $2, disconnected_at = $3 where sid = $1', [
        template.wabaSid,
        state,
        at,
      ]);
    await connect('DISCONNECTED', app.clock.now());
    await assert.rejects(submit(template, {}));
    app.clock.advance(72 * hourMs);
    await submit(template, {});
    await connect('CONNECTED', null);
    const after = await read(template);
    assert.deepEqual([after.pendingChange, after.failure.code], [null, 'WABA_NOT_CONNECTED']);
  });
});

test('reading the list also submits at once what still waits, also when its job is gone', async () => {
  const [waiting, lost, done] = [await create(), await create(), await create()];
  await submit(done, { createTemplate: () => later('VALIDATION_ERROR') });
  const keyOf = ({ sid }: Template) => `template:${sid}`;
  await app.sql(
    "update graphile_worker._private_jobs set run_at = now() + '6 h', attempts = 12 where key = $1",
    [keyOf(waiting)],
  );
  await app.sql('delete from graphile_worker._private_jobs where key = any($1)', [
    [keyOf(lost), keyOf(done)],
  ]);
  const listTemplates = async () => ({ ok: true as const, value: { items: [], after: null } });
  await runJob({ app, provider: { listTemplates } }, readTemplates, { wabaSid: waiting.wabaSid });
  const due = await app.sql<{ key: string; attempts: number }>(
    'select key, attempts from graphile_worker.jobs where key = any($1) and run_at <= now() order by key',
    [[waiting, lost, done].map(keyOf)],
  );
  assert.deepEqual(
    due,
    [waiting, lost].map((template) => ({ key: keyOf(template), attempts: 0 })),
  );
});
