import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../../test/harness/postgres.ts';
import { prepareEntering, runStatement, type Types } from './statement.ts';

let url: string;
let drop: () => Promise<void>;
let client: pg.Client;
const types: Types = pg.types;
const inside = { accountSid: 'AC01M7EFRXGBFCR29V3G3NK609QQ', livemode: true };

before(async () => {
  ({ url, drop } = await cloneDatabase());
  client = await connect();
});
after(async () => {
  await client.end();
  await drop();
});

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
  opened.on('error', () => {});
  await opened.connect();
  prepareEntering(opened);
  return opened;
}

const run = (text: string, values: unknown[] = [], more: object = {}) =>
  runStatement(client, { text, values, types, ...more });
const tenantNow = `select current_setting('app.accounts', true) as accounts, current_setting('app.livemode', true) as livemode`;
const nobody = [{ accounts: '', livemode: '' }];

test('values go in and come out as what they are, the first time and every time after', async () => {
  const text =
    'select $1::text as text, $2::int as n, $3::bool as yes, $4::jsonb as json, $5::text[] as list, $6::bytea as bytes, null::text as "nothing"';
  const values = ['a\n"é😀', 7, true, { deep: [1, null] }, ['x', 'y, z', null], Buffer.from([0, 255])];
  const row = {
    text: values[0],
    n: 7,
    yes: true,
    json: values[3],
    list: values[4],
    bytes: values[5],
    nothing: null,
  };
  for (const name of ['values', 'values', 'values', undefined, undefined])
    assert.deepEqual((await run(text, values, { name })).rows, [row]);
});

test('no rows, many rows and no columns at all are told apart', async () => {
  for (let time = 0; time < 2; time += 1) {
    const name = (of: string) => ({ name: of });
    assert.deepEqual(await run('select 1 as a where false', [], name('none')), { rows: [], count: 0 });
    assert.deepEqual(await run('select g from generate_series(1, 3) g', [], name('three')), {
      rows: [{ g: 1 }, { g: 2 }, { g: 3 }],
      count: 3,
    });
    assert.equal((await run('create temp table if not exists kept (a int)', [], name('make'))).count, 0);
    assert.deepEqual(await run('insert into kept values (1), (2)', [], name('insert')), {
      rows: [],
      count: 2,
    });
    const returned = await run('update kept set a = a returning a', [], name('update'));
    assert.deepEqual([returned.count, returned.rows.length], [2 + 2 * time, 2 + 2 * time]);
  }
});

test('a statement enters its tenant and leaves nothing behind, whatever becomes of it', async () => {
  const entered = [{ accounts: inside.accountSid, livemode: 'true' }];
  for (const name of ['tenant', 'tenant', undefined]) {
    assert.deepEqual((await run(tenantNow, [], { name, inside })).rows, entered);
    assert.deepEqual((await run(tenantNow, [], { name })).rows, nobody);
  }
  await assert.rejects(run('select 1 / $1::int as one', [0], { name: 'divide', inside }), { code: '22012' });
  assert.deepEqual((await run(tenantNow, [], { name: 'tenant' })).rows, nobody);
});

test('statements sent together each have their own tenant and their own failure', async () => {
  const other = { accountSid: 'AC01M7EFRXGBFCR29V3G3NK6AAAA', livemode: false };
  const settled = await Promise.allSettled([
    run(tenantNow, [], { name: 'tenant', inside }),
    run('select 1 / $1::int as one', [0], { name: 'divide', inside: other }),
    run('select nonsense', [], { name: 'nonsense', inside }),
    run(tenantNow, [], { name: 'tenant', inside: other }),
    run(tenantNow, [], { name: 'tenant' }),
  ]);
  const told = settled.map((one) => (one.status === 'fulfilled' ? one.value.rows[0] : one.reason.code));
  assert.deepEqual(told, [
    { accounts: inside.accountSid, livemode: 'true' },
    '22012',
    '42703',
    { accounts: other.accountSid, livemode: 'false' },
    nobody[0],
  ]);
});

test('a statement that could not be understood may be understood later', async () => {
  const ask = () => run('select a from later', [], { name: 'later', inside });
  await assert.rejects(ask(), { code: '42P01' });
  await run('create temp table later as select 5 as a');
  assert.deepEqual((await ask()).rows, [{ a: 5 }]);
  assert.deepEqual((await ask()).rows, [{ a: 5 }]);
});

test('what cannot be written or read fails alone', async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  await assert.rejects(run('select $1::jsonb as a', [circular], { name: 'json' }), /circular/i);
  const spoiled: Types = {
    getTypeParser: () => () => {
      throw new Error('unreadable');
    },
  };
  await assert.rejects(run('select 1 as a', [], { types: spoiled, inside }), /unreadable/);
  assert.deepEqual((await run('select $1::jsonb as a', [{ b: 1 }], { name: 'json' })).rows, [
    { a: { b: 1 } },
  ]);
});

test('everything under way fails with its connection', async () => {
  const doomed = await connect();
  const waiting = [1, 2].map(() =>
    runStatement(doomed, { name: 'sleep', text: 'select pg_sleep(60)', values: [], types, inside }),
  );
  const settled = Promise.allSettled(waiting);
  await run('select pg_terminate_backend($1::int)', [(doomed as unknown as { processID: number }).processID]);
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await doomed.end();
});
