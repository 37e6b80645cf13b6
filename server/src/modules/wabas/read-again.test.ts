// Business accounts are read again within the hour, so that a lost callback is made up for.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { runJob, write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { wabaHooks } from '../../main/hooks.ts';
import { createLog } from '../../platform/observability/logging.ts';
import { createMetrics } from '../../platform/observability/metrics.ts';
import type { Answered, Page, Provider, ProviderFailure } from '../provider/index.ts';
import { applyPhoneNumberUpdate } from '../senders/index.ts';
import { insertWaba } from './fixtures.ts';
import { observeReadings, readAgainJob, readDueAgain } from './read-again.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
});

const job = readAgainJob(wabaHooks);
const cron = readDueAgain(job);
const minuteMs = 60_000;

/** An account whose sandbox was read once, and what belongs to it. */
async function fresh() {
  const { accountSid, sandboxKey } = await app.newAccount();
  const headers = { authorization: `Bearer ${sandboxKey}` };
  const get = async (path: string) => (await app.get(`/v1/accounts/${accountSid}${path}`, headers)).body;
  const [waba] = (await get('/wabas')).data;
  const read = (provider: Partial<Provider> = {}) => {
    app.clock.advance(1_000);
    const asked = { ...app.ports.provider, ...provider };
    return runJob({ app, accountSid, provider: asked }, job, { wabaSid: waba.sid });
  };
  const events = async () =>
    (
      await app.sql<{ type: string; sid: string }>(
        'select type, resource_sid as sid from events where account_sid = $1 order by sequence',
        [accountSid],
      )
    ).map(({ type, sid }) => [type, sid]);
  const schedule = async () =>
    (
      await app.sql<{ due: Date; readAt: Date | null; failures: number }>(
        'select read_due_at as due, read_at as "readAt", read_failures as failures from wabas where sid = $1',
        [waba.sid],
      )
    )[0]!;
  return { accountSid, waba, get, read, events, schedule };
}

/** What the provider answers, changed on the way. */
const changing =
  <T>(call: (...given: never[]) => Promise<Answered<Page<T>>>, change: (item: T, i: number) => T) =>
  async (...given: unknown[]): Promise<Answered<Page<T>>> => {
    const answered = await call(...(given as never[]));
    if (!answered.ok) return answered;
    return { ok: true, value: { ...answered.value, items: answered.value.items.map(change) } };
  };

const failing =
  (more: Partial<ProviderFailure> = {}) =>
  async () => ({
    ok: false as const,
    failure: {
      code: 'PROVIDER_TEMPORARY_ERROR' as const,
      retryable: true,
      providerCode: 4,
      providerSubcode: null,
      reason: 'Application request limit reached',
      retryAfterMs: null,
      ...more,
    },
  });

