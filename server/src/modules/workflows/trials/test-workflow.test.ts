import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { refused } from '../../../../test/harness/contacts.ts';
import { runCron } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import { emit } from '../../../platform/events.ts';
import { newSid } from '../../../platform/ids.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { customEvents } from '../resources/events.ts';
import { definitionSample } from '../resources/samples.ts';
import { doing, newContact, newWorkflow } from '../runs.test-data.ts';
import { sweepTests } from './crons.ts';
import { eraseTests } from './test-workflow.ts';

let app: TestApp;
let messages: Messages;
/** The account with a sender and money. */
let shop: TestApp;
const lifetime = sharedLifetime();

before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
  const { accountSid, sandboxKey } = messages.account;
  const send: TestApp['send'] = (method, path, init = {}) =>
    app.send(method, path, { ...init, headers: { ...bearer(sandboxKey), ...init.headers } });
  shop = {
    ...app,
    ...messages.account,
    at: `/v1/accounts/${accountSid}`,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { body, headers }),
    key: (scopes, of) => app.key(scopes, { accountSid, ...of }),
  } as TestApp;
});

const text = (body: string) => ({ type: 'send_message', message: { type: 'text', text: { body } } });
const tryOut = (workflowSid: string, body: object = {}, headers: object = {}): Promise<Reply> =>
  shop.post(`${shop.at}/workflows/${workflowSid}/test`, { eventType: 'MESSAGE_RECEIVED', ...body }, headers);
