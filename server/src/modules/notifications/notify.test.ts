import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { eventTypes } from '../../main/modules.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import { audit } from '../audit/index.ts';
import { notificationType, notify } from './index.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const day = 24 * 60 * 60 * 1000;
const rejected = () => notificationType('template.rejected')!;
const to = { scope: 'wabas:write' };
const newTemplate = () => newSid('TM', app.clock.now());
const rowsOf = (resource: string) =>
  app.sql<{ count: number; audience: string; created_at: Date; last_at: Date; params: object }>(
    'select count, audience, created_at, last_at, params from notifications where resource = $1 order by id',
    [resource],
  );
const counts = async (resource: string) => (await rowsOf(resource)).map(({ count }) => count);
const eventType = (name: string) => eventTypes.find((type) => type.name === name)!;

test('a notification is written with the transaction that emits its event, or not at all', async () => {
  const [kept, undone] = [newTemplate(), newTemplate()];
  const happen = (sid: string) => (t: TenantTx) => {
    const type = eventType('template.rejected');
    emit(t, type, { ...type.sample, sid, accountSid: app.accountSid });
  };
  await write({ app }, async (t) => happen(kept)(t));
  await assert.rejects(
    write({ app }, async (t) => {
      happen(undone)(t);
      throw new Error('something else went wrong');
    }),
  );
  const [row] = await rowsOf(kept);
  assert.deepEqual([row!.audience, row!.params], ['scope:wabas:write', { resource: kept }]);
  assert.deepEqual(await rowsOf(undone), []);
});

test('an audited act tells of it in the same way', async () => {
  const id = crypto.randomUUID();
  await write({ app }, async (t) => audit(t, { action: 'api_key.rotated', resource: id }));
  assert.deepEqual(
    (await rowsOf(id)).map(({ audience }) => audience),
    ['scope:audit:read'],
  );
});

test('what is no registered type adds nothing to a transaction', async () => {
  const flushes: string[] = [];
  await write({ app }, async (t) => {
    const watched: TenantTx = { ...t, atCommit: ({ name }) => void flushes.push(name) };
    for (const type of eventTypes.filter(({ name }) => name.startsWith('message.')))
      emit(watched, type, type.sample);
    audit(watched, { action: 'inbox.created', resource: newSid('IB', t.now) });
  });
  assert.deepEqual([...new Set(flushes)].sort(), ['audit', 'events']);
});

test('the same again within a day counts up, and after a day is told anew', async () => {
  const sid = newTemplate();
  const happens = (times = 1) =>
    write({ app }, async (t) => {
      for (let at = 0; at < times; at += 1) notify(t, rejected(), { to, resource: sid });
    });
  await happens();
  app.clock.advance(day - 1);
  await happens(2);
  assert.deepEqual(await counts(sid), [3]);
  const [row] = await rowsOf(sid);
  assert.equal(row!.last_at.getTime() - row!.created_at.getTime(), day - 1);
  app.clock.advance(1);
  await happens();
  assert.deepEqual(await counts(sid), [3, 1]);
  await happens();
  assert.deepEqual(await counts(sid), [3, 2]);
});

test('the same for other people, of another type or in another environment counts by itself', async () => {
  const sid = newTemplate();
  await write({ app }, async (t) => {
    notify(t, rejected(), { to, resource: sid });
    notify(t, rejected(), { to: { part: newSid('IB', t.now) }, resource: sid });
    notify(t, notificationType('template.paused')!, { to, resource: sid });
  });
  await write({ app, livemode: true }, async (t) => notify(t, rejected(), { to, resource: sid }));
  assert.deepEqual(await counts(sid), [1, 1, 1, 1]);
});

test('many who tell the same at once count every one, also when the day has just ended', async () => {
  const sid = newTemplate();
  const all = () =>
    Promise.all(
      Array.from({ length: 12 }, () =>
        write({ app }, async (t) => notify(t, rejected(), { to, resource: sid })),
      ),
    );
  await all();
  app.clock.advance(day);
  await all();
  assert.deepEqual(await counts(sid), [12, 12]);
});
