// The least that a send can cost on this machine: the same framework and the same judge of the same body, and by hand the
// same durable facts behind the same row security. No credentials, no gates, no look-up but that of the contact.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';
import pg from 'pg';
import { NewMessage } from '../../../server/src/modules/messages/schema.ts';
import { announce, judgeBodies } from '../bare.ts';
import { connect, type Sent, storeSent } from './store.ts';

const url = process.env.DATABASE_URL!;
const mostTogether = 256;
const atOnce = 2;
// As many as must wait for a second transaction to begin beside the first.
const ample = 32;

await prepare(Number(process.env.ACCOUNTS), Number(process.env.PEOPLE));
const idle = await Promise.all(Array.from({ length: atOnce }, () => connect(url)));
const waiting: { sent: Sent; done(answer: string | null): void; fail(error: unknown): void }[] = [];

async function storeNext(client: pg.Client): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.splice(0, mostTogether);
    try {
      const answers = await storeSent(
        client,
        batch.map(({ sent }) => sent),
      );
      batch.forEach(({ done }, at) => {
        done(answers[at]!);
      });
    } catch (error) {
      for (const { fail } of batch) fail(error);
      await client.query('rollback');
    }
  }
  idle.push(client);
}

const store = (sent: Sent) =>
  new Promise<string | null>((done, fail) => {
    waiting.push({ sent, done, fail });
    const isFirst = idle.length === atOnce && waiting.length === 1;
    if (!isFirst && (idle.length === 0 || waiting.length !== ample)) return;
    const client = idle.pop()!;
    setImmediate(() => void storeNext(client)); // what arrived in the same turn of the loop goes together
  });

type Body = { from: string; to: string; type: string } & Record<string, unknown>;

const app = fastify();
judgeBodies(app);
app.post('/v1/accounts/:accountSid/messages', { schema: { body: NewMessage } }, async (request, reply) => {
  const body = request.body as Body;
  const { accountSid } = request.params as { accountSid: string };
  if (!/^AC\d{26}$/.test(accountSid)) return reply.code(404).send();
  const answer = await store({
    accountSid,
    key: String(request.headers['idempotency-key']),
    fingerprint: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
    senderSid: body.from,
    address: body.to,
    type: body.type,
    content: JSON.stringify(body[body.type]),
  });
  if (answer === null) return reply.code(409).send();
  return reply.code(201).type('application/json').send(answer);
});
await announce(app);

async function prepare(accounts: number, people: number): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(await readFile(new URL('tables.sql', import.meta.url), 'utf8'));
  const account = `'AC' || lpad(a::text, 26, '0')`;
  await owner.query(`
    insert into wallets select ${account}, false, 1e15, 0 from generate_series(0, ${accounts - 1}) a;
    insert into contacts select ${account}, false, '+3361' || lpad(p::text, 7, '0'), 'CT' || lpad(p::text, 26, '0')
      from generate_series(0, ${accounts - 1}) a, generate_series(0, ${people - 1}) p;
    analyze`);
  await owner.end();
}
