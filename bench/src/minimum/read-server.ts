// The least that a read can cost on this machine: the same framework and driver, and by hand the same check of the key and of its
// version, the same bucket, the same statement behind the same row security and the same answer, on the service's own rows.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Writable } from 'node:stream';
import fastify from 'fastify';
import pg from 'pg';
import { prepareEntering, runStatement } from '../../../server/src/platform/db/statement.ts';
import { types } from '../../../server/src/platform/db/values.ts';
import { announce } from '../bare.ts';

const url = process.env.DATABASE_URL!;
const connections = 2;
const bucket = { perSecond: 100_000, burst: 200_000 };

type Key = { accountSid: string; hash: Buffer; version: string; tokens: number; atMs: number };

const keys = await readKeys();
const clients = await Promise.all(Array.from({ length: connections }, connect));
let turn = 0;

const text = `
  select 'authorization' as object, id, account_sid as "accountSid", livemode, task, resource_ref as "resourceRef", instruction,
    instructed_by as "instructedBy", created_at as "createdAt"
    from authorizations where account_sid = $1 and livemode = $2 and id = $3`;

async function readRow({ accountSid, version }: Key, id: string): Promise<unknown> {
  const client = clients[turn++ % connections]!;
  gatherWrites(client);
  const inside = { accountSid, livemode: false, asOf: version };
  const statement = { name: 'read', text, values: [accountSid, false, id], types, inside };
  return (await runStatement(client, statement)).rows[0];
}

function take(key: Key): number {
  const nowMs = Date.now();
  const tokens = Math.min(bucket.burst, key.tokens + ((nowMs - key.atMs) / 1000) * bucket.perSecond) - 1;
  key.tokens = tokens;
  key.atMs = nowMs;
  return Math.floor(tokens);
}

const app = fastify({ genReqId: () => randomUUID() });
app.get('/v1/accounts/:accountSid/authorizations/:id', async (request, reply) => {
  const { accountSid, id } = request.params as { accountSid: string; id: string };
  const credential = /^Bearer gw_test_([0-9a-z]{16})_([0-9a-z]{52})$/.exec(
    request.headers.authorization ?? '',
  );
  const key = keys.get(credential?.[1] ?? '');
  const hash = createHash('sha256')
    .update(credential?.[2] ?? '')
    .digest();
  if (!key || key.accountSid !== accountSid || !timingSafeEqual(hash, key.hash))
    return reply.code(401).send();
  const left = take(key);
  if (left < 0) return reply.code(429).send();
  const row = await readRow(key, id);
  if (!row) return reply.code(404).send();
  return reply
    .header('x-request-id', request.id)
    .header('ratelimit-policy', '"key";q=200000;w=2')
    .header('ratelimit', `"key";r=${left};t=0`)
    .type('application/json')
    .send(JSON.stringify(row));
});
await announce(app);

async function readKeys(): Promise<Map<string, Key>> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const { rows } = await owner.query<{ lookup: string; accountSid: string; hash: Buffer; version: string }>(`
    select k.lookup, k.account_sid as "accountSid", k.secret_hash as hash, v.credentials as version
      from api_keys k join fact_versions v on v.scope = k.account_sid`);
  await owner.end();
  return new Map(
    rows.map(({ lookup, ...key }) => [lookup, { ...key, tokens: bucket.burst, atMs: Date.now() }]),
  );
}

async function connect(): Promise<pg.Client> {
  const options = '-c role=godwit_tenant -c timezone=UTC -c enable_seqscan=off';
  const client = new pg.Client({ connectionString: url, pipeline: true, options } as pg.ClientConfig);
  await client.connect();
  prepareEntering(client);
  return client;
}

/** What is asked in one turn of the loop leaves together. */
function gatherWrites(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: Writable & { writableCorked: number } } })
    .connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
