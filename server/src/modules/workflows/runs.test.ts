// What becomes of single runs, step by step, on a real database.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { createEndpoint, loopContext } from '../../../test/harness/webhooks.ts';
import { closeDeliveries } from '../webhooks/endpoints/jobs.ts';
import { doing, hearing, on, pause, type Scene, stage, states, text } from './engine.test-data.ts';
import { hearRequestAnswers } from './turns/ask-endpoints.ts';
import { beginTurns } from './turns/take-turns.ts';

const minute = 60_000;
const hour = 60 * 60_000;

const lifetime = sharedLifetime();
const { engine, newScene } = stage(lifetime);

/** An endpoint that counts as verified, and to which nothing is sent. */
const askableEndpoint = async ({ app }: Scene) => {
  const endpoint = await createEndpoint(app, 'https://shop.example/in');
  await app.sql('update webhook_endpoints set verified_at = $2, subscribed_after = 0 where sid = $1', [
    endpoint.sid,
    app.clock.now(),
  ]);
  return endpoint;
};

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
