import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { auditedAs } from '../../../test/harness/audit.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { verifyAudit } from '../audit/index.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const wanted = {
  task: 'TEMPLATE_SUBMISSION',
  resourceRef: 'order_confirmation_v2',
  instruction: 'Please submit our order confirmation template for review.',
};

/** An account in which nothing has been instructed yet. */
async function newPlace() {
  const { accountSid, sandboxKey, liveKey } = await app.newAccount();
  const at = `/v1/accounts/${accountSid}/authorizations`;
  const record = (body: unknown = wanted, headers: object = {}) =>
    app.post(at, body, { ...bearer(sandboxKey), ...headers });
  const get = (id = '', key = sandboxKey) => app.get(`${at}/${id}`.replace(/\/$/, ''), bearer(key));
  const { body: me } = await app.get('/v1/me', bearer(sandboxKey));
  return { accountSid, sandboxKey, liveKey, at, record, get, keyId: me.principal.ref as string };
}

function assertRefusal(answer: Reply, status: number, code: string, details?: object[]): void {
  assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text);
  if (details) assert.deepEqual(answer.body.error.details, details);
}

test('an instruction is kept in its own words, with who gave it and when', async () => {
  const { accountSid, record, get, at, keyId } = await newPlace();
  const answer = await record();
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body, {
    object: 'authorization',
    id: answer.body.id,
    accountSid,
    livemode: false,
    ...wanted,
    instructedBy: { type: 'api_key', ref: keyId },
    createdAt: app.clock.now().toISOString(),
  });
  assert.match(answer.body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(answer.headers.get('location'), `${at}/${answer.body.id}`);
  assert.deepEqual((await get(answer.body.id)).body, answer.body);
  assert.deepEqual((await get()).body, {
    object: 'list',
    data: [answer.body],
    hasMore: false,
    nextCursor: null,
  });
});

test('every task there is can be instructed, and no other', async () => {
  const { record } = await newPlace();
  const tasks = [
    'DISPLAY_NAME_SUBMISSION',
    'OFFICIAL_BUSINESS_ACCOUNT_APPLICATION',
    'TEMPLATE_SUBMISSION',
    'TEMPLATE_APPEAL',
  ];
  for (const task of tasks) assert.equal((await record({ ...wanted, task })).status, 201);
  const issue = `must be one of ${tasks.join(', ')}`;
  for (const task of ['template_appeal', '', 'ACCOUNT_DELETION', 5, null])
    assertRefusal(await record({ ...wanted, task }), 400, 'VALIDATION_ERROR', [{ path: 'task', issue }]);
});

test('an instruction that says nothing authorizes nothing', async () => {
  const { record, accountSid } = await newPlace();
  const issue = 'must not be blank';
  for (const blank of ['', ' ', '\n\t', '\u00a0\u2003']) {
    assertRefusal(await record({ ...wanted, instruction: blank }), 400, 'VALIDATION_ERROR', [
      { path: 'instruction', issue },
    ]);
    assertRefusal(
      await record({ ...wanted, resourceRef: blank, instruction: blank }),
      400,
      'VALIDATION_ERROR',
      [
        { path: 'instruction', issue },
        { path: 'resourceRef', issue },
      ],
    );
  }
  for (const [field, value] of [
    ['instruction', undefined],
    ['instruction', null],
    ['resourceRef', 5],
  ] as const)
    assert.equal((await record({ ...wanted, [field]: value })).body.error.details[0].path, field);
  const unknown = await record({ ...wanted, instructedBy: { type: 'user', ref: 'US1' } });
  assertRefusal(unknown, 400, 'VALIDATION_ERROR', [
    { path: 'instructedBy', issue: 'is not a known property' },
  ]);
  assert.equal(await app.count(`authorizations where account_sid = '${accountSid}'`), 0);
});

test('lengths are counted in characters, not in bytes or halves of them', async () => {
  const { record } = await newPlace();
  const most = { ...wanted, instruction: '😀'.repeat(2000), resourceRef: '😀'.repeat(64) };
  const { status, body } = await record(most);
  assert.deepEqual([status, body.instruction, body.resourceRef], [201, most.instruction, most.resourceRef]);
  assertRefusal(
    await record({ ...wanted, instruction: 'a'.repeat(2001), resourceRef: '😀'.repeat(65) }),
    400,
    'VALIDATION_ERROR',
    [
      { path: 'instruction', issue: 'must be at most 2000 characters' },
      { path: 'resourceRef', issue: 'must be at most 64 characters' },
    ],
  );
});

