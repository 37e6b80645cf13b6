// What runs do, by clock, on a real database: started by events, taken further by rounds.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { runCron, runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { lockRows } from '../../../test/harness/locks.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { until } from '../../../test/harness/until.ts';
import { createEndpoint, loopContext } from '../../../test/harness/webhooks.ts';
import { consentsOf } from '../consent/index.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { contactsFor } from '../contacts/index.ts';
import { closeDeliveries } from '../webhooks/endpoints/jobs.ts';
import { brief, type Engine, engineOf, type Scene, sceneOf, text } from './engine.test-data.ts';
import { tellCustomEvent } from './life/custom-events.ts';
import type { WorkflowRun } from './resources/schema.ts';
import { sweepRuns } from './runs/crons.ts';
import { endRunsOfContact, eraseRuns } from './runs/erase.ts';
import { hearRequestAnswers } from './turns/ask-endpoints.ts';
import { beginTurns } from './turns/take-turns.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const lifetime = sharedLifetime();
const newApp = ownAccounts();
let engine: Engine;
before(async () => {
  engine = await engineOf(await newApp(), lifetime);
});
const newScene = async (): Promise<Scene> => sceneOf(await newApp());

const on = (trigger: object = {}) => ({ eventTypes: ['MESSAGE_RECEIVED'], ...trigger });
const hearing = (word: string) => [{ path: 'event.text.body', words: [word] }];
const doing = (actions: object[], more: object = {}) => ({
  trigger: on(),
  conditions: [],
  actions,
  ...more,
});
const pause = { type: 'wait', seconds: 60 };
const states = (runs: WorkflowRun[]) => runs.map(({ status, outcome }) => [status, outcome]).sort();
const counts = (values: string[]) =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
const decided = async (scene: Scene, workflowSid: string) =>
  counts((await scene.decisions(workflowSid)).map(({ decision }) => decision));

/** An endpoint that counts as verified, and to which nothing is sent. */
const askableEndpoint = async ({ app }: Scene) => {
  const endpoint = await createEndpoint(app, 'https://shop.example/in');
  await app.sql('update webhook_endpoints set verified_at = $2, subscribed_after = 0 where sid = $1', [
    endpoint.sid,
    app.clock.now(),
  ]);
  return endpoint;
};