suite('reading a business account again', () => {
  test('changes nothing and tells nothing when nothing changed', async () => {
    const { accountSid, read, events, schedule } = await fresh();
    const facts = async () => [
      await app.sql('select to_jsonb(s) - $2 as row from senders s where account_sid = $1 order by sid', [
        accountSid,
        'said_at',
      ]),
      await app.sql('select * from templates where account_sid = $1 order by sid', [accountSid]),
      await app.sql('select to_jsonb(p) - $2 as row from portfolios p where account_sid = $1', [
        accountSid,
        'limits_updated_at',
      ]),
      await app.count(`sender_status_history where account_sid = '${accountSid}'`),
    ];
    await read();
    const known = await facts();
    assert.deepEqual(await events(), []);
    await read();
    assert.deepEqual(await facts(), known);
    assert.deepEqual(await events(), []);
    assert.deepEqual((await schedule()).readAt, app.clock.now());
  });

  test('tells what callbacks that were lost would have told, once', async () => {
    const { read, events, get, waba } = await fresh();
    const { provider } = app.ports;
    const lost = {
      listPhoneNumbers: changing(provider.listPhoneNumbers, (number, i) => ({
        ...number,
        messagingLimit: 'TIER_100K',
        ...(i === 0 && { qualityRating: 'RED', status: 'RESTRICTED', nameStatus: 'DECLINED' }),
      })),
      listTemplates: changing(provider.listTemplates, (template, i) => ({
        ...template,
        ...(i === 0 && { status: 'PAUSED', qualityScore: 'RED' }),
        ...(i === 1 && { category: 'MARKETING', qualityScore: 'YELLOW' }),
      })),
    } as Partial<Provider>;
    await read(lost);
    const told = await events();
    assert.deepEqual(told.map(([type]) => type).sort(), [
      'portfolio.updated',
      'sender.updated',
      'template.paused',
      'template.updated',
    ]);
    const senderSid = told.find(([type]) => type === 'sender.updated')![1];
    const sender = await get(`/senders/${senderSid}`);
    assert.deepEqual([sender.status, sender.quality, sender.nameStatus], ['RESTRICTED', 'RED', 'DECLINED']);
    const [change] = (await get(`/senders/${senderSid}/status-history`)).data;
    assert.deepEqual([change.status, change.reason], ['RESTRICTED', 'read from the provider']);
    const [portfolio] = (await get('/portfolios')).data;
    assert.equal(portfolio.limits.messaging.tier, 'TIER_100K');
    assert.equal(told.find(([type]) => type === 'portfolio.updated')![1], waba.portfolio.id);
    await read(lost);
    assert.equal((await events()).length, told.length);
  });

  test('leaves what a callback told while it was reading', async () => {
    const { accountSid, read, get, waba } = await fresh();
    const [sender] = waba.senders;
    const { listPhoneNumbers } = app.ports.provider;
    await read({
      async listPhoneNumbers(...given) {
        const answered = await listPhoneNumbers(...given);
        app.clock.advance(10);
        const update = { displayPhoneNumber: sender.phoneNumber, occurredAt: app.clock.now() };
        await write({ app, accountSid }, (t) =>
          applyPhoneNumberUpdate(t, {
            ...update,
            kind: 'quality',
            event: 'FLAGGED',
            messagingLimit: null,
            wabaSid: waba.sid,
            senderSid: null,
          }),
        );
        return answered;
      },
    });
    assert.equal((await get(`/senders/${sender.sid}`)).status, 'FLAGGED');
    await read();
    assert.equal((await get(`/senders/${sender.sid}`)).status, 'CONNECTED');
  });

  test('goes on past a number that somebody else has', async () => {
    const [theirs, ours] = [await fresh(), await fresh()];
    const [stolen] = await app.sql<{ id: string }>(
      'select provider_phone_number_id as id from senders where account_sid = $1',
      [theirs.accountSid],
    );
    const { listPhoneNumbers } = app.ports.provider;
    await ours.read({
      async listPhoneNumbers(...given) {
        const answered = await listPhoneNumbers(...given);
        assert.ok(answered.ok);
        const [first, ...rest] = answered.value.items;
        const items = [
          { ...first!, id: stolen!.id },
          ...rest.map((one) => ({ ...one, qualityRating: 'RED' })),
        ];
        return { ok: true, value: { ...answered.value, items } };
      },
    });
    const qualities = (await ours.get('/senders')).data.map(({ quality }: { quality: string }) => quality);
    assert.ok(qualities.includes('RED'), String(qualities));
    assert.equal((await ours.schedule()).failures, 1);
  });
});

suite('a reading that fails', () => {
  test('is tried again soon, later each time, and never later than an ordinary one', async () => {
    const { read, schedule, events } = await fresh();
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await read({ listPhoneNumbers: failing() });
      waits.push(((await schedule()).due.getTime() - app.clock.now().getTime()) / minuteMs);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 50, 50]);
    const { registry } = createMetrics();
    observeReadings({ registry, database: app.database, now: () => app.clock.now(), site: app.site });
    assert.match(
      await registry.metrics(),
      /godwit_provider_readings_total\{environment="sandbox",outcome="failed"\} [1-9]/,
    );
    assert.deepEqual(await events(), []);
    await read();
    assert.equal((await schedule()).failures, 0);
  });

  test('waits as long as the provider asks for', async () => {
    const { read, schedule } = await fresh();
    await read({ listTemplates: failing({ retryAfterMs: 90 * minuteMs }) });
    assert.equal((await schedule()).due.getTime(), app.clock.now().getTime() + 90 * minuteMs);
  });
});

suite('the clock', () => {
  const queued = (wabaSid: string) =>
    app.count(
      `graphile_worker.jobs where task_identifier = 'wabas.read-again' and key = 'read-again/${wabaSid}'`,
    );
  const tick = () =>
    cron.run({
      database: app.database,
      now: () => app.clock.now(),
      log: createLog('silent'),
      signal: new AbortController().signal,
    } as never);

  test('queues every connected account once within 50 minutes, in both environments', async () => {
    const { accountSid, waba, schedule } = await fresh();
    const gone = await fresh();
    await app.sql(
      `update wabas set connection_state = 'DISCONNECTED', disconnected_at = now(), read_due_at = $2 where sid = $1`,
      [gone.waba.sid, app.clock.now()],
    );
    const live = await insertWaba(app, { accountSid, livemode: true });
    await app.sql('update wabas set read_due_at = $2 where sid = $1', [live, app.clock.now()]);
    const first = (await schedule()).due.getTime() - app.clock.now().getTime();
    assert.ok(first >= 0 && first <= 50 * minuteMs, String(first));
    app.clock.advance(50 * minuteMs);
    await tick();
    await tick();
    assert.deepEqual([await queued(waba.sid), await queued(live), await queued(gone.waba.sid)], [1, 1, 0]);
    const { due } = await schedule();
    assert.equal(due.getTime(), app.clock.now().getTime() + 50 * minuteMs);
  });
});