test('words are kept to the last space and accent', async () => {
  const { record, get } = await newPlace();
  const instruction = '  Zeile 1\r\nZeile 2\t"quoted" \\ \u0301é %s $1 \' ; -- \u202e<script>\u0001 ';
  const { body } = await record({ ...wanted, instruction });
  assert.equal((await get(body.id)).body.instruction, instruction);
});

test('recording is announced once, in the envelope every event has', async () => {
  const { accountSid, record } = await newPlace();
  app.clock.advance(1_234);
  const first = await record(wanted, { 'idempotency-key': 'announce' });
  await record(wanted, { 'idempotency-key': 'announce' });
  app.clock.advance(1_000);
  const second = await record({ ...wanted, resourceRef: 'next' });
  const events = await app.sql(
    `select account_sid, livemode, sequence, sid, type, api_version, resource_sid,
       to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as occurred_at,
       to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, data
       from events where account_sid = $1 order by sequence`,
    [accountSid],
  );
  assert.deepEqual(
    events,
    [first.body, second.body].map((data, i) => ({
      account_sid: accountSid,
      livemode: false,
      sequence: String(i + 1),
      sid: events[i]!.sid,
      type: 'authorization.recorded',
      api_version: '2026-08-21',
      resource_sid: data.id,
      occurred_at: data.createdAt,
      created_at: data.createdAt,
      data,
    })),
  );
  for (const { sid } of events) assert.match(sid, /^EV[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.ok(events[0]!.sid < events[1]!.sid);
});

test('every instruction is anchored in the audit chain, word for word', async () => {
  const { accountSid, record, keyId } = await newPlace();
  const made = [await record(), await record({ ...wanted, instruction: 'And this one.' })];
  const entries = await auditedAs(app, 'authorization.recorded', { accountSid });
  assert.equal(entries.length, 2);
  for (const [i, entry] of entries.entries()) {
    const { body, headers } = made[i]!;
    assert.deepEqual([entry.resource, entry.actor], [body.id, `api_key:${keyId}`]);
    const { task, resourceRef, instruction, instructedBy } = body;
    assert.deepEqual(entry.facts, { task, resourceRef, instruction, instructedBy });
    assert.deepEqual([entry.requestId, entry.occurredAt], [headers.get('x-request-id'), body.createdAt]);
  }
  for await (const { broken } of verifyAudit(app.database, accountSid)) assert.equal(broken, null);
});

test('an entry changed behind the back of the service is found where it stands', async (context) => {
  const own = await startTestApp(context);
  for (let i = 0; i < 3; i += 1)
    await own.post(`${own.at}/authorizations`, { ...wanted, resourceRef: `r${i}` });
  const [entry] = await own.sql<{ sequence: string }>(
    "select sequence from audit_entries where action = 'authorization.recorded' order by sequence offset 1 limit 1",
  );
  await own.sql('alter table audit_entries disable trigger append_only');
  await own.sql(
    "update audit_entries set payload = replace(payload, 'SUBMISSION', 'SUBMITTING') where sequence = $1 and not livemode",
    [entry!.sequence],
  );
  const broken: string[] = [];
  for await (const report of verifyAudit(own.database))
    if (report.broken) broken.push(report.broken.sequence);
  assert.deepEqual(broken, [entry!.sequence]);
});

test('the database itself lets nobody change or remove an instruction or an audit entry', async () => {
  const { record, get } = await newPlace();
  const { body } = await record();
  for (const statement of [
    "update authorizations set instruction = 'Never mind.'",
    'delete from authorizations',
    'truncate authorizations',
    "update audit_entries set payload = '{}'",
    'delete from audit_entries',
    'truncate audit_entries',
  ])
    await assert.rejects(app.sql(statement), /is append-only/, statement);
  for (const table of ['authorizations', 'audit_entries']) {
    const [rights] = await app.sql<{ update: boolean; delete: boolean; truncate: boolean }>(
      `select has_table_privilege('godwit_tenant', $1, 'update') as update,
         has_table_privilege('godwit_tenant', $1, 'delete') as delete,
         has_table_privilege('godwit_tenant', $1, 'truncate') as truncate`,
      [table],
    );
    assert.deepEqual(rights, { update: false, delete: false, truncate: false }, table);
  }
  assert.deepEqual((await get(body.id)).body, body);
});

test('the same request sent twice, or 20 times at once, records once', async () => {
  const { accountSid, record } = await newPlace();
  const key = { 'idempotency-key': 'once' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => record(wanted, key)));
  const done = answers.filter(({ status }) => status === 201);
  assert.ok(done.length >= 1);
  assert.equal(new Set(done.map(({ text }) => text)).size, 1);
  for (const answer of answers)
    if (answer.status !== 201) assertRefusal(answer, 409, 'IDEMPOTENCY_IN_PROGRESS');
  const again = await record(wanted, key);
  assert.deepEqual(
    [again.status, again.text, again.headers.get('idempotent-replayed')],
    [201, done[0]!.text, 'true'],
  );
  assertRefusal(await record({ ...wanted, resourceRef: 'x' }, key), 409, 'IDEMPOTENCY_KEY_REUSED');
  for (const table of ['authorizations', 'events'])
    assert.equal(await app.count(`${table} where account_sid = '${accountSid}'`), 1);
});

test('the Idempotency-Key is demanded', async () => {
  const { at, sandboxKey } = await newPlace();
  const answer = await fetch(app.url + at, {
    method: 'POST',
    headers: { ...bearer(sandboxKey), 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  });
  const { error } = (await answer.json()) as { error: { details: object[] } };
  assert.deepEqual(
    [answer.status, error.details],
    [400, [{ path: 'Idempotency-Key', issue: 'is required' }]],
  );
});

test('an instruction of another account, of the other environment or of nobody does not exist, all alike', async () => {
  const { accountSid, get, liveKey, at } = await newPlace();
  const stranger = await newPlace();
  const foreign = await stranger.record();
  const live = await app.post(at, wanted, bearer(liveKey));
  assert.deepEqual([live.status, live.body.livemode], [201, true]);
  const refusals: string[] = [];
  for (const id of [foreign.body.id, live.body.id, randomUUID()]) {
    const answer = await get(id);
    assertRefusal(answer, 404, 'NOT_FOUND');
    refusals.push(answer.text.replace(answer.body.error.requestId, ''));
  }
  assert.equal(new Set(refusals).size, 1);
  assert.deepEqual((await get()).body.data, []);
  assert.equal((await get(live.body.id, liveKey)).body.accountSid, accountSid);
  assert.equal((await stranger.get(foreign.body.id)).status, 200);
});

test('reading and recording need their own scopes', async () => {
  const { accountSid, at } = await newPlace();
  const reader = bearer((await app.key(['contacts:read'], { accountSid })).key);
  const writer = bearer((await app.key(['contacts:write'], { accountSid })).key);
  const made = await app.post(at, wanted, writer);
  assert.equal(made.status, 201);
  assert.equal((await app.get(`${at}/${made.body.id}`, reader)).status, 200);
  assertRefusal(await app.post(at, wanted, reader), 403, 'AUTHORIZATION_ERROR', [
    { path: 'scope', issue: 'needs contacts:write' },
  ]);
  for (const path of [at, `${at}/${made.body.id}`])
    assertRefusal(await app.get(path, writer), 403, 'AUTHORIZATION_ERROR', [
      { path: 'scope', issue: 'needs contacts:read' },
    ]);
});

test('a refused instruction leaves nothing behind', async () => {
  const { accountSid, record } = await newPlace();
  const before = await app.count('audit_entries');
  await record({ ...wanted, instruction: ' ' }, { 'idempotency-key': 'again' });
  assert.equal(await app.count('audit_entries'), before);
  for (const table of ['authorizations', 'events', 'idempotency_keys'])
    assert.equal(await app.count(`${table} where account_sid = '${accountSid}'`), 0, table);
  assert.equal(
    (await record(wanted, { 'idempotency-key': 'again' })).status,
    201,
    'the key is free for a better try',
  );
});
