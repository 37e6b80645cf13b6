// A database of which PostgreSQL knows nothing: fresh, just restored, or with vacuuming left behind. Whatever happens to every
// message must find its rows by their whole key then too, and not read an account's rows one by one.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import pg from 'pg';
import { laneStates } from '../src/modules/messages/dispatch/lane-states.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import type { Lifetime } from './harness/lifetime.ts';
import { dispatcherOf, fakeProvider } from './harness/messages.ts';
import { cloneDatabase } from './harness/postgres.ts';
import { until } from './harness/until.ts';
import { onThisMachine, startReceiver, verifiedEndpoint } from './harness/webhooks.ts';

const rows = 30_000;
const messages = 20;
/** What all of it together may read of one table: some looks of every loop, and a small multiple of what is worked on. */
const mostRead = rows / 6;

const suffix = `lpad(n::text, 8, '0')`;
const numbered = (column: string) => `one.${column} || ${suffix}`;
const phone = `'+3399' || ${suffix}`;

/** By table, what tells one row from another. */
const keys: Record<string, Record<string, string>> = {
  contacts: { sid: numbered('sid') },
  contact_identifiers: { id: 'gen_random_uuid()', contact_sid: numbered('contact_sid'), value: phone },
  consent_states: { contact_sid: numbered('contact_sid') },
  suppressions: { sid: numbered('sid'), contact_sid: numbered('contact_sid') },
  messages: { sid: numbered('sid'), contact_sid: numbered('contact_sid'), address: phone },
  message_states: { sid: numbered('sid') },
  message_attempts: { message_sid: numbered('message_sid') },
  message_holds: { message_sid: numbered('message_sid') },
  provider_messages: {
    provider_message_id: numbered('provider_message_id'),
    message_sid: numbered('message_sid'),
  },
  provider_changes: { key: 'int8send(n)' },
  pair_rates: { address: phone },
  events: { sequence: '-n', sid: numbered('sid') },
  idempotency_keys: { key: numbered('key') },
  webhook_deliveries: { sid: numbered('sid'), event_sequence: '-n', event_sid: numbered('event_sid') },
  webhook_attempts: { delivery_sid: numbered('delivery_sid') },
};

/** How statements are planned: first for what they are asked, and after a few times once for whatever they are asked. */
const plans = { 'planned for each question': 'force_custom_plan', 'planned once': 'force_generic_plan' };

async function databaseThatPlans(lifetime: Lifetime, mode: string): Promise<string> {
  const { url, drop } = await cloneDatabase();
  lifetime.after(drop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter database ${client.database} set plan_cache_mode = ${mode}`);
  await client.end();
  return url;
}

/** Copies one row of the account so many times. References are not looked up: nobody follows them. */
async function grow(app: TestApp, table: string): Promise<void> {
  const columns = await app.sql<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attgenerated = ''`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => keys[table]![name] ?? `one.${name}`);
  await app.sql(`
    set session_replication_role = replica;
    alter table ${table} set (autovacuum_enabled = false);
    insert into ${table} (${names.join(', ')})
    select ${values.join(', ')} from (
      select * from ${table} where account_sid = '${app.accountSid}' and not livemode limit 1) as one,
      generate_series(1, ${rows}) as n;
    set session_replication_role = origin`);
}

async function readByTable(app: TestApp): Promise<Record<string, number>> {
  const found = await app.sql<{ name: string; read: string }>(`
    select t.relname as name, t.seq_tup_read + coalesce((
        select sum(i.idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid), 0) as read
      from pg_stat_user_tables t`);
  return Object.fromEntries(found.map(({ name, read }) => [name, Number(read)]));
}

suite('sending, dispatch, callbacks and webhooks read little more than they work on', () => {
  for (const [planned, mode] of Object.entries(plans)) {
    test(planned, (context) => passThrough(context, mode));
  }
});

async function passThrough(context: TestContext, mode: string): Promise<void> {
  // The history it is given is copied rows, without the transfers of their money.
  const databaseUrl = await databaseThatPlans(context, mode);
  const options = {
    role: 'all',
    simulator: true,
    env: onThisMachine,
    wrongBooks: true,
    databaseUrl,
  } as const;
  const app = await startTestApp(context, options);
  const receiver = await startReceiver(context);
  await verifiedEndpoint(app, receiver.url);
  const { body: senders } = await app.get(`${app.at}/senders`);
  let person = 0;
  const send = async (count: number): Promise<void> => {
    const bodies = Array.from({ length: count }, () => ({
      from: senders.data[0].sid,
      to: `+336${10_000_000 + ++person}`,
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    }));
    const answers = await Promise.all(bodies.map((body) => app.post(`${app.at}/messages`, body)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    const sids = new Set(answers.map(({ body }) => body.sid));
    await until('all are delivered and told of', () => {
      const told = receiver.events().filter(({ event }) => event.type === 'message.delivered');
      return told.filter(({ event }) => sids.has(event.data.sid)).length >= count;
    });
  };
  await send(1);
  const [contact] = await app.sql<{ sid: string }>('select sid from contacts limit 1');
  await app.post(`${app.at}/contacts/${contact!.sid}/consents`, {
    purpose: 'SUPPORT',
    source: 'FORM',
    status: 'OPTED_IN',
  });
  await app.post(`${app.at}/contacts/${contact!.sid}/suppressions`, {
    reason: 'COMPLAINT',
    scope: 'MARKETING',
    source: 'test',
  });
  for (const table of Object.keys(keys)) await grow(app, table);
  await app.sql('select pg_stat_force_next_flush(); select pg_stat_reset()');
  await send(messages);
  const dispatcher = await dispatcherOf(app, { provider: fakeProvider() });
  await dispatcher.sweep();
  await app.database.system((s) => laneStates(s, app.clock.now()));
  // What connections read is counted at the latest when they end.
  await app.stop();
  const read = await readByTable(app);
  const tooMuch = Object.keys(keys).filter((table) => read[table]! > mostRead);
  context.diagnostic(
    JSON.stringify(Object.fromEntries(Object.keys(keys).map((table) => [table, read[table]]))),
  );
  assert.deepEqual(
    tooMuch.map((table) => [table, read[table]]),
    [],
  );
}