suite('a story', () => {
  test('a keyword brings a question; the reply is assigned and closed, and who does not reply is told so', async () => {
    const scene = await newScene();
    const { app, desk } = scene;
    const inboxSid = await desk.inbox();
    await desk.route(inboxSid, scene.senderSid);
    const { userSid } = await desk.agent([inboxSid]);
    const workflowSid = await scene.publish(
      doing(
        [
          text('Which order, {{contact.displayName|there}}?', { id: 'ask' }),
          {
            id: 'asked',
            type: 'wait_for_reply',
            timeoutSeconds: 3_600,
            save: 'order',
            onTimeout: [text('We close this for now.'), { type: 'stop', outcome: 'silent' }],
          },
          { type: 'set_contact', attributes: { lastOrder: { path: 'vars.order.text' } } },
          { type: 'assign_conversation', assigneeSid: userSid },
          { type: 'close_conversation' },
        ],
        { conditions: hearing('order') },
      ),
    );
    const [ines, omar, other] = [scene.customer(), scene.customer(), scene.customer()];
    const { sid: conversationSid } = await ines.writes('My order is late');
    await omar.writes('About an ORDER');
    await other.writes('Good morning');
    await engine.settle();
    assert.deepEqual(await scene.sent(), ['Which order, Ines?', 'Which order, Ines?']);
    app.clock.advance(10 * minute);
    await ines.writes('Number 1001');
    await engine.settle();
    app.clock.advance(50 * minute - 1);
    await engine.settle();
    assert.equal((await scene.runs(workflowSid)).filter(({ status }) => status === 'WAITING').length, 1);
    app.clock.advance(1);
    await engine.settle();

    const runs = await scene.runs(workflowSid);
    assert.deepEqual(states(runs), [
      ['COMPLETED', null],
      ['COMPLETED', 'silent'],
    ]);
    const answered = runs.find(({ outcome }) => outcome === null)!;
    const steps = await scene.timeline(answered);
    assert.deepEqual(brief(steps), [
      '1 send_message waiting',
      '1 send_message done',
      '2 wait_for_reply waiting',
      '2 wait_for_reply done',
      '3 set_contact waiting',
      '3 set_contact done',
      '4 assign_conversation waiting',
      '4 assign_conversation done',
      '5 close_conversation waiting',
      '5 close_conversation done',
    ]);
    const start = Date.parse(answered.startedAt);
    assert.deepEqual(
      steps.map(({ at }) => (Date.parse(at) - start) / minute),
      [0, 0, 0, 10, 10, 10, 10, 10, 10, 10],
    );
    assert.deepEqual(brief(await scene.timeline(runs.find(({ outcome }) => outcome === 'silent')!)), [
      '1 send_message waiting',
      '1 send_message done',
      '2 wait_for_reply waiting',
      '2 wait_for_reply timed_out',
      '3 send_message waiting',
      '3 send_message done',
      '4 stop done',
    ]);
    const { assigneeSid, status } = await desk.conversation(conversationSid);
    assert.deepEqual([assigneeSid, status], [userSid, 'closed']);
    const contact = (await app.get(`${app.at}/contacts/${await ines.contactSid()}`)).body;
    assert.deepEqual(contact.attributes, { lastOrder: 'Number 1001' });
    assert.equal((await scene.sent()).at(-1), 'We close this for now.');
    assert.deepEqual(await decided(scene, workflowSid), { started: 2, condition: 1, reentry: 1 });
    const [message] = (await app.get(`${app.at}/messages?limit=100`)).body.data.filter(
      ({ workflowRunSid }: { workflowRunSid: string | null }) => workflowRunSid === answered.sid,
    );
    assert.equal(message.text.body, 'Which order, Ines?');
    const emitted = counts(await app.emitted());
    assert.equal(emitted['workflow_run.completed'], 2);
  });

  for (const [when, interleave] of [
    ['before the run was looked at', ['reply', 'consume', 'play']],
    ['after the run began and before its first turn', ['consume', 'reply', 'consume', 'play']],
    ['once the run waits', ['consume', 'play', 'reply', 'consume', 'play']],
  ] as const) {
    test(`a reply that comes ${when} is heard`, async () => {
      const scene = await newScene();
      const question = { type: 'wait_for_reply', timeoutSeconds: 3_600, save: 'said' };
      const workflowSid = await scene.publish(
        doing([text('Yes?'), question, text('You said {{vars.said.text}}')], {
          conditions: hearing('hello'),
        }),
      );
      const customer = scene.customer();
      await customer.writes('hello');
      for (const what of interleave) {
        if (what === 'reply') await customer.writes('a lot');
        else await engine[what]();
      }
      assert.deepEqual(await scene.sent(), ['Yes?', 'You said a lot']);
      assert.deepEqual(states(await scene.runs(workflowSid)), [['COMPLETED', null]]);
    });
  }
});

