// Whoever runs a statement says what its rows look like, and the compiler believes it. So each statement is read from the
// code, and PostgreSQL is asked what it returns.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import pg from 'pg';
import { sharedLifetime } from './harness/lifetime.ts';
import { cloneDatabase } from './harness/postgres.ts';
import { deviations } from './row-types/compare.ts';
import { type Describe, describing } from './row-types/describe.ts';
import { openProgram, type Program } from './row-types/program.ts';
import { type DeclaredQuery, findQueries } from './row-types/queries.ts';

/** Statements nobody knows before a request has said what it looks for, by file and function. */
const writtenByRequests: Record<string, string> = {
  'ask.ts groupsOf': 'what messages are grouped by',
  'groups.ts listGroups': 'the filter and the order a directory asks for',
  'users.ts listUsers': 'the filter and the order a directory asks for',
  'search-all.ts searchAll': 'the filter of a search over all resources',
};

/** Columns the schema lets be null, and which no statement leaves empty. */
const alwaysSet: Record<string, string> = {
  'conversations.last_message_at': 'a conversation begins with a message',
  'conversations.last_message_sid': 'a conversation begins with a message',
};

const lifetime = sharedLifetime();
let program: Program;
let queries: DeclaredQuery[];
let client: pg.Client;
let describe: Describe;

before(async () => {
  program = openProgram();
  lifetime.after(async () => program.close());
  queries = findQueries(program);
  const { url, drop } = await cloneDatabase();
  client = new pg.Client({ connectionString: url });
  await client.connect();
  lifetime.after(async () => {
    await client.end();
    await drop();
  });
  describe = await describing(client, Object.keys(alwaysSet));
});

async function faultsOf(query: DeclaredQuery): Promise<string[]> {
  const { place, texts } = query;
  const faults: string[] = [];
  for (const text of texts) {
    try {
      const columns = await describe(text);
      faults.push(...deviations(program.checker, query, columns).map((deviation) => `${place} ${deviation}`));
    } catch (error) {
      faults.push(`${place} ${(error as Error).message}\n${text}`);
    }
  }
  return faults;
}

test('every row is declared as its statement returns it', async () => {
  const faults: string[] = [];
  for (const query of queries) faults.push(...(await faultsOf(query)));
  assert.deepEqual([...new Set(faults)], []);
});

test('every statement with rows is looked at, but for those that requests write', () => {
  const unresolved = queries.filter(({ unresolved }) => unresolved !== null);
  const unlisted = unresolved.filter(({ within }) => !(within in writtenByRequests));
  assert.deepEqual(
    unlisted.map(({ place, unresolved }) => `${place}: what stands here cannot be read: ${unresolved}`),
    [],
  );
  const names = new Set(unresolved.map(({ within }) => within));
  assert.deepEqual([...names].sort(), Object.keys(writtenByRequests).sort());
  // Were they no longer found, nothing of the above would be said of them.
  assert.ok(queries.length > 350, `${queries.length} statements`);
});

test('no column is listed as always set that the schema itself demands', async () => {
  const { rows } = await client.query<{ name: string }>(
    `select attrelid::regclass || '.' || attname as name from pg_attribute
      where not attnotnull and attrelid::regclass || '.' || attname = any ($1) order by 1`,
    [Object.keys(alwaysSet)],
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(alwaysSet).sort(),
  );
});

suite('what can be null', () => {
  const contact = 'select c.sid as a, c.display_name as b from contacts c';
  const cases: [string, string, Record<string, boolean | null>][] = [
    ['is what the schema lets', contact, { a: false, b: true }],
    ['is not what the query demands', `${contact} where c.display_name is not null`, { a: false, b: false }],
    ['is not what the query compares', `${contact} where c.display_name > $1`, { a: false, b: false }],
    [
      'is what an outer join may miss',
      'select c.sid as a, m.sid as b from contacts c left join messages m on m.contact_sid = c.sid',
      { a: false, b: true },
    ],
    [
      'is not the common column of a full join',
      'select sid as a from (select sid from contacts) c full join (select sid from messages) m using (sid)',
      { a: false },
    ],
    [
      'is a greatest of nothing, and not a count',
      'select max(sid) as a, count(*) as b from contacts',
      { a: true, b: false },
    ],
    [
      'is not a greatest of a group',
      'select livemode as a, max(sid) as b from contacts group by 1',
      { a: false, b: false },
    ],
    ['ends with a default', `select coalesce(display_name, '') as a from contacts`, { a: false }],
    ['is a case without an else', `select case when livemode then 1 end as a from contacts`, { a: true }],
    [
      'is not a comparison after a look',
      'select display_name is null or display_name > $1 as a, display_name > sid as b from contacts',
      { a: null, b: true },
    ],
    [
      'is what an update set',
      `update contacts set display_name = sid, locale = null returning display_name as a, locale as b`,
      { a: false, b: true },
    ],
    ['comes through queries by name', `with k as (${contact}) select a, b from k`, { a: false, b: true }],
    ['comes from either branch of a union', `${contact} union all select null, ''`, { a: true, b: true }],
    ['is not known of a parameter', 'select $1::text as a', { a: null }],
  ];
  for (const [what, text, expected] of cases) {
    test(what, async () => {
      const found = (await describe(text)).map(({ name, nullable }) => [name, nullable]);
      assert.deepEqual(Object.fromEntries(found), expected);
    });
  }
});
