import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../test/harness/app.ts';
import { emitAnything } from '../../test/harness/events.ts';
import { silentLog } from './observability/logging.ts';
import { systemPrincipal } from './principal.ts';

const writers = 50;
const perWriter = 200;

test('50 writers give 10,000 events one sequence without gap or repeat, in the order of their commits', async (context) => {
  const app = await startTestApp(context);
  const tenant = { accountSid: app.accountSid, livemode: true };
  const requestContext = {
    principal: systemPrincipal('test', true),
    now: app.clock.now(),
    requestId: 'test',
    log: silentLog,
  };
  let writing = true;
  let looks = 0;
  // Whoever looks at any moment sees 1..n: a later number never becomes visible before an earlier one.
  const observe = async () => {
    for (; writing; looks += 1) {
      const [seen] = await app.sql<{ n: string; last: string }>(
        'select count(*) as n, coalesce(max(sequence), 0) as last from events where account_sid = $1 and livemode',
        [app.accountSid],
      );
      assert.equal(seen!.n, seen!.last);
    }
  };
  const observing = observe();
  const write = async (writer: number) => {
    for (let done = 0; done < perWriter; ) {
      const batch = Math.min(1 + ((writer + done) % 4), perWriter - done);
      const rollsBack = (writer + done) % 7 === 0;
      await app.database
        .write(tenant, requestContext, async (t) => {
          for (let i = 0; i < batch; i += 1) emitAnything(t, 'test.ping', { sid: `${writer}`, n: done + i });
          if (rollsBack) throw new Error('changed my mind');
        })
        .then(
          () => assert.ok(!rollsBack),
          (error) => assert.equal(error.message, 'changed my mind'),
        );
      if (!rollsBack) done += batch;
      else
        await app.database
          .write(tenant, requestContext, async (t) => {
            for (let i = 0; i < batch; i += 1)
              emitAnything(t, 'test.ping', { sid: `${writer}`, n: done + i });
          })
          .then(() => {
            done += batch;
          });
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  writing = false;
  await observing;
  assert.ok(looks > 10, `only ${looks} looks`);

  const rows = await app.sql<{ sequence: string; writer: string; n: number }>(
    "select sequence, data ->> 'sid' as writer, (data ->> 'n')::int as n from events where account_sid = $1 and livemode order by sequence",
    [app.accountSid],
  );
  assert.equal(rows.length, writers * perWriter);
  const next = new Map<string, number>();
  for (const [i, { sequence, writer, n }] of rows.entries()) {
    assert.equal(Number(sequence), i + 1);
    assert.equal(n, next.get(writer) ?? 0, `events of writer ${writer} are in the order it wrote them`);
    next.set(writer, n + 1);
  }
});

test('live and sandbox events are numbered apart', async (context) => {
  const app = await startTestApp(context);
  for (const livemode of [true, false]) {
    const requestContext = {
      principal: systemPrincipal('test', livemode),
      now: app.clock.now(),
      requestId: 'r',
      log: silentLog,
    };
    await app.database.write({ accountSid: app.accountSid, livemode }, requestContext, async (t) =>
      emitAnything(t, 'test.ping', {}),
    );
  }
  const rows = await app.sql('select sequence::int, livemode from events order by livemode');
  assert.deepEqual(rows, [
    { sequence: 1, livemode: false },
    { sequence: 1, livemode: true },
  ]);
});