suite('a workflow', () => {
  for (const allowReentry of [true, false]) {
    test(`has one active run of a contact, however many events start it at once, re-entry ${allowReentry ? 'allowed' : 'not allowed'}`, async () => {
      const scene = await newScene();
      const workflowSid = await scene.publish(doing([pause], { trigger: on({ allowReentry }) }));
      const customer = scene.customer();
      await Promise.all(Array.from({ length: 50 }, () => customer.writes('hello')));
      await engine.settle();
      assert.deepEqual(states(await scene.runs(workflowSid)), [['WAITING', null]]);
      assert.deepEqual(await decided(scene, workflowSid), { started: 1, reentry: 49 });
      scene.app.clock.advance(minute);
      await engine.settle();
      await customer.writes('hello again');
      await engine.settle();
      const again = allowReentry
        ? [
            ['COMPLETED', null],
            ['WAITING', null],
          ]
        : [['COMPLETED', null]];
      assert.deepEqual(states(await scene.runs(workflowSid)), again);
    });
  }

  test('does nothing once whoever stops it is answered, and goes on when it is published again', async () => {
    const scene = await newScene();
    const workflowSid = await scene.publish(doing([pause, text('Done')]));
    const customers = Array.from({ length: 30 }, () => scene.customer());
    for (const customer of customers) await customer.writes('hello');
    await engine.settle();
    scene.app.clock.advance(minute);
    const playing = engine.play();
    const stopped = await scene.app.post(`${scene.app.at}/workflows/${workflowSid}/stop`);
    const sent = (await scene.sent()).length;
    assert.equal(stopped.status, 200, stopped.text);
    await playing;
    await engine.settle();
    assert.equal((await scene.sent()).length, sent);
    const held = (await scene.runs(workflowSid)).filter((run) => run.held);
    assert.equal(held.length, 30 - sent);
    await customers[0]!.writes('hello');
    await scene.app.post(`${scene.app.at}/workflows/${workflowSid}/publish`);
    await engine.settle();
    assert.equal((await scene.sent()).length, 30);
  });

  test('that another answers, and answers it, ends at a limit that a decision tells', async () => {
    const scene = await newScene();
    const trigger = { eventTypes: ['CONTACT_UPDATED'], allowReentry: true };
    const counting = (name: string) => ({
      trigger,
      conditions: [],
      actions: [{ type: 'set_contact', attributes: { [name]: { path: 'run.sid' } } }],
    });
    const [one, other] = [await scene.publish(counting('one')), await scene.publish(counting('other'))];
    const customer = scene.customer();
    await customer.writes('hello');
    await scene.app.patch(`${scene.app.at}/contacts/${await customer.contactSid()}`, { locale: 'fr' });
    await engine.settle();
    const runs = [...(await scene.runs(one)), ...(await scene.runs(other))];
    assert.deepEqual(counts(runs.map(({ status }) => status)), { COMPLETED: 12 });
    const decisions = [...(await scene.decisions(one)), ...(await scene.decisions(other))];
    const limits = decisions.filter(({ decision }) => decision === 'limit');
    assert.deepEqual(
      limits.map(({ detail }) => detail),
      [
        { limit: 'depth', most: 5 },
        { limit: 'depth', most: 5 },
      ],
    );
    assert.equal(decisions.filter(({ decision }) => decision === 'caused_by_self').length, 12);
  });

  test('writes to nobody more than five times in ten minutes without a word from them', async () => {
    const scene = await newScene();
    const actions = [{ type: 'repeat', max: 6, actions: [text('Hello?')] }];
    const workflowSid = await scene.publish(doing(actions));
    await scene.customer().writes('hello');
    await engine.consume();
    scene.app.clock.advance(1_000);
    await engine.settle();
    assert.equal((await scene.sent()).length, 5);
    const [run] = await scene.runs(workflowSid);
    assert.deepEqual([run!.status, run!.error?.code], ['FAILED', 'WORKFLOW_LIMIT']);
    const limit = (await scene.decisions(workflowSid)).find(({ decision }) => decision === 'limit');
    assert.deepEqual([limit!.runSid, limit!.detail], [run!.sid, { limit: 'sends' }]);
  });

  test('is started a thousand times a second in an account; what is more waits, and nothing of it is lost', async () => {
    const scene = await newScene();
    const { app } = scene;
    const trigger = { eventTypes: ['CUSTOM_SALE'], allowReentry: true };
    const sids = [
      await scene.publish(doing([pause], { trigger })),
      await scene.publish(doing([pause], { trigger })),
    ];
    const phones = Array.from({ length: 501 }, () => newPhone());
    const contacts = await scene.write((t) =>
      contactsFor(
        t,
        { consentsOf },
        phones.map((value) => ({ identifierType: 'phone_e164', value, scopeRef: null })),
      ),
    );
    const tell = (from: number, to: number) =>
      scene.write(async (t) => {
        for (const contactSid of contacts.slice(from, to))
          await tellCustomEvent(t, { eventType: 'CUSTOM_SALE', contactSid });
      });
    const started = () => app.count(`workflow_runs where workflow_sid in ('${sids.join("', '")}')`);
    await tell(0, 499);
    await engine.consume();
    app.clock.advance(400);
    await tell(499, 500);
    await engine.consume();
    assert.equal(await started(), 1_000);
    await tell(500, 501);
    await engine.consume();
    app.clock.advance(599);
    await engine.consume();
    assert.equal(await started(), 1_000);
    app.clock.advance(1);
    await engine.consume();
    assert.equal(await started(), 1_002);
    assert.equal(
      await app.count(`workflow_decisions where account_sid = '${app.accountSid}' and decision <> 'started'`),
      0,
    );
  });

  test('starts another for the same contact, which cannot be told twice at once', async () => {
    const scene = await newScene();
    const second = await scene.publish({ ...doing([pause]), trigger: { eventTypes: ['CONSENT_RECORDED'] } });
    const starting = { type: 'start_workflow', workflowSid: second, onError: 'continue' };
    const first = await scene.publish(doing([starting, starting]));
    const customer = scene.customer();
    await customer.writes('hello');
    await engine.settle();
    const [run] = await scene.runs(first);
    const [started, ...more] = await scene.runs(second);
    assert.deepEqual(
      [more.length, started!.startedByRunSid, started!.contactSid],
      [0, run!.sid, await customer.contactSid()],
    );
    const errors = (await scene.timeline(run!)).flatMap(({ error }) => error?.code ?? []);
    assert.deepEqual(errors, ['CONFLICT']);
  });
});

