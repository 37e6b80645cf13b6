// Single writes of many accounts that share a transaction: each request has its own end, as if it had been alone.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { operations } from '../src/main/modules.ts';
import { audit, verifyAudit } from '../src/modules/audit/index.ts';
import { newPhone } from '../src/modules/contacts/fixtures.ts';
import type { TenantTx, Turns } from '../src/platform/db/database.ts';
import { sql } from '../src/platform/db/query.ts';
import { ApiError } from '../src/platform/errors/errors.ts';
import { type KeyedHash, openKeyedHash } from '../src/platform/http/key-secret.ts';
import type { StoredAnswer } from '../src/platform/http/operations/idempotency.ts';
import type { AnyInput, Operation } from '../src/platform/http/operations/operation.ts';
import { runnerOf } from '../src/platform/http/operations/run-operation.ts';
import type { Call, Serving } from '../src/platform/http/operations/serving.ts';
import { newSid } from '../src/platform/ids.ts';
import { systemPrincipal } from '../src/platform/principal.ts';
import { bearer, startTestApp, type TestApp } from './harness/app.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { lockRows } from './harness/locks.ts';

type Business = { accountSid: string; key: string; contactSid: string };
type Asking = { key?: string; contactSid?: string; body: object; version?: string };

let app: TestApp;
let keyedHash: KeyedHash;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  keyedHash = await openKeyedHash(app.database, app.sealer);
});

const instruction = { task: 'TEMPLATE_APPEAL', resourceRef: 'welcome', instruction: 'Please appeal.' };
const contact = (value = newPhone()) => ({ identifiers: [{ identifierType: 'phone_e164', value }] });

async function newBusiness(): Promise<Business> {
  const { accountSid, sandboxKey: key } = await app.newAccount();
  const { body } = await app.post(`/v1/accounts/${accountSid}/contacts`, contact(), bearer(key));
  return { accountSid, key, contactSid: body.sid };
}
const newBusinesses = (count: number) => Promise.all(Array.from({ length: count }, newBusiness));

/** What is asked in one turn of the event loop is one batch, so a test knows who shares a transaction with whom. */
function asker(operation: string | Operation) {
  const declared = typeof operation === 'string' ? operations.find(({ id }) => id === operation)! : operation;
  const limits = { together: { most: 48 } } as Serving['limits'];
  const serving = { ...app, keyedHash, limits, docsUrl: () => '' } as unknown as Serving;
  const run = runnerOf(declared as Operation, serving);
  let asked = 0;
  return ({ accountSid }: Business, { key = randomUUID(), contactSid, body, version }: Asking) => {
    asked += 1;
    const principal = { ...systemPrincipal(`who-${asked}`, false), ...(version && { version }) };
    const incoming = {
      method: 'POST',
      url: '/',
      headers: { 'idempotency-key': key },
      requestId: `RQ-${asked}`,
    };
    const call = {
      incoming: { ...incoming, params: { accountSid }, log: app.log },
      now: app.clock.now(),
      headers: {},
      authentication: { principal },
    } as unknown as Call;
    const input = { params: { accountSid, contactSid }, body } as unknown as AnyInput;
    const received = { content: JSON.stringify(body), file: null } as never;
    return run(call, input, received) as Promise<StoredAnswer>;
  };
}

const bodyOf = ({ body }: StoredAnswer) => JSON.parse(body);
const refusedAs = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;
const transactionsOf = async (table: string, { accountSid }: Business) =>
  (
    await app.sql<{ xmin: string }>(`select distinct xmin::text from ${table} where account_sid = $1`, [
      accountSid,
    ])
  ).map(({ xmin }) => xmin);
const eventsOf = ({ accountSid }: Business, type: string) =>
  app.count(`events where account_sid = '${accountSid}' and type = '${type}'`);

async function assertWhole(): Promise<void> {
  const broken = await app.sql(`
    select h.account_sid from event_heads h where h.sequence <> (
      select count(*) from events e where e.account_sid = h.account_sid and e.livemode = h.livemode
        and e.sequence between 1 and h.sequence)`);
  assert.deepEqual(broken, []);
  for await (const { broken } of verifyAudit(app.database)) assert.equal(broken, null);
}

test('writes of several accounts are one transaction, and each is told and written down as its own', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const ask = asker('createAuthorization');
  const answers = await Promise.all(
    [a, b, a, b, b].map((business, at) =>
      ask(business, { body: { ...instruction, resourceRef: `r${at}` } }).then(bodyOf),
    ),
  );
  assert.deepEqual(
    answers.map(({ accountSid, resourceRef, instructedBy }) => [accountSid, resourceRef, instructedBy.ref]),
    [a, b, a, b, b].map(({ accountSid }, at) => [accountSid, `r${at}`, `who-${at + 1}`]),
  );
  const transactions = await transactionsOf('authorizations', a);
  assert.equal(transactions.length, 1);
  assert.deepEqual(await transactionsOf('authorizations', b), transactions);
  for (const [at, { id, accountSid }] of answers.entries()) {
    const [entry] = await app.sql<{ actor: string; payload: string }>(
      'select actor, payload from audit_entries where account_sid = $1 and resource = $2',
      [accountSid, id],
    );
    assert.deepEqual(
      [entry!.actor, JSON.parse(entry!.payload).requestId],
      [`system:who-${at + 1}`, `RQ-${at + 1}`],
    );
    assert.equal(await app.count(`events where account_sid = '${accountSid}' and resource_sid = '${id}'`), 1);
  }
  await assertWhole();
});