const played = async (definition: object, body: object = {}) => {
  const reply = await tryOut(await newWorkflow(shop, definition), body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
type Entry = { path: string; outcome: string; at: string; output?: { wouldDo?: object; wouldSend?: object } };
const ends = (trace: Entry[]) =>
  trace.filter(({ outcome }) => outcome !== 'waiting').map(({ path, outcome }) => `${path} ${outcome}`);

// First in the file: refusals are written down a little later than they are answered.
suite('nothing happens', () => {
  /** What every table holds. */
  async function everything(): Promise<Map<string, string>> {
    const tables = await app.sql<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const held = new Map<string, string>();
    for (const { name } of tables) {
      const [row] = await app.sql<{ hash: string }>(
        `select coalesce(md5(string_agg(x::text, '|' order by x::text)), '') as hash from ${name} x`,
      );
      held.set(name, row!.hash);
    }
    return held;
  }
  /** What every request leaves, and every process that lives, now or a little later. */
  const anyway = new Set(
    ['idempotency_keys', 'rate_buckets', 'api_keys', 'processes'].map((name) => `public.${name}`),
  );

  const everyAction = doing(
    [
      text('Hello'),
      { type: 'set_contact', attributes: { seen: true } },
      { type: 'record_consent', purpose: 'MARKETING', status: 'OPTED_OUT' },
      { type: 'suppress', scope: 'MARKETING' },
      { type: 'assign_conversation', leastOpen: true },
      { type: 'move_conversation', inboxSid: null },
      { type: 'close_conversation' },
      { type: 'reopen_conversation' },
      { type: 'notify', assignee: true },
      { type: 'http_request', endpointSid: 'WH01K3SAMP1E0000000000000000' },
      { type: 'start_workflow', workflowSid: 'WF01K3SAMP1E0000000000000000' },
      { type: 'wait_for_reply', timeoutSeconds: 60 },
      text('Bye'),
    ],
    { conditions: [{ window: 'open' }, { suppressed: false }, { path: 'conversation.sid', exists: false }] },
  );

  test('but the trace: the whole database is as it was before', async () => {
    const contactSid = await newContact(shop);
    const sid = await newWorkflow(shop, everyAction);
    const before = await everything();
    const payload = { simulate: { replies: [{ text: 'Yes' }] } };
    const reply = await tryOut(sid, { contactSid, payload });
    assert.deepEqual([reply.status, reply.body.status], [201, 'COMPLETED'], reply.text);
    const after = await everything();
    const changed = [...after].filter(([name, hash]) => before.get(name) !== hash).map(([name]) => name);
    assert.deepEqual(
      changed.filter((name) => !anyway.has(name)),
      ['public.workflow_tests'],
    );
  });

  test('because PostgreSQL refuses to write in it', async () => {
    const sid = await newWorkflow(shop);
    const context = {
      principal: systemPrincipal('test', false),
      now: app.clock.now(),
      requestId: 'test',
      log: silentLog,
    };
    const event = { ...customEvents.event.sample, accountSid: shop.accountSid };
    const writing = app.database.write(
      { accountSid: shop.accountSid, livemode: false },
      context,
      async (t) => emit(t, customEvents.event, event as never),
      { readsOnly: true },
    );
    await assert.rejects(writing, /read-only transaction/);
    // Something in it that writes on purpose: whoever looks at a version leaves a mark.
    await app.sql('create table marks (n integer)');
    await app.sql(
      `create function leave_mark() returns boolean language plpgsql volatile security definer as
       $$ begin insert into public.marks values (1); return true; end $$`,
    );
    await app.sql('create policy marked on workflow_versions as restrictive for select using (leave_mark())');
    try {
      assert.equal((await shop.get(`${shop.at}/workflows/${sid}`)).status, 200);
      assert.equal((await app.sql('select from marks')).length, 1);
      assert.equal((await tryOut(sid)).status, 500);
      assert.equal((await app.sql('select from marks')).length, 1);
    } finally {
      await app.sql('drop policy marked on workflow_versions');
    }
    assert.equal((await tryOut(sid)).status, 201);
  });
});

suite('a test run', () => {
  test('tells every step of a question and its answer, by a clock of its own', async () => {
    const startAt = '2026-09-01T08:00:00.000Z';
    const simulate = { startAt, replies: [{ text: '1001', afterSeconds: 60 }] };
    const payload = { text: { body: 'Where is my ORDER?' }, simulate };
    const test = await played(definitionSample, { payload });
    assert.deepEqual(
      [test.started, test.status, test.test, test.startedAt, test.endedAt],
      [true, 'COMPLETED', true, startAt, '2026-09-01T08:01:00.000Z'],
    );
    assert.deepEqual(ends(test.trace), [
      'actions[0] done',
      'actions[1] done',
      'actions[2] done',
      'actions[3] done',
    ]);
    const changed = test.trace.find((one: Entry) => one.path === 'actions[2]' && one.outcome === 'done');
    assert.deepEqual(changed.output.wouldDo.attributes, { lastOrder: '1001' });
  });

  test('goes the way of a wait that nobody ends, and of a run that lasts too long', async () => {
    const late = { text: { body: 'order' }, simulate: { replies: [{ text: '1001', afterSeconds: 3_601 }] } };
    const silent = await played(definitionSample, { payload: late });
    assert.deepEqual(ends(silent.trace), [
      'actions[0] done',
      'actions[1] timed_out',
      'actions[1].onTimeout[0] done',
    ]);
    const endless = doing([{ type: 'wait', seconds: 7_200 }], {
      trigger: { eventTypes: ['MESSAGE_RECEIVED'], timeoutSeconds: 60 },
      timeoutActions: [{ type: 'stop', outcome: 'too late' }],
    });
    const over = await played(endless);
    assert.deepEqual([over.status, over.outcome], ['TIMED_OUT', 'too late']);
  });

  test('says which condition did not hold, and what it saw', async () => {
    const test = await played(definitionSample, { payload: { text: { body: 'Good morning' } } });
    assert.deepEqual([test.started, test.failedCondition, test.status, test.trace], [false, 0, null, []]);
    assert.deepEqual(test.saw, [{ path: 'event.text.body', value: 'Good morning' }]);
  });

  test('hears other events, finds what it changed itself, and takes the answers it is given', async () => {
    const definition = doing(
      [
        {
          type: 'wait_for_event',
          eventTypes: ['CUSTOM_PAID'],
          match: [{ path: 'event.payload.n', eq: 2 }],
          timeoutSeconds: 60,
        },
        { type: 'set_contact', attributes: { paid: true } },
        { type: 'record_consent', purpose: 'MARKETING', status: 'OPTED_OUT' },
        { id: 'asked', type: 'http_request', endpointSid: newSid('WH', app.clock.now()), save: 'answer' },
        {
          type: 'branch',
          cases: [
            {
              conditions: [
                { path: 'contact.attributes.paid', eq: true },
                { consent: { purpose: 'MARKETING', status: 'OPTED_OUT' } },
                { path: 'vars.answer.body.ok', eq: true },
                { segmentSid: 'SG01K3SAMP1E0000000000000000' },
              ],
              actions: [{ type: 'stop', outcome: 'all of it' }],
            },
          ],
        },
      ],
      {},
    );
    const simulate = {
      events: [
        { eventType: 'CUSTOM_PAID', data: { n: 1 } },
        { eventType: 'CUSTOM_PAID', data: { n: 2 }, afterSeconds: 30 },
      ],
      answers: {
        asked: { status: 200, body: { ok: true } },
        'segment:SG01K3SAMP1E0000000000000000': true,
      },
    };
    assert.equal((await played(definition, { payload: { simulate } })).outcome, 'all of it');
    const { answers: _, ...unanswered } = simulate;
    assert.equal((await played(definition, { payload: { simulate: unanswered } })).outcome, null);
  });

  test('judges messages as sending would, for somebody real who wrote just now', async () => {
    const contactSid = await newContact(shop);
    const test = await played(doing([text('Hello {{contact.displayName|there}}')]), { contactSid });
    const sent = test.trace.at(-1);
    assert.deepEqual(
      [test.status, sent.output?.wouldSend?.text.body],
      ['COMPLETED', 'Hello there'],
      JSON.stringify(sent),
    );
    assert.equal(sent.output.preflight.resolved.contactSid, contactSid);
    // A day after their last word only a template would reach them.
    const later = await played(doing([{ type: 'wait', seconds: 90_000 }, text('Still there?')]), {
      contactSid,
    });
    assert.deepEqual([later.status, later.error.code], ['FAILED', 'SERVICE_WINDOW_CLOSED']);
    await shop.post(`${shop.at}/contacts/${contactSid}/suppressions`, {
      reason: 'CUSTOMER_OPT_OUT',
      scope: 'ALL',
      source: 'test',
    });
    const refusedOne = await played(doing([text('Hello')]), { contactSid });
    assert.deepEqual([refusedOne.status, refusedOne.error.code], ['FAILED', 'CONTACT_SUPPRESSED']);
  });

  test('refuses what makes no sense, each at its path', async () => {
    const sid = await newWorkflow(shop);
    refused(await tryOut(sid, { eventType: 'CONTACT_CREATED' }), 400, 'VALIDATION_ERROR', 'eventType');
    const wrong = { startAt: 'soon', replies: [{ texts: 'x' }], more: 1 };
    const reply = await tryOut(sid, { payload: { simulate: wrong } });
    refused(reply, 400, 'VALIDATION_ERROR', 'payload.simulate.startAt');
    refused(reply, 400, 'VALIDATION_ERROR', 'payload.simulate.replies[0].texts');
    refused(reply, 400, 'VALIDATION_ERROR', 'payload.simulate.more');
    const events = [{ eventType: 'ROLE_BINDING_CREATED' }];
    const unheard = await tryOut(sid, { payload: { simulate: { events } } });
    refused(unheard, 400, 'VALIDATION_ERROR', 'payload.simulate.events[0].eventType');
    refused(await tryOut(newSid('WF', app.clock.now())), 404, 'NOT_FOUND');
  });

  test('knows nobody of another account, and shows nobody whom the caller may not read', async () => {
    const sid = await newWorkflow(shop);
    const now = app.clock.now();
    const foreign = await newContact(app);
    refused(await tryOut(sid, { contactSid: foreign }), 404, 'NOT_FOUND', 'contactSid');
    refused(await tryOut(sid, { conversationSid: newSid('CO', now) }), 404, 'NOT_FOUND');
    refused(await tryOut(sid, { messageSid: newSid('SM', now) }), 404, 'NOT_FOUND');
    const contactSid = await newContact(shop);
    const blind = bearer((await shop.key(['inboxes:write', 'inboxes:read'])).key);
    refused(await tryOut(sid, { contactSid }, blind), 403, 'AUTHORIZATION_ERROR', 'contactSid');
    refused(
      await tryOut(sid, { messageSid: newSid('SM', now) }, blind),
      403,
      'AUTHORIZATION_ERROR',
      'messageSid',
    );
    refused(
      await tryOut(sid, { conversationSid: newSid('CO', now) }, blind),
      403,
      'AUTHORIZATION_ERROR',
      'conversationSid',
    );
    assert.equal((await tryOut(sid, {}, blind)).status, 201);
    const { body } = await tryOut(sid, { contactSid });
    const path = `${shop.at}/workflows/${sid}/tests/${body.sid}`;
    refused(await shop.get(path, blind), 403, 'AUTHORIZATION_ERROR');
    assert.deepEqual((await shop.get(path)).body, body);
    const others = await messages.accepted();
    refused(await tryOut(sid, { contactSid, messageSid: others }), 400, 'VALIDATION_ERROR', 'messageSid');
  });

  test('about a contact who is erased is forgotten, and no other', async () => {
    const sid = await newWorkflow(shop);
    const [erased, other] = [await newContact(shop), await newContact(shop)];
    const tests = [
      await tryOut(sid, { contactSid: erased }),
      await tryOut(sid, { contactSid: other }),
      await tryOut(sid),
    ];
    await messages.write((t) => eraseTests(t, [erased]));
    const statuses = tests.map(
      async ({ body }) => (await shop.get(`${shop.at}/workflows/${sid}/tests/${body.sid}`)).status,
    );
    assert.deepEqual(await Promise.all(statuses), [404, 200, 200]);
  });

  test('ends when it goes on for too long', async () => {
    const round = { type: 'repeat', max: 20, actions: [{ type: 'set_variable', name: 'a', value: 1 }] };
    const test = await played(doing([{ type: 'repeat', max: 20, actions: [round] }]));
    assert.equal(test.status, 'CUT_SHORT');
    assert.ok(test.trace.length < 600, `${test.trace.length}`);
  });

  test('is kept for 7 days', async () => {
    const sid = await newWorkflow(shop);
    const { body } = await tryOut(sid);
    const path = `${shop.at}/workflows/${sid}/tests/${body.sid}`;
    const count = () => app.count(`workflow_tests where sid = '${body.sid}'`);
    app.clock.advance(7 * 86_400_000 - 1);
    await runCron(app, sweepTests);
    assert.deepEqual([(await shop.get(path)).status, await count()], [200, 1]);
    app.clock.advance(1);
    refused(await shop.get(path), 404, 'NOT_FOUND');
    await runCron(app, sweepTests);
    assert.equal(await count(), 0);
  });
});

test('every definition in the guide is one, and its test runs', async () => {
  const guide = await readFile(new URL('../../../../../docs/workflows.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/```json (definition|test)\n([\s\S]*?)```/g)];
  const sids: string[] = [];
  for (const [, kind, json] of blocks) {
    if (kind === 'definition') sids.push(await newWorkflow(shop, JSON.parse(json!)));
    else {
      const reply = await tryOut(sids[0]!, JSON.parse(json!));
      assert.deepEqual([reply.status, reply.body.status], [201, 'COMPLETED'], reply.text);
    }
  }
  assert.equal(blocks.length, 3);
});