suite('a run', () => {
  test('whose message becomes too long by what is inserted fails at that step, and no other run with it', async () => {
    const scene = await newScene();
    const workflowSid = await scene.publish(doing([text(`${'x'.repeat(4_000)} {{event.text.body}}`)]));
    const [wordy, short] = [scene.customer(), scene.customer()];
    await wordy.writes('y'.repeat(200));
    await short.writes('hello');
    await engine.settle();
    const runs = await scene.runs(workflowSid);
    assert.deepEqual(states(runs), [
      ['COMPLETED', null],
      ['FAILED', null],
    ]);
    const failed = runs.find(({ status }) => status === 'FAILED')!;
    assert.deepEqual([failed.contactSid, failed.error?.code], [await wordy.contactSid(), 'VALIDATION_ERROR']);
    assert.equal((await scene.sent()).length, 1);
  });

  test('that cannot be read keeps no other back, and is given up in the end', async () => {
    const scene = await newScene();
    const workflowSid = await scene.publish(doing([pause, text('Done')]));
    const customers = Array.from({ length: 5 }, () => scene.customer());
    for (const customer of customers) await customer.writes('hello');
    await engine.settle();
    const broken = (await scene.runs(workflowSid))[2]!.sid;
    await scene.app.sql(`update workflow_runs set cursor = '{}' where sid = $1`, [broken]);
    scene.app.clock.advance(minute);
    await engine.settle();
    assert.equal((await scene.sent()).length, 4);
    for (let tries = 1; tries < 8; tries += 1) {
      scene.app.clock.advance(2 ** tries * 1_000);
      await engine.settle();
    }
    const { body } = await scene.app.get(`${scene.app.at}/workflows/${workflowSid}/runs/${broken}`);
    assert.deepEqual([body.status, body.error.code], ['FAILED', 'INTERNAL_ERROR']);
  });

  test('waits for a colleague who is writing, and for five minutes at most', async () => {
    const scene = await newScene();
    const { app, desk } = scene;
    const inboxSid = await desk.inbox();
    await desk.route(inboxSid, scene.senderSid);
    const agent = await desk.agent([inboxSid]);
    const workflowSid = await scene.publish(doing([text('A machine answers')]));
    const customer = scene.customer();
    const { sid } = await customer.writes('hello');
    let token = await desk.token(sid, agent);
    for (let waited = 0; waited < 5; waited += 1) {
      await engine.settle();
      assert.deepEqual(await scene.sent(), [], `after ${waited} minutes`);
      app.clock.advance(minute);
      token = await desk.token(sid, agent);
    }
    assert.ok(token);
    await engine.settle();
    assert.deepEqual(await scene.sent(), ['A machine answers']);
    assert.deepEqual(states(await scene.runs(workflowSid)), [['COMPLETED', null]]);
  });

  test('asks an endpoint, goes on with its answer, and fails the step where none comes', async () => {
    const scene = await newScene();
    const { app } = scene;
    const { sid: endpointSid } = await askableEndpoint(scene);
    const asking = {
      type: 'http_request',
      endpointSid,
      body: { of: '{{contact.displayName}}' },
      save: 'shop',
    };
    const workflowSid = await scene.publish(doing([asking, text('It is {{vars.shop.body.state}}')]));
    const [answered, unanswered] = [scene.customer(), scene.customer()];
    await answered.writes('hello');
    await unanswered.writes('hello');
    await engine.settle();
    const runs = await scene.runs(workflowSid);
    assert.deepEqual(states(runs), [
      ['WAITING', null],
      ['WAITING', null],
    ]);
    const contactSid = await answered.contactSid();
    const asked = runs.find((run) => run.contactSid === contactSid)!;
    const answer = { endpointSid, deliverySid: 'WD', status: 200, failure: null, body: '{"state":"paid"}' };
    for (let twice = 0; twice < 2; twice += 1)
      await scene.write((t) => hearRequestAnswers(t, [{ ...answer, key: `${asked.sid} 1` }]));
    await engine.settle();
    assert.deepEqual(await scene.sent(), ['It is paid']);
    app.clock.advance(minute);
    await engine.settle();
    const failed = (await scene.runs(workflowSid)).find(({ status }) => status === 'FAILED')!;
    assert.equal(failed.error!.code, 'HTTP_TIMEOUT');
  });

  test('that waits for an endpoint fails the step at once when the endpoint is disabled', async () => {
    const scene = await newScene();
    const { app } = scene;
    const endpoint = await askableEndpoint(scene);
    const asking = { type: 'http_request', endpointSid: endpoint.sid, body: {}, timeoutSeconds: 3_600 };
    const workflowSid = await scene.publish(doing([asking]));
    await scene.customer().writes('hello');
    await engine.settle();
    await engine.fanOut();
    // The event of the second one meets the endpoint when it is disabled already.
    await scene.customer().writes('hello');
    await engine.settle();
    assert.equal((await app.delete(endpoint.path)).status, 204);
    await runJob({ app }, closeDeliveries, { endpointSid: endpoint.sid });
    await engine.fanOut();
    await engine.settle();
    const runs = await scene.runs(workflowSid);
    assert.deepEqual(
      runs.map(({ status, error }) => [status, error?.code, error?.message]),
      Array(2).fill(['FAILED', 'HTTP_FAILED', 'The endpoint could not be asked: disabled.']),
    );
  });

  test('is taken further at once, though its lane was leased anew before the giving back was heard of', async () => {
    const scene = await newScene();
    const { app } = scene;
    const [givenBack, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let writes = 0;
    const database: typeof app.database = {
      ...app.database,
      async write(...given) {
        const result = await app.database.write(...given);
        writes += 1;
        // The round is written first, and then the lane is given back.
        if (writes === 2) givenBack.resolve();
        if (writes === 2) await heard.promise;
        return result;
      },
    };
    const turns = beginTurns({ ...(await loopContext(app, lifetime)), database });
    const workflowSid = await scene.publish(doing([pause]));
    await scene.customer().writes('hello');
    await engine.consume();
    const first = turns.turn();
    await givenBack.promise;
    await scene.customer().writes('hello');
    await engine.consume();
    turns.told();
    await first;
    const second = turns.turn();
    await until(
      'it is leased anew',
      async () => (await app.count('workflow_lanes where holder is not null')) > 0,
    );
    heard.resolve();
    await second;
    while (await turns.turn());
    assert.deepEqual(states(await scene.runs(workflowSid)), Array(2).fill(['WAITING', null]));
  });

  test('ends by its own time, with what is to be done then', async () => {
    const scene = await newScene();
    const definition = doing([{ type: 'wait', seconds: 7_200 }, text('Too late')], {
      trigger: on({ timeoutSeconds: 3_600 }),
      timeoutActions: [text('Time is up')],
    });
    const workflowSid = await scene.publish(definition);
    await scene.customer().writes('hello');
    await engine.settle();
    scene.app.clock.advance(hour);
    await engine.settle();
    scene.app.clock.advance(2 * hour);
    await engine.settle();
    assert.deepEqual(states(await scene.runs(workflowSid)), [['TIMED_OUT', null]]);
    assert.deepEqual(await scene.sent(), ['Time is up']);
  });

  test('does every kind of effect in its own name', async () => {
    const scene = await newScene();
    const { app, desk } = scene;
    const [inboxSid, otherInbox] = [await desk.inbox(), await desk.inbox('Complaints')];
    const { userSid } = await desk.agent([inboxSid]);
    const workflowSid = await scene.publish(
      doing(
        [
          { id: 'yes', type: 'wait_for_reply', timeoutSeconds: 3_600 },
          {
            type: 'record_consent',
            purpose: 'MARKETING',
            status: 'OPTED_IN',
            reply: 'yes',
            wording: 'News now and then',
          },
          { type: 'move_conversation', inboxSid },
          { type: 'assign_conversation', roundRobin: true },
          { type: 'notify', assignee: true },
          { type: 'notify', inboxSid },
          { type: 'close_conversation' },
          { type: 'reopen_conversation' },
          { type: 'move_conversation', inboxSid: otherInbox },
          { type: 'notify', assignee: true, onError: 'continue' },
          { type: 'suppress', scope: 'MARKETING' },
        ],
        { conditions: hearing('hello') },
      ),
    );
    const customer = scene.customer();
    const { sid } = await customer.writes('hello');
    await customer.writes('yes please');
    await engine.settle();
    const [run] = await scene.runs(workflowSid);
    const steps = await scene.timeline(run!);
    assert.deepEqual([run!.status, run!.error], ['COMPLETED', null]);
    assert.deepEqual(
      steps.flatMap(({ error }) => error?.code ?? []),
      ['WORKFLOW_NO_ASSIGNEE'],
    );
    const by = `workflow:${run!.sid}`;
    const contactSid = await customer.contactSid();
    const [consent] = (await app.get(`${app.at}/contacts/${contactSid}/consents`)).body.data;
    const reply = (await app.get(`${app.at}/messages?limit=100`)).body.data.find(
      ({ text }: { text: { body: string } | null }) => text?.body === 'yes please',
    );
    assert.deepEqual([consent.recordedBy, consent.evidenceRef], [by, reply.sid]);
    const [suppression] = (await app.get(`${app.at}/contacts/${contactSid}/suppressions`)).body.data;
    assert.deepEqual([suppression.createdBy, suppression.scope], [by, 'MARKETING']);
    const conversation = await desk.conversation(sid);
    assert.deepEqual([conversation.inboxSid, conversation.status], [otherInbox, 'open']);
    const told = await app.sql<{ audience: string }>(
      `select audience from notifications where account_sid = $1 and type = 'workflow.notified' order by audience`,
      [app.accountSid],
    );
    assert.equal(told.length, 2);
    assert.ok(told.some(({ audience }) => audience.includes(userSid)));
    const told1 = steps.filter(({ eventSid }) => eventSid !== null).map(({ type }) => type);
    assert.deepEqual(told1, [
      'record_consent',
      'move_conversation',
      'assign_conversation',
      'close_conversation',
      'reopen_conversation',
      'move_conversation',
      'suppress',
    ]);
  });

  test('is told with what its conditions saw, to whoever may read contacts', async () => {
    const scene = await newScene();
    const { app } = scene;
    const asking = [{ path: 'event.text.body', words: ['gold'] }];
    const workflowSid = await scene.publish(
      doing([{ type: 'branch', cases: [{ conditions: asking, actions: [text('Gold')] }] }, pause], {
        conditions: hearing('hello'),
      }),
    );
    const [one, other] = [scene.customer(), scene.customer()];
    await one.writes('hello gold');
    await other.writes('good morning');
    await engine.settle();
    const [run] = await scene.runs(workflowSid);
    assert.deepEqual(run!.waiting, {
      kind: 'time',
      position: 3,
      until: new Date(app.clock.now().getTime() + minute).toISOString(),
    });
    const saw = { path: 'event.text.body', value: 'hello gold' };
    assert.deepEqual((await scene.timeline(run!))[0]!.saw, [saw]);
    const condition = (await scene.decisions(workflowSid)).find(({ decision }) => decision === 'condition')!;
    const morning = { path: 'event.text.body', value: 'good morning' };
    assert.deepEqual(condition.detail, { condition: 0, saw: [morning] });

    const { eventSid } = condition;
    const explain = async (sid: string, headers = {}) =>
      (await app.post(`${app.at}/workflows/${workflowSid}/explain`, { eventSid: sid }, headers)).body;
    assert.deepEqual((await explain(eventSid)).detail, condition.detail);
    assert.equal((await explain(run!.eventSid)).decision, 'reentry');
    const later = await scene.publish(doing([pause]));
    const early = await app.post(`${app.at}/workflows/${later}/explain`, { eventSid });
    assert.deepEqual([early.body.decision, early.body.detail], ['before_publishing', null]);

    const { key } = await app.key(['inboxes:read']);
    const blind = bearer(key);
    const path = `${app.at}/workflows/${workflowSid}`;
    const steps = (await app.get(`${path}/runs/${run!.sid}/timeline`, blind)).body.data;
    assert.deepEqual(steps[0].saw, [{ path: 'event.text.body', value: null }]);
    const unseen = { condition: 0, saw: [{ path: 'event.text.body', value: null }] };
    assert.deepEqual((await explain(eventSid, blind)).detail, unseen);
    const refused = await app.post(`${path}/explain`, { eventSid: 'EV01K3SAMP1E0000000000000000' });
    assert.deepEqual([refused.status, refused.body.error.details[0].path], [400, 'eventSid']);
  });

  test('that is stopped does nothing more, and cannot be stopped twice', async () => {
    const scene = await newScene();
    const workflowSid = await scene.publish(doing([pause, text('Done')]));
    await scene.customer().writes('hello');
    await engine.settle();
    const [run] = await scene.runs(workflowSid);
    const path = `${scene.app.at}/workflows/${workflowSid}/runs/${run!.sid}/stop`;
    const stopped = await scene.app.post(path);
    assert.deepEqual([stopped.status, stopped.body.status, stopped.body.outcome], [200, 'STOPPED', 'run']);
    assert.equal((await scene.app.post(path)).status, 409);
    scene.app.clock.advance(hour);
    await engine.settle();
    assert.deepEqual(await scene.sent(), []);
  });
});

suite('the runs of a contact', () => {
  test('go on for the survivor of a merge, one of a workflow, and come back when it is reverted', async () => {
    const scene = await newScene();
    const people = peopleOf(scene.app);
    const waiting = [{ type: 'wait', seconds: 86_400 }];
    const both = await scene.publish(doing(waiting, { conditions: hearing('both') }));
    const single = await scene.publish(doing(waiting, { conditions: hearing('single') }));
    const [survivor, merged] = [scene.customer(), scene.customer()];
    await survivor.writes('both');
    await merged.writes('both and single');
    await engine.settle();
    const [survivorSid, mergedSid] = [await survivor.contactSid(), await merged.contactSid()];
    const { id, moved } = await people.merge(survivorSid, mergedSid);
    const [moving] = await scene.runs(single);
    assert.deepEqual(moved.workflowRuns, [moving!.sid]);
    assert.deepEqual([moving!.contactSid, moving!.status], [survivorSid, 'WAITING']);
    assert.deepEqual(states(await scene.runs(both)), [
      ['STOPPED', 'merged'],
      ['WAITING', null],
    ]);
    await merged.writes('single'); // who was in it is in it still, by whichever name
    await engine.settle();
    assert.equal((await scene.runs(single)).length, 1);
    const { body } = await people.revert(id);
    assert.deepEqual(body.movedBack.workflowRuns, [moving!.sid]);
    assert.equal((await scene.runs(single))[0]!.contactSid, mergedSid);
    await survivor.writes('single');
    await engine.settle();
    assert.deepEqual(
      new Set((await scene.runs(single)).map(({ contactSid }) => contactSid)),
      new Set([survivorSid, mergedSid]),
    );
  });

  for (const [when, looks] of [
    ['before the merge is reverted', 'before'],
    ['while it is being reverted', 'meanwhile'],
    ['after it was reverted', 'after'],
  ] as const) {
    test(`hear what somebody wrote while merged, looked at ${when}`, async () => {
      const scene = await newScene();
      const people = peopleOf(scene.app);
      const waiting = [{ type: 'wait_for_reply', timeoutSeconds: 3_600 }];
      const theirs = await scene.publish(doing(waiting, { conditions: hearing('first') }));
      const own = await scene.publish(doing(waiting, { conditions: hearing('second') }));
      const [survivor, merged] = [scene.customer(), scene.customer()];
      await merged.writes('first');
      await survivor.writes('second');
      await engine.settle();
      const { id } = await people.merge(await survivor.contactSid(), await merged.contactSid());
      await merged.writes('an answer');
      if (looks === 'before') await engine.consume();
      if (looks === 'meanwhile') {
        const held = await lockRows(scene.app, `contact_merges where id = '${id}'`);
        const reverting = people.revert(id);
        await held.waitersAre(1);
        const consuming = engine.consume();
        await held.waitersAre(2);
        await held.release();
        await Promise.all([reverting, consuming]);
      } else assert.equal((await people.revert(id)).status, 200);
      await engine.settle();
      const [run] = await scene.runs(theirs);
      assert.equal(run!.status, 'COMPLETED');
      // As long as they are one, the other is answered too; once they are two, it is nothing to them.
      const [other] = await scene.runs(own);
      assert.equal(other!.status, looks === 'before' ? 'COMPLETED' : 'WAITING');
    });
  }

  test('end when it may no longer be dealt with, and forget it when it is erased', async () => {
    const scene = await newScene();
    const { app } = scene;
    const workflowSid = await scene.publish(
      doing([{ type: 'set_variable', name: 'said', value: '{{event.text.body}}' }, pause, text('Done')], {
        conditions: hearing('hello'),
      }),
    );
    const [restricted, erased] = [scene.customer(), scene.customer()];
    await restricted.writes('hello secret');
    await erased.writes('secret'); // starts nothing, and the decision tells what its condition saw
    await erased.writes('hello secret');
    await engine.settle();
    const contactSid = await erased.contactSid();
    const restrictedSid = await restricted.contactSid();
    assert.equal(await scene.write((t) => endRunsOfContact(t, restrictedSid, 'restricted')), 1);
    const other = await scene.publish(doing([pause], { conditions: hearing('goodbye') }));
    await app.post(`${app.at}/workflows/${other}/contacts/${contactSid}/stop`, { reason: 'A secret' });
    await scene.write((t) => eraseRuns(t, contactSid));
    assert.deepEqual(states(await scene.runs(workflowSid)), [
      ['STOPPED', 'erased'],
      ['STOPPED', 'restricted'],
    ]);
    app.clock.advance(hour);
    await engine.settle();
    assert.deepEqual(await scene.sent(), []);
    for (const table of [
      'workflow_runs',
      'workflow_steps',
      'workflow_decisions',
      'workflow_mail',
      'workflow_contact_stops',
    ]) {
      const rows = await app.sql<{ row: string }>(
        `select row_to_json(r)::text as row from ${table} r where account_sid = $1 and ${
          table === 'workflow_steps' || table === 'workflow_mail'
            ? 'run_sid in (select sid from workflow_runs where contact_sid = $2)'
            : 'contact_sid = $2'
        }`,
        [app.accountSid, contactSid],
      );
      assert.ok(
        rows.every(({ row }) => !row.includes('secret')),
        table,
      );
    }
  });

  test('are kept for 90 days after their end, and their steps with them', async () => {
    const scene = await newScene();
    const { app } = scene;
    const over = await scene.publish(doing([text('Done')]));
    const going = await scene.publish(
      doing([{ type: 'wait', seconds: 2_592_000 }], { trigger: on({ eventTypes: ['CONVERSATION_OPENED'] }) }),
    );
    await scene.customer().writes('hello');
    await engine.settle();
    app.clock.advance(90 * day - hour);
    await runCron(app, sweepRuns);
    assert.equal((await scene.runs(over)).length, 1);
    app.clock.advance(2 * hour);
    await scene.customer().writes('hello');
    await engine.settle();
    await runCron(app, sweepRuns);
    assert.deepEqual(states(await scene.runs(over)), [['COMPLETED', null]]);
    assert.equal((await scene.runs(going)).length, 2);
    assert.equal(await app.count(`workflow_steps where run_sid not in (select sid from workflow_runs)`), 0);
  });
});