test('audit chains of many accounts go on from their heads, or begin, whatever each of them brings', async () => {
  // Accounts of which nothing is written down yet.
  const places = Array.from({ length: 3 }, () => ({ accountSid: newSid('AC', app.clock.now()) }) as Business);
  const [a, , c] = places as [Business, Business, Business];
  const write = (businesses: Business[], entriesOf: (accountSid: string) => number) =>
    turnsOf(businesses, async (t) => {
      for (let i = 0; i < entriesOf(t.accountSid); i += 1) audit(t, { action: 'test.done', facts: { i } });
    });
  await write(places.slice(0, 2), () => 1);
  await write(places, () => 1);
  await write(places, (accountSid) => (accountSid === a.accountSid ? 3 : 1));
  await write([c], () => 2);
  const links = [];
  for (const { accountSid } of places)
    for await (const report of verifyAudit(app.database, accountSid))
      links.push([report.links, report.broken]);
  assert.deepEqual(links, [
    [5, null],
    [3, null],
    [4, null],
  ]);
});

test('two requests with one key have one effect, and one that was answered is answered again', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const ask = asker('createAuthorization');
  const once = await ask(a, { key: 'k1', body: instruction });
  const [again, first, second, other] = await Promise.allSettled([
    ask(a, { key: 'k1', body: instruction }),
    ask(a, { key: 'k2', body: instruction }),
    ask(a, { key: 'k2', body: instruction }),
    ask(b, { key: 'k2', body: instruction }),
  ]);
  assert.equal((again as PromiseFulfilledResult<StoredAnswer>).value.body, once.body);
  assert.equal(first!.status, 'fulfilled');
  assert.ok(refusedAs('IDEMPOTENCY_IN_PROGRESS')((second as PromiseRejectedResult).reason));
  assert.equal(other!.status, 'fulfilled');
  const reused = ask(a, { key: 'k2', body: { ...instruction, resourceRef: 'other' } });
  await Promise.all([
    assert.rejects(reused, refusedAs('IDEMPOTENCY_KEY_REUSED')),
    ask(b, { body: instruction }),
  ]);
  assert.equal(await eventsOf(a, 'authorization.recorded'), 2);
  assert.equal(await eventsOf(b, 'authorization.recorded'), 2);
});

test('a refusal is the end of one request, and of nothing beside it', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const ask = asker('createAuthorization');
  const refused = ask(a, { key: 'again', body: { ...instruction, instruction: ' ' } });
  const others = Promise.all([a, b, b].map((business) => ask(business, { body: instruction })));
  await assert.rejects(refused, refusedAs('VALIDATION_ERROR'));
  await others;
  assert.deepEqual(await transactionsOf('authorizations', a), await transactionsOf('authorizations', b));
  assert.equal(await eventsOf(a, 'authorization.recorded'), 1);
  // Nothing is kept under the key of what was refused.
  assert.equal((await ask(a, { key: 'again', body: instruction })).status, 201);
  await assertWhole();
});

test('one that fails after it has written is undone alone, and then keeps away from the others', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const many = (from: number) => ({
    attributes: Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`field_${from + i}`, 'x'.repeat(200)]),
    ),
  });
  // Refused only when everything is written, as by what is known no sooner.
  const declared = operations.find(({ id }) => id === 'updateContact') as Operation;
  const ask = asker({
    ...declared,
    async handler(t: TenantTx, input: AnyInput) {
      const answer = await declared.handler!(t, input);
      if ('field_90' in (input.body as { attributes: object }).attributes)
        throw new ApiError('VALIDATION_ERROR');
      return answer;
    },
  } as Operation);
  let from = 0;
  let refusal: unknown = null;
  while (!refusal) {
    from += 30;
    const change = { contactSid: a.contactSid, body: many(from) };
    const neighbour = { contactSid: b.contactSid, body: { attributes: { turn: from } } };
    const [own, other] = await Promise.allSettled([ask(a, change), ask(b, neighbour)]);
    assert.equal(bodyOf((other as PromiseFulfilledResult<StoredAnswer>).value).attributes.turn, from);
    if (own.status === 'rejected') refusal = own.reason;
  }
  assert.ok(refusedAs('VALIDATION_ERROR')(refusal));
  const { body } = await app.get(`/v1/accounts/${a.accountSid}/contacts/${a.contactSid}`, bearer(a.key));
  assert.equal(body.attributes[`field_${from}`], undefined);
  assert.equal(await eventsOf(a, 'contact.updated'), from / 30 - 1);

  const small = { body: { attributes: { last: 'one' } } };
  await Promise.all([a, b].map((one) => ask(one, { ...small, contactSid: one.contactSid })));
  assert.notDeepEqual(await transactionsOf('contacts', a), await transactionsOf('contacts', b));
  app.clock.advance(61_000);
  await Promise.all([a, b].map((one) => ask(one, { ...small, contactSid: one.contactSid })));
  assert.deepEqual(await transactionsOf('contacts', a), await transactionsOf('contacts', b));
  await assertWhole();
});

