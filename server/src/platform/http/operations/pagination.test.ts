import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const instruction = { task: 'TEMPLATE_APPEAL', resourceRef: 'r', instruction: 'Please appeal.' };

/** An account whose list starts empty. */
async function emptyList() {
  const { accountSid, sandboxKey, liveKey } = await app.newAccount();
  const path = `/v1/accounts/${accountSid}/authorizations`;
  const record = async () => {
    const answer = await app.post(path, instruction, bearer(sandboxKey));
    assert.equal(answer.status, 201);
    return answer.body as { id: string; createdAt: string };
  };
  const list = (query = '', key = sandboxKey) => app.get(`${path}?${query}`, bearer(key));
  return { accountSid, path, sandboxKey, liveKey, record, list };
}

type Row = { id: string; createdAt: string };

const isOrdered = (rows: Row[]) =>
  rows.every(
    (row, i) => i === 0 || `${rows[i - 1]!.createdAt} ${rows[i - 1]!.id}` > `${row.createdAt} ${row.id}`,
  );

/** Follows the cursors to the end, doing something between pages. */
async function walk(list: (query: string) => Promise<Reply>, limit: number, between: () => Promise<unknown>) {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? `limit=${limit}` : `limit=${limit}&cursor=${cursor}`;
    const { status, body }: Reply = await list(query);
    assert.equal(status, 200);
    assert.equal(body.object, 'list');
    assert.equal(body.hasMore, body.nextCursor !== null);
    assert.ok(body.data.length <= limit);
    if (body.hasMore) assert.equal(body.data.length, limit);
    rows.push(...body.data);
    cursor = body.nextCursor;
    await between();
  } while (cursor !== null);
  return rows;
}

test('walking the pages meets every row once, newest first, whatever the sizes', async () => {
  const sizes = fc.record({
    // How long after the one before each row is made: often at the same moment.
    gaps: fc.array(fc.constantFrom(0, 0, 1, 1_000), { maxLength: 24 }),
    limit: fc.integer({ min: 1, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ gaps, limit }) => {
      const { record, list } = await emptyList();
      const made: string[] = [];
      for (const gap of gaps) {
        app.clock.advance(gap);
        made.push((await record()).id);
      }
      const rows = await walk(list, limit, async () => {});
      assert.deepEqual(rows.map(({ id }) => id).sort(), made.sort());
      assert.ok(isOrdered(rows));
    }),
    { numRuns: 25 },
  );
});

test('rows made while somebody walks neither repeat nor hide the ones that were there', async () => {
  for (const limit of [1, 2, 5]) {
    const { record, list } = await emptyList();
    const made: string[] = [];
    for (let i = 0; i < 11; i += 1) made.push((await record()).id);
    const rows = await walk(list, limit, async () => {
      app.clock.advance(1);
      await record();
    });
    assert.deepEqual(rows.map(({ id }) => id).sort(), made.sort());
    assert.ok(isOrdered(rows));
  }
});

test('rows made at the very moment of the page are met at most once', async () => {
  const { record, list } = await emptyList();
  const made = new Set<string>();
  for (let i = 0; i < 11; i += 1) made.add((await record()).id);
  const rows = await walk(list, 2, record);
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  for (const id of made) assert.ok(rows.some((row) => row.id === id));
  assert.ok(isOrdered(rows));
});

test('a page holds 25 rows unless a limit is given, and the limit may change on the way', async () => {
  const { record, list } = await emptyList();
  for (let i = 0; i < 30; i += 1) await record();
  const first = await list();
  assert.deepEqual([first.body.data.length, first.body.hasMore], [25, true]);
  const rest = await list(`cursor=${first.body.nextCursor}&limit=100`);
  assert.deepEqual([rest.body.data.length, rest.body.hasMore, rest.body.nextCursor], [5, false, null]);
  assert.equal((await list('limit=30')).body.hasMore, false);
});

function assertRefused(answer: Reply, details: { path: string; issue: string }[]): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
  assert.deepEqual(answer.body.error.details, details);
}

