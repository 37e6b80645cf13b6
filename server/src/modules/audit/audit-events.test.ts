import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { linkHash } from '../../platform/chain.ts';
import { canonicalJson } from '../../platform/hashing.ts';
import { createLog } from '../../platform/observability/logging.ts';
import { logChainHeads } from './crons.ts';
import type { AuditEvent } from './schema.ts';

const list = async (app: TestApp, query = ''): Promise<AuditEvent[]> => {
  const reply = await app.get(`${app.at}/audit-events?limit=100${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
};

const newKey = (app: TestApp, name: string) =>
  app.post(`${app.at}/api-keys`, { name, scopes: ['contacts:read'] });

const ownAccount = ownAccounts();

suite('the list of audit events', () => {
  test('is newest first, a page at a time, and whoever reads it can follow the chain', async () => {
    const app = await ownAccount();
    for (const name of ['one', 'two', 'three', 'four']) await newKey(app, name);
    const found: AuditEvent[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await app.get(`${app.at}/audit-events?limit=2${cursor && `&cursor=${cursor}`}`);
      found.push(...body.data);
      cursor = body.nextCursor;
    }
    assert.deepEqual(
      found.map(({ sequence }) => sequence),
      found.map((_, i) => found.length - i),
    );
    for (const { object: _, sequence, previousHash, hash, detail, ...record } of found) {
      assert.equal(detail, null);
      const expected = linkHash(Buffer.from(previousHash, 'hex'), BigInt(sequence), canonicalJson(record));
      assert.equal(hash, expected.toString('hex'));
    }
    assert.deepEqual(
      found.slice(0, -1).map(({ previousHash }) => previousHash),
      found.slice(1).map(({ hash }) => hash),
    );
  });

  test('narrows by action, actor, resource and time', async () => {
    const app = await ownAccount();
    const first = (await newKey(app, 'first')).body;
    app.clock.advance(60_000);
    const { body: second } = await newKey(app, 'second');
    await app.patch(`${app.at}/api-keys/${first.id}`, { name: 'renamed' });
    const resources = async (query: string) => (await list(app, query)).map(({ resource }) => resource);

    assert.deepEqual(await resources(`&resource=${first.id}`), [first.id, first.id]);
    assert.deepEqual(await resources('&action=api_key.changed'), [first.id]);
    const actor = encodeURIComponent(second.createdBy);
    assert.deepEqual(await resources(`&actor=${actor}`), [first.id, second.id, first.id]);
    assert.deepEqual(await resources(`&actor=${actor}&occurredAfter=${first.createdAt}`), [
      first.id,
      second.id,
    ]);
    assert.deepEqual(await resources(`&actor=${actor}&occurredBefore=${second.createdAt}`), [first.id]);
  });

  test('holds nothing of another account or of the other environment', async () => {
    const app = await ownAccount();
    const stranger = await app.newAccount();
    await newKey(app, 'ours');
    const theirs = await app.get(
      `/v1/accounts/${stranger.accountSid}/audit-events`,
      bearer(stranger.sandboxKey),
    );
    const live = await app.get(`${app.at}/audit-events`, bearer(app.liveKey));
    for (const { body } of [theirs, live]) {
      assert.deepEqual(
        body.data.map(({ facts }: AuditEvent) => facts.name),
        [body.data[0].livemode ? 'First live key' : 'First sandbox key'],
      );
    }
  });
});

suite('a refusal for want of a scope', () => {
  const denied = (app: TestApp) => list(app, '&action=access.denied');

  test('of a mutation is written down once a minute for each key and operation', async () => {
    const app = await ownAccount();
    const weak = await app.key(['contacts:read']);
    const other = await app.key(['contacts:read']);
    const attempt = (key: string, name = 'x') =>
      app.post(`${app.at}/api-keys`, { name, scopes: ['contacts:read'] }, bearer(key));
    const replies = await Promise.all(Array.from({ length: 20 }, () => attempt(weak.key)));
    assert.ok(replies.every(({ status }) => status === 403));
    assert.deepEqual(
      (await denied(app)).map(({ actor, resource }) => [actor, resource]),
      [[`api_key:${weak.id}`, 'createApiKey']],
    );
    app.clock.advance(59_000);
    await attempt(weak.key);
    assert.equal((await denied(app)).length, 1);
    app.clock.advance(1_000);
    await attempt(weak.key);
    assert.equal((await denied(app)).length, 2);
    await attempt(other.key);
    await app.patch(`${app.at}/api-keys/${weak.id}`, { name: 'mine' }, bearer(weak.key));
    assert.equal((await denied(app)).length, 4);
  });

  test('of a read, or on an account that is not one’s own, leaves no trace in any chain', async () => {
    const app = await ownAccount();
    const stranger = await app.newAccount();
    const weak = await app.key(['contacts:read']);
    await app.get(`${app.at}/api-keys`, bearer(weak.key));
    const body = { name: 'x', scopes: ['contacts:read'] };
    await app.post(`/v1/accounts/${stranger.accountSid}/api-keys`, body, bearer(weak.key));
    assert.equal(await app.count("audit_entries where action = 'access.denied'"), 0);
  });
});

test('every hour the head of every chain goes to the log', async (context) => {
  const app = await startTestApp(context);
  await app.newAccount();
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const { signal } = new AbortController();
  await logChainHeads.run({ database: app.database, log, signal } as never);
  const heads = await app.sql<{ sid: string; hash: string }>(
    "select account_sid as sid, encode(hash, 'hex') as hash from chain_heads order by account_sid, livemode, chain",
  );
  assert.ok(heads.length >= 4);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ accountSid, hash }) => ({ sid: accountSid, hash })),
    heads,
  );
});