test('nobody waits for a row that somebody else holds', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const ask = asker('updateContact');
  const held = await lockRows(app, `contacts where sid = '${a.contactSid}'`);
  const body = { attributes: { plan: 'gold' } };
  const waiting = ask(a, { contactSid: a.contactSid, body });
  const beside = ask(b, { contactSid: b.contactSid, body });
  assert.equal((await beside).status, 200);
  await held.waitersAre(1);
  await held.release();
  assert.equal(bodyOf(await waiting).attributes.plan, 'gold');
  assert.equal(await eventsOf(a, 'contact.updated'), 1);
});

test('of several who bring an unknown number at once one makes the contact, and the others find it', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const ask = asker('createContact');
  const wanted = contact();
  const answers = await Promise.all([a, a, b].map((business) => ask(business, { body: wanted })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 201],
  );
  assert.equal(bodyOf(answers[0]!).sid, bodyOf(answers[1]!).sid);
  assert.equal(await eventsOf(a, 'contact.created'), 2);
});

test('a credential that was changed meanwhile is no reason to let it in, nor to stop the others', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const ask = asker('createAuthorization');
  const stale = ask(a, { body: instruction, version: randomUUID() });
  const beside = ask(b, { body: instruction });
  await assert.rejects(stale, refusedAs('INTERNAL_TEMPORARY_ERROR'));
  assert.equal((await beside).status, 201);
  assert.equal(await eventsOf(a, 'authorization.recorded'), 0);
});

/** A transaction of these accounts, in which each takes one turn. */
async function turnsOf<T>(businesses: Business[], work: (t: TenantTx) => Promise<T>) {
  const principal = systemPrincipal('test', false);
  const requestContext = { principal, now: app.clock.now(), requestId: 'test', log: app.log };
  const entrants = businesses.map(({ accountSid }) => ({
    tenant: { accountSid, livemode: false },
    requestContext,
  }));
  const take = (_: TenantTx, turns: Turns) => turns.take(requestContext, work);
  return app.database.writeTogether(entrants, take);
}

test('row security keeps every handler in its own account, whoever shares the transaction', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const seen = await turnsOf([a, b], async (t) => {
    const rows = await t.many<{ account: string }>(sql`select distinct account_sid as account from contacts`);
    return rows.map(({ account }) => account);
  });
  assert.deepEqual(seen, [{ result: [a.accountSid] }, { result: [b.accountSid] }]);
  const touched = await turnsOf([a, b], (t) =>
    t.run(sql`update contacts set display_name = ${t.accountSid}`),
  );
  assert.deepEqual(touched, [{ result: 1 }, { result: 1 }]);
  const intruding = turnsOf([a, b], (t) =>
    t.run(sql`
      insert into inboxes (account_sid, livemode, sid, name, created_at, updated_at)
      values (${t.accountSid === a.accountSid ? b.accountSid : a.accountSid}, false, 'IB', 'Not mine', ${t.now}, ${t.now})`),
  );
  await assert.rejects(intruding, /row-level security/);
});

test('what goes on after a turn has failed changes nothing any more', async () => {
  const [a, b] = (await newBusinesses(2)) as [Business, Business];
  const late = Promise.withResolvers<unknown>();
  const ends = await turnsOf([a, b], async (t) => {
    if (t.accountSid === b.accountSid) return t.run(sql`update contacts set display_name = 'changed'`);
    const goingOn = async () => {
      await t.one(sql`select 1 as one`);
      await t.one(sql`select 2 as two`);
      return t.run(sql`update contacts set display_name = 'changed'`);
    };
    goingOn().then(late.resolve, late.resolve);
    await t.one(sql`select 0 as zero`);
    throw new ApiError('CONFLICT');
  });
  assert.ok(refusedAs('CONFLICT')((ends[0] as { error: unknown }).error));
  assert.deepEqual(ends[1], { result: 1 });
  assert.match(String(await late.promise), /this turn in the transaction is over/);
  const names = await app.sql('select display_name from contacts where account_sid = any ($1) order by 1', [
    [a.accountSid, b.accountSid],
  ]);
  assert.deepEqual(names, [{ display_name: 'changed' }, { display_name: null }]);
});