test('a limit is a whole number from 1 to 100, given once', async () => {
  const { list } = await emptyList();
  for (const [query, issue] of [
    ['limit=0', 'must be at least 1'],
    ['limit=101', 'must be at most 100'],
    ['limit=999999999', 'must be at most 100'],
    ['limit=1000000000', 'must be integer'],
    ['limit=-1', 'must be integer'],
    ['limit=%2B1', 'must be integer'],
    ['limit=1.5', 'must be integer'],
    ['limit=1e1', 'must be integer'],
    ['limit=0x10', 'must be integer'],
    ['limit=', 'must be integer'],
    ['limit', 'must be integer'],
    ['limit=%20', 'must be integer'],
    ['limit=%D9%A1', 'must be integer'],
    ['limit=5&limit=5', 'must be given once'],
  ] as const)
    assertRefused(await list(query), [{ path: 'limit', issue }]);
  for (const query of ['limit=1', 'limit=100', 'limit=007'])
    assert.equal((await list(query)).status, 200, query);
});

const foreign = [{ path: 'cursor', issue: 'is not a cursor of this list with these filters' }];

/** A list of three rows and the cursor behind its first. */
async function listWithCursor() {
  const place = await emptyList();
  for (let i = 0; i < 3; i += 1) await place.record();
  const { body } = await place.list('limit=1');
  return { ...place, cursor: body.nextCursor as string };
}

test('a cursor with any bit changed is refused', async () => {
  const { list, cursor } = await listWithCursor();
  const bytes = Buffer.from(cursor, 'base64url');
  for (let i = 0; i < bytes.length * 8; i += 1) {
    const changed = Buffer.from(bytes);
    changed[i >> 3]! ^= 1 << (i & 7);
    assertRefused(await list(`cursor=${changed.toString('base64url')}`), foreign);
  }
  assert.equal((await list(`cursor=${cursor}`)).status, 200);
});

test('a cursor with any character changed, cut or added is refused', async () => {
  const { list, cursor } = await listWithCursor();
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const changed = [...cursor].map((character, i) => {
    const other = alphabet[(alphabet.indexOf(character) + 1) % 64]!;
    return cursor.slice(0, i) + other + cursor.slice(i + 1);
  });
  const cut = Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length));
  const added = ['A', '=', '==', '!', '%20', '%0A', '.', '_'].map((end) => cursor + end);
  const odd = ['null', '[]', '%5B%5D', '../../../..', '%F0%9F%98%80', `${cursor}${cursor}`];
  for (const text of [...changed, ...cut, ...added, ...odd])
    assertRefused(await list(`cursor=${text}`), foreign);
});

test('a cursor may be 2048 characters long, and a longer one is not looked at', async () => {
  const { list } = await emptyList();
  assertRefused(await list(`cursor=${'A'.repeat(2048)}`), foreign);
  const issue = 'must be at most 2048 characters';
  assertRefused(await list(`cursor=${'A'.repeat(2049)}`), [{ path: 'cursor', issue }]);
});

test('a cursor counts only for the account, environment and list that gave it', async () => {
  const { list, cursor, liveKey, sandboxKey, accountSid } = await listWithCursor();
  const other = await listWithCursor();
  assertRefused(await other.list(`cursor=${cursor}`), foreign);
  assertRefused(await list(`cursor=${cursor}`, liveKey), foreign);
  const elsewhere = `/v1/accounts/${accountSid}/api-keys?cursor=${cursor}`;
  assertRefused(await app.get(elsewhere, bearer(sandboxKey)), foreign);
  assert.equal((await list(`cursor=${cursor}`)).status, 200);
});

test('a cursor outlives the key that asked for it, and no other installation takes it', async (context) => {
  const { path, accountSid, cursor } = await listWithCursor();
  const second = await app.key(['contacts:read'], { accountSid });
  assert.equal((await app.get(`${path}?cursor=${cursor}`, bearer(second.key))).status, 200);
  const stranger = await startTestApp(context);
  assertRefused(await stranger.get(`${stranger.at}/authorizations?cursor=${cursor}`), foreign);
});
