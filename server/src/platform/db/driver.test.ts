// The driver's insides that `statement.ts`, `submit.ts`, `readers.ts` and `silence.ts` reach into. An upgrade that changes
// them must fail here, and not in production: so its version is pinned, and what is relied upon is asked of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import { cloneDatabase } from '../../../test/harness/postgres.ts';
import { runStatement, type Types } from './statement.ts';

/** The versions this file was last read against; change them after reading what changed in the driver. */
const versions = { pg: '8.23.1', 'pg-protocol': '1.16.1' };

type Inner = {
  connection: {
    stream: Socket;
    parsedStatements: Record<string, string>;
    submittedNamedStatements: Record<string, string>;
  };
  _activeQuery: unknown;
  _sentQueryQueue: unknown[];
  _queryQueue: unknown[];
};

let url: string;
let drop: () => Promise<void>;
let client: pg.Client;
let inner: Inner;
const types: Types = pg.types;

before(async () => {
  ({ url, drop } = await cloneDatabase());
  client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
  await client.connect();
  inner = client as unknown as Inner;
});
after(async () => {
  await client.end();
  await drop();
});

const run = (text: string, name?: string) => runStatement(client, { text, name, values: [], types });

test('is pinned, and installed as it is pinned', async () => {
  const read = async (path: string, from: string) => JSON.parse(await readFile(new URL(path, from), 'utf8'));
  const own = await read('../../../package.json', import.meta.url);
  for (const [name, version] of Object.entries(versions)) {
    const installed = await read('../package.json', import.meta.resolve(name));
    assert.deepEqual([name, own.dependencies[name], installed.version], [name, version, version]);
  }
});

suite('a connection', () => {
  test('shows its socket, whose writes can be held back and whose bytes are counted', async () => {
    const { stream } = inner.connection;
    assert.ok(stream instanceof Socket);
    const before = stream.bytesRead;
    await run('select 1 as one');
    assert.ok(stream.bytesRead > before);
  });
  test('shows what it owes an answer to, and that it owes none', async () => {
    const owed = () =>
      Number(Boolean(inner._activeQuery)) + inner._sentQueryQueue.length + inner._queryQueue.length;
    assert.equal(owed(), 0);
    const asked = Promise.all([run('select 1 as one'), run('select 2 as two')]);
    assert.equal(owed(), 2);
    await asked;
    // It is told of the end one step before the driver has put the statement away.
    await new Promise(setImmediate);
    assert.equal(owed(), 0);
  });
  test('remembers the statements PostgreSQL knows by name, and forgets those it refused', async () => {
    const { parsedStatements, submittedNamedStatements } = inner.connection;
    const known = run('select 1 as one', 'known');
    assert.equal(submittedNamedStatements.known, 'select 1 as one');
    await known;
    await assert.rejects(run('select nothing_of_this_name', 'refused'), { code: '42703' });
    assert.deepEqual(Object.keys(parsedStatements), ['known']);
    assert.deepEqual(Object.keys(submittedNamedStatements), []);
  });
  test('sends statements of ours before others are answered, and those of strangers not', async () => {
    const stranger = {
      submit: () => assert.fail('it was sent'),
      handleError(error: Error) {
        refused = error.message;
      },
    };
    let refused = '';
    const ours = [run('select 1 as one'), run('select 2 as two')];
    client.query(stranger as unknown as pg.Submittable);
    await Promise.all(ours);
    assert.match(refused, /pipeline/);
  });
});

test('values are written as PostgreSQL reads them', () => {
  const bytes = Buffer.from([0, 255]);
  const written = [null, undefined, 7, true, 'a', { b: 1 }, ['x', null, 'y"z']].map(utils.prepareValue);
  assert.deepEqual(written, [null, null, '7', 'true', 'a', '{"b":1}', '{"x",NULL,"y\\"z"}']);
  assert.equal(utils.prepareValue(bytes), bytes);
  assert.match(String(utils.prepareValue(new Date(0))), /^(1970-01-01|1969-12-31)T/);
});

test('messages are written as the protocol names them', () => {
  const letters = [
    serialize.parse({ name: 'n', text: 'select 1' }),
    serialize.bind({ statement: 'n', values: ['a', null] }),
    serialize.describe({ type: 'P' }),
    serialize.execute(),
    serialize.sync(),
  ].map((message) => String.fromCharCode(message[0]!));
  assert.deepEqual(letters, ['P', 'B', 'D', 'E', 'S']);
});

test('a pool counts its connections and tells whose comes and goes', async () => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const heard: string[] = [];
  pool.on('connect', (one) => heard.push(`connect ${one instanceof pg.Client}`));
  pool.on('acquire', (one) => heard.push(`acquire ${one instanceof pg.Client}`));
  pool.on('release', (_error, one) => heard.push(`release ${one instanceof pg.Client}`));
  pool.on('remove', (one) => heard.push(`remove ${one instanceof pg.Client}`));
  const counts = () => [pool.totalCount, pool.idleCount, pool.waitingCount, pool.options.max];
  const held = await pool.connect();
  const waiting = pool.connect();
  assert.deepEqual(counts(), [1, 0, 1, 1]);
  held.release();
  const removed = once(pool, 'remove');
  (await waiting).release(new Error('in doubt'));
  await removed;
  assert.deepEqual(counts(), [0, 0, 0, 1]);
  await pool.end();
  const seen = ['connect', 'acquire', 'release', 'acquire', 'release', 'remove'];
  assert.deepEqual(
    heard,
    seen.map((event) => `${event} true`),
  );
});
