import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { messagesOf } from '../../../../test/harness/messages.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import { claimMessages } from './claim-messages.ts';
import { dispatchLanes, type LeasedLane } from './lanes.ts';

const waiting = 5_000;
const limit = 20;

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

/** Leases the lane of a sender with something due to a process of its own. */
async function leased(senderSid: string): Promise<LeasedLane> {
  const asking = { processId: newUuid(app.clock.now()), now: app.clock.now(), most: 100 };
  const found = await app.database.system((s) => dispatchLanes.lease(s, asking));
  return found.find((lane) => lane.senderSid === senderSid)!;
}

test('a claim among thousands of messages due at one moment reads little more than it takes, in their order', async () => {
  const messages = await messagesOf(app);
  const sid = await messages.accepted();
  const lane = await leased(messages.senderSid);
  // The same message again and again, under SIDs that sort after it.
  for (const table of ['messages', 'message_states']) {
    await app.sql(
      `insert into ${table} select (jsonb_populate_record(one,
        jsonb_build_object('sid', left($1, 12) || 'ZZZZZZZZZZ' || lpad(n::text, 6, '0'), 'address', '+3361' || lpad(n::text, 7, '0')))).*
      from ${table} one, generate_series(1, $2::int) n where one.sid = $1`,
      [sid, waiting],
    );
  }
  await app.sql('analyze messages, message_states');
  const { taken, read } = await messages.write(async (t) => {
    const { handOffs } = (await claimMessages(t, { lane, limit }))!;
    const { read } = await t.one<{ read: number }>(sql`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_xact_user_tables
       where relname in ('messages', 'message_states')`);
    return { taken: handOffs.map(({ message }) => message.sid), read };
  });
  assert.equal(taken.length, limit);
  assert.deepEqual(taken, taken.toSorted());
  assert.equal(taken[0], sid);
  assert.ok(read < limit * 20, `${read} rows were read for ${limit} messages`);
});

test('a claim in a lane that was lost meanwhile takes nothing', async () => {
  const messages = await messagesOf(app);
  const sid = await messages.accepted();
  const lost = await leased(messages.senderSid);
  await app.sql('update dispatch_lanes set holder = null, due_at = $1 where sender_sid = $2', [
    app.clock.now(),
    messages.senderSid,
  ]);
  const held = await leased(messages.senderSid);
  const claimed = async (lane: LeasedLane) => {
    const { handOffs } = (await messages.write((t) => claimMessages(t, { lane, limit })))!;
    return handOffs.map(({ message }) => message.sid);
  };
  assert.deepEqual(await claimed(lost), []);
  assert.deepEqual(await claimed({ ...lost, holder: held.holder }), []);
  assert.deepEqual(await claimed(held), [sid]);
});
