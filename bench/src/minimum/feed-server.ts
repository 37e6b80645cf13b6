// The same SQL as the service's, in a handler written by hand: the same framework and driver, the statements that know a session and the
// roles of its person, the one for the feed behind the same row security, and the same answer. No limits, no schemas.
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import '../../../server/src/main/modules.ts'; // the types of notification and their words
import { findAccount } from '../../../server/src/modules/accounts/index.ts';
import { heldTokens, tokensOf } from '../../../server/src/modules/identity/sessions/session-token.ts';
import { useSession } from '../../../server/src/modules/identity/sessions/sessions.ts';
import { feedQuery, type Row, toNotification } from '../../../server/src/modules/notifications/feed.ts';
import { type Binding, bindingsOf, effectiveScopes } from '../../../server/src/modules/roles/index.ts';
import type { SystemTx } from '../../../server/src/platform/db/database.ts';
import { compileQuery, type Sql } from '../../../server/src/platform/db/query.ts';
import { prepareEntering, runStatement } from '../../../server/src/platform/db/statement.ts';
import { types } from '../../../server/src/platform/db/values.ts';
import { type Principal, systemPrincipal } from '../../../server/src/platform/principal.ts';
import { announce } from '../bare.ts';

const url = process.env.DATABASE_URL!;
const limit = 25;
// As many as the service uses for reads.
const readers = await Promise.all([connect('godwit_tenant'), connect('godwit_tenant')]);
const system = await poolOf(8);
let turn = 0;

const names = new Map<string, string>();
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

type Person = { userSid: string; organizationId: string; bindings: Binding[] };

/** The service's own statements, in a transaction of their own, one after the other. */
async function personOf(cookie: string, accountSid: string, now: Date): Promise<Person | null> {
  const client = await system.take();
  try {
    client.query('begin');
    const run = async <Found>(question: Sql): Promise<Found[]> => {
      const { text, values } = compileQuery(question);
      return (await client.query({ name: nameOf(text), text, values: [...values], types })).rows as Found[];
    };
    const s = {
      maybe: async (question: Sql) => (await run(question))[0],
      many: run,
      run,
    } as never as SystemTx;
    const session = await useSession(s, tokensOf(heldTokens(cookie), 'sandbox'), now);
    const account = session && (await findAccount(s, accountSid));
    const bindings = session ? await bindingsOf(s, 'USER', session.userSid) : [];
    await client.query('commit');
    return account && { userSid: session.userSid, organizationId: account.organizationId, bindings };
  } finally {
    system.give(client);
  }
}

function principalOf(
  { userSid, organizationId, bindings }: Person,
  accountSid: string,
  now: Date,
): Principal {
  const place = { accountSid, parentAccountSid: null, organizationId, livemode: false };
  const { scopes, inboxScopes } = effectiveScopes(bindings, place, now);
  const nobody = systemPrincipal('bench', false);
  return { ...nobody, kind: 'user', ref: userSid, scopesOn: () => scopes, partScopes: inboxScopes };
}

async function feedOf(accountSid: string, principal: Principal): Promise<Row[]> {
  const asking = { accountSid, livemode: false, principal };
  const { text, values } = compileQuery(feedQuery(asking, {}, { after: null, fetch: limit + 1 }));
  const inside = { accountSid, livemode: false };
  const statement = { name: nameOf(text), text, values, types, inside };
  turn += 1;
  return (await runStatement(readers[turn % readers.length]!, statement)).rows as Row[];
}

const app = fastify({ genReqId: () => randomUUID() });
app.get('/v1/accounts/:accountSid/notifications', async (request, reply) => {
  const { accountSid } = request.params as { accountSid: string };
  const now = new Date();
  const person = await personOf(request.headers.cookie ?? '', accountSid, now);
  if (!person) return reply.code(401).send();
  const rows = await feedOf(accountSid, principalOf(person, accountSid, now));
  const data = rows.slice(0, limit).map((row) => toNotification({ accountSid, livemode: false }, row));
  return reply
    .header('x-request-id', request.id)
    .type('application/json')
    .send(JSON.stringify({ object: 'list', data, hasMore: rows.length > limit, nextCursor: null }));
});
await announce(app);

/** A transaction has a connection to itself. */
async function poolOf(size: number) {
  const idle = await Promise.all(Array.from({ length: size }, () => connect('godwit_system')));
  const waiting: ((client: pg.Client) => void)[] = [];
  return {
    take: async () => idle.pop() ?? new Promise<pg.Client>((done) => waiting.push(done)),
    give(client: pg.Client) {
      const next = waiting.shift();
      if (next) next(client);
      else idle.push(client);
    },
  };
}

async function connect(role: string): Promise<pg.Client> {
  const options = `-c role=${role} -c timezone=UTC -c enable_seqscan=off`;
  const client = new pg.Client({ connectionString: url, pipeline: true, options } as pg.ClientConfig);
  await client.connect();
  if (role === 'godwit_tenant') prepareEntering(client);
  return client;
}
