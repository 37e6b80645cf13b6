import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../test/harness/app.ts';
import { messagesOf } from '../../../../test/harness/messages.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import { claimMessages } from './claim-messages.ts';

const waiting = 5_000;
const limit = 20;

test('a claim among thousands of messages due at one moment reads little more than it takes, in their order', async (context) => {
  const app = await startTestApp(context);
  const messages = await messagesOf(app);
  const sid = await messages.accepted();
  const { senderSid } = messages;
  // The same message again and again, under SIDs that sort after it.
  for (const table of ['messages', 'message_states']) {
    await app.sql(
      `insert into ${table} select (jsonb_populate_record(one,
        jsonb_build_object('sid', $1 || lpad(n::text, 6, '0'), 'address', '+3361' || lpad(n::text, 7, '0')))).*
      from ${table} one, generate_series(1, $2::int) n where one.sid = $1`,
      [sid, waiting],
    );
  }
  await app.sql('analyze messages, message_states');
  const { taken, read } = await messages.write(async (t) => {
    const { handOffs } = (await claimMessages(t, { senderSid, limit, processId: newUuid(t.now) }))!;
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
