// Workflows beside the outside world: endpoints that answer over HTTP, a machine at the other end of the line, and whoever stops a
// workflow or merges contacts while their runs are under way.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { before, suite, test } from 'node:test';
import Stripe from 'stripe';
import { loops } from '../../src/main/modules.ts';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import {
  brief,
  type Engine,
  engineOf,
  type Scene,
  sceneOf,
  text,
} from '../../src/modules/workflows/engine.test-data.ts';
import type { WorkflowRun } from '../../src/modules/workflows/resources/schema.ts';
import type { LoopContext } from '../../src/platform/jobs/claim-loop.ts';
import { peopleOf } from '../harness/contacts.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { lockRows } from '../harness/locks.ts';
import { dispatcherOf } from '../harness/messages.ts';
import { ownAccounts } from '../harness/own-account.ts';
import { until } from '../harness/until.ts';
import { loopContext, onThisMachine, settle, startReceiver, verifiedEndpoint } from '../harness/webhooks.ts';

const minute = 60_000;

const lifetime = sharedLifetime();
const newApp = ownAccounts({ env: onThisMachine, simulator: true });
let engine: Engine;
let webhooks: LoopContext;
before(async () => {
  const app = await newApp();
  engine = await engineOf(app, lifetime);
  webhooks = await loopContext(app, lifetime);
});
const newScene = async (): Promise<Scene> => sceneOf(await newApp());
const deliver = () => settle(webhooks);

const doing = (actions: object[], more: object = {}) => ({
  trigger: { eventTypes: ['MESSAGE_RECEIVED'] },
  conditions: [],
  actions,
  ...more,
});
const ends = (runs: WorkflowRun[]) => runs.map(({ status, error }) => [status, error?.code ?? null]).sort();

/** Hears nothing but what it is asked. */
const asked = (app: Scene['app'], url: string) =>
  verifiedEndpoint(app, url, { eventFilters: ['inbox.created'] });
const hearing = (word: string) => [{ path: 'event.text.body', words: [word] }];
const pause = { type: 'wait', seconds: 60 };

// The first of the file: nothing of other tests waits to be handed over.
suite('a workflow and a machine that answer each other', () => {
  /** What a worker does beside the turns of workflows, by hand: hands messages over, and looks at what the provider tells. */
  async function workerOf({ app, senderSid }: Scene) {
    const { control } = app.simulator;
    const callbacks = loops
      .find(({ name }) => name === 'provider-callbacks')!
      .begin({ ...webhooks, ports: app.ports });
    const dispatcher = await dispatcherOf(app, { provider: { port: app.ports.provider } });
    // The simulator learns of the sandbox's number with the first call that uses it.
    const template = { name: 'hello_world', language: 'en' };
    const first = { from: senderSid, to: newPhone(), type: 'template', template };
    assert.equal((await app.post(`${app.at}/messages`, first)).status, 201);
    await dispatcher.run();
    return async () => {
      await control.settle();
      while (await callbacks.turn());
      await engine.settle();
      await dispatcher.run();
    };
  }

  test('end after 60 runs in an hour, with a decision that says so', async () => {
    const scene = await newScene();
    const { app } = scene;
    const { control } = app.simulator;
    const work = await workerOf(scene);
    const trigger = { eventTypes: ['MESSAGE_RECEIVED'], allowReentry: true };
    const workflowSid = await scene.publish(doing([text('And you?')], { trigger }));
    const [from, to] = [newPhone().slice(1), (await app.get(`${app.at}/senders/${scene.senderSid}`)).body];
    const arrived = () => control.messages(0, 1_000).data.filter(({ waId }) => waId === from).length;
    let said = 0;
    for (; said <= arrived(); said += 1) {
      assert.ok(said < 100, 'they talk without end');
      app.clock.advance(7_000); // a pair of numbers may exchange a message every six seconds
      await control.inbound({ from, to: to.phoneNumber.slice(1), text: 'And you?' });
      await work();
    }
    assert.deepEqual([said, arrived()], [61, 60]);
    const runs = await scene.runs(workflowSid);
    assert.deepEqual([runs.length, runs.every(({ status }) => status === 'COMPLETED')], [60, true]);
    const [last, ...before] = await scene.decisions(workflowSid);
    assert.deepEqual([last!.decision, last!.detail], ['limit', { limit: 'starts', most: 60 }]);
    assert.ok(before.every(({ decision }) => decision === 'started'));
  });
});

suite('a run that asks an endpoint', () => {
  const failing = { failureActions: [text('Sorry: {{error.code}}')] };

  test('makes one signed delivery for its step, and goes on with the first answer, whatever comes after it', async (context) => {
    const scene = await newScene();
    const { app } = scene;
    const receiver = await startReceiver(context);
    const { sid: endpointSid, secret } = await asked(app, receiver.url);
    const states = ['paid', 'refunded', 'lost'];
    receiver.answer = (_received, response) => void response.end(JSON.stringify({ state: states.shift() }));
    const workflowSid = await scene.publish(
      doing([
        { type: 'set_variable', name: 'order', value: '1001' },
        {
          id: 'ask',
          type: 'http_request',
          endpointSid,
          body: { order: '{{vars.order}}', said: '{{event.text.body}}' },
          save: 'shop',
        },
        text('{{vars.shop.body.state}}, {{steps.ask.output.body.state}}, {{steps.ask.output.status}}'),
      ]),
    );
    await scene.customer().writes('Where is it?');
    await engine.settle();
    const [run] = await scene.runs(workflowSid);
    assert.deepEqual([run!.status, run!.waiting?.kind], ['WAITING', 'answer']);
    await deliver();
    await deliver();
    const [received, ...others] = receiver.events();
    assert.equal(others.length, 0);
    const signature = String(received!.headers['x-service-signature']);
    const { event } = received!;
    const verified = new Stripe('sk_test_x').webhooks.constructEvent(
      received!.raw,
      signature,
      secret,
      300,
      undefined,
      app.clock.now().getTime(),
    );
    assert.equal(verified.id, event.id);
    assert.equal(event.type, 'webhook_request.made');
    assert.equal(event.data.id, `${run!.sid} 2`);
    assert.deepEqual(event.data.body, { order: '1001', said: 'Where is it?' });

    const again = { eventSids: [event.id], endpointSid };
    const answerAgain = async () => {
      const reply = await app.post(`${app.at}/events/redeliver`, again);
      assert.ok(reply.status < 300, reply.text);
      await deliver();
    };
    await answerAgain(); // before the run has looked at the first answer
    await engine.settle();
    assert.deepEqual(await scene.sent(), ['paid, paid, 200']);
    await answerAgain(); // when it is over
    await engine.settle();
    assert.deepEqual(
      receiver.events().map((one) => one.event.id),
      [event.id, event.id, event.id],
    );
    assert.deepEqual(await scene.sent(), ['paid, paid, 200']);
    assert.deepEqual(ends(await scene.runs(workflowSid)), [['COMPLETED', null]]);
    assert.deepEqual(brief(await scene.timeline(run!)), [
      '1 set_variable done',
      '2 http_request waiting',
      '2 http_request done',
      '3 send_message waiting',
      '3 send_message done',
    ]);
    assert.equal(await app.count('workflow_mail'), 0);
  });

  test('goes on after an answer of 64 KiB, or of no JSON; what it cannot keep or send fails its step alone', async (context) => {
    const scene = await newScene();
    const receiver = await startReceiver(context);
    const { sid: endpointSid } = await asked(scene.app, receiver.url);
    const answers: Record<string, string> = {
      long: JSON.stringify({ state: 'x'.repeat(65_000) }),
      words: 'no such order',
      nothing: '',
      hostile: '{"state": "\\u0000 \\ud800", "__proto__": {"state": 1}}',
      good: '{"state": "paid"}',
    };
    receiver.answer = ({ event }, response) => void response.end(answers[event.data.body.said]);
    const asking = { type: 'http_request', endpointSid, body: { said: '{{event.text.body}}' } };
    const kept = await scene.publish(
      doing([{ ...asking, save: 'shop' }, text('{{vars.shop.body.state|none}}')], failing),
    );
    const heard = await scene.publish(doing([asking, text('heard')]));
    for (const said of Object.keys(answers)) await scene.customer().writes(said);
    await engine.settle();
    await deliver();
    await engine.settle();
    assert.deepEqual(
      ends(await scene.runs(heard)),
      Object.keys(answers).map(() => ['COMPLETED', null]),
    );
    assert.deepEqual(ends(await scene.runs(kept)), [
      ['COMPLETED', null],
      ['COMPLETED', null],
      ['COMPLETED', null],
      ['FAILED', 'VALIDATION_ERROR'],
      ['FAILED', 'WORKFLOW_VARIABLES_TOO_LARGE'],
    ]);
    assert.deepEqual((await scene.sent()).filter((body) => body !== 'heard').sort(), [
      'Sorry: VALIDATION_ERROR',
      'Sorry: WORKFLOW_VARIABLES_TOO_LARGE',
      'none',
      'none',
      'paid',
    ]);
  });

  test('fails its step when its time is over, and an answer after that changes nothing', async (context) => {
    const scene = await newScene();
    const { app } = scene;
    const receiver = await startReceiver(context);
    const { sid: endpointSid } = await asked(app, receiver.url);
    const open: ServerResponse[] = [];
    receiver.answer = (_received, response) => void open.push(response);
    const asking = { type: 'http_request', endpointSid, timeoutSeconds: 20, save: 'shop' };
    const workflowSid = await scene.publish(doing([asking, text('Too late')], failing));
    await scene.customer().writes('hello');
    await engine.settle();
    const delivering = deliver();
    await until('the receiver is asked', () => open.length === 1);
    app.clock.advance(20_000 - 1);
    await engine.settle();
    assert.deepEqual(ends(await scene.runs(workflowSid)), [['WAITING', null]]);
    app.clock.advance(1);
    await engine.settle();
    const over = ends(await scene.runs(workflowSid));
    assert.deepEqual(over, [['FAILED', 'HTTP_TIMEOUT']]);
    open[0]!.end('{"state": "paid"}');
    await delivering;
    await engine.settle();
    assert.deepEqual(await scene.sent(), ['Sorry: HTTP_TIMEOUT']);
    assert.deepEqual(ends(await scene.runs(workflowSid)), over);
    assert.equal(await app.count('workflow_mail'), 0);
  });

  test('fails its step at once when the endpoint is disabled meanwhile, and afterwards', async (context) => {
    const scene = await newScene();
    const { app } = scene;
    const receiver = await startReceiver(context);
    const { sid: endpointSid, path } = await asked(app, receiver.url);
    const asking = { type: 'http_request', endpointSid, timeoutSeconds: 60 };
    const workflowSid = await scene.publish(doing([asking, text('Answered')], failing));
    await scene.customer().writes('before');
    await engine.settle();
    const gone = await app.delete(path);
    assert.equal(gone.status, 204, gone.text);
    await deliver();
    assert.deepEqual(receiver.events(), []);
    await scene.customer().writes('after');
    await engine.settle();
    assert.deepEqual(ends(await scene.runs(workflowSid)), [
      ['FAILED', 'CONFLICT'],
      ['FAILED', 'HTTP_FAILED'],
    ]);
    assert.deepEqual((await scene.sent()).sort(), ['Sorry: CONFLICT', 'Sorry: HTTP_FAILED']);
    assert.deepEqual(receiver.events(), []);
  });
});

suite('whoever stops a workflow', () => {
  test('with 1,000 runs in flight is answered when nothing of it happens any more; each goes on once it is published', async () => {
    const scene = await newScene();
    const { app, desk, senderSid } = scene;
    const path = `${app.at}/workflows/${await scene.publish(doing([pause, text('Done')]))}`;
    const people = Array.from({ length: 1_000 }, () => newPhone().slice(1));
    await desk.hearsAll(senderSid, people, 'hello');
    await engine.settle();
    app.clock.advance(minute);
    // One of the fifth round's conversations is held, so that the round is under way when the workflow is stopped.
    const [inFifth] = await app.sql<{ contact_sid: string }>(
      'select contact_sid from workflow_wakes where account_sid = $1 order by due_at, run_sid offset 450 limit 1',
      [app.accountSid],
    );
    const held = await lockRows(
      app,
      `conversations where account_sid = '${app.accountSid}' and contact_sid = '${inFifth!.contact_sid}'`,
    );
    const playing = engine.play();
    await held.waitersAre(1);
    const stopping = app.post(`${path}/stop`);
    await held.waitersAre(2);
    await held.release();
    const stopped = await stopping;
    assert.equal(stopped.status, 200, stopped.text);
    const done = async () => [await app.count('workflow_steps'), (await scene.sent()).length];
    const atTheAnswer = await done();
    await playing;
    await engine.settle();
    assert.deepEqual(await done(), atTheAnswer);
    const sent = atTheAnswer[1]!;
    assert.ok(sent >= 500, `${sent} were sent before`);
    const after = await app.sql<{ type: string }>(
      `select type from events where account_sid = $1 and not livemode and sequence > (
         select sequence from events where account_sid = $1 and type = 'workflow.stopped')`,
      [app.accountSid],
    );
    assert.deepEqual(after, []);
    assert.equal(await app.count('workflow_wakes where held'), 1_000 - sent);

    assert.equal((await app.post(`${path}/publish`)).status, 200);
    await engine.settle();
    const [{ messages, contacts }] = (await app.sql<{ messages: number; contacts: number }>(
      `select count(*)::integer as messages, count(distinct contact_sid)::integer as contacts from messages
        where account_sid = $1 and direction = 'outbound'`,
      [app.accountSid],
    )) as [{ messages: number; contacts: number }];
    assert.deepEqual([messages, contacts], [1_000, 1_000]);
    assert.equal(await app.count(`workflow_runs where state = 'COMPLETED'`), 1_000);
  });
});

suite('the runs of contacts that are merged', () => {
  for (const reverted of [false, true]) {
    const whose = reverted ? 'for the merged contact once that is reverted' : 'for the survivor';
    test(`go on ${whose}, whatever they stand at or wait for`, async (context) => {
      const scene = await newScene();
      const { app, desk } = scene;
      const people = peopleOf(app);
      const receiver = await startReceiver(context);
      const { sid: endpointSid } = await asked(app, receiver.url);
      const inboxSid = await desk.inbox();
      await desk.route(inboxSid, scene.senderSid);
      const agent = await desk.agent([inboxSid]);
      const waits: Record<string, object> = {
        time: pause,
        reply: { type: 'wait_for_reply', timeoutSeconds: 3_600 },
        event: { type: 'wait_for_event', eventTypes: ['CUSTOM_PAID'], timeoutSeconds: 3_600 },
        answer: { type: 'http_request', endpointSid, timeoutSeconds: 3_600 },
        both: pause,
      };
      const workflows: Record<string, string> = {};
      for (const [name, wait] of Object.entries(waits)) {
        const noting = { type: 'set_contact', attributes: { [name]: { path: 'run.sid' } } };
        workflows[name] = await scene.publish(doing([wait, noting], { conditions: hearing(name) }));
      }
      workflows.send = await scene.publish(doing([text('Sent')], { conditions: hearing('send') }));
      const [survivor, merged] = [scene.customer(), scene.customer()];
      await survivor.writes('both');
      const { sid: conversationSid } = await merged.writes(Object.keys(workflows).join(' '));
      await desk.token(conversationSid, agent); // a send waits for whoever is writing
      await engine.settle();
      const [survivorSid, mergedSid] = [await survivor.contactSid(), await merged.contactSid()];

      const { both, ...single } = workflows;
      const runOf = async (name: string) => (await scene.runs(workflows[name]!))[0]!;
      const standing = async () =>
        Promise.all(
          Object.keys(single).map(async (name) => {
            const { status, waiting, contactSid } = await runOf(name);
            return [name, status, waiting?.kind ?? null, contactSid];
          }),
        );
      const heldBy = (contactSid: string) => [
        ['time', 'WAITING', 'time', contactSid],
        ['reply', 'WAITING', 'reply', contactSid],
        ['event', 'WAITING', 'event', contactSid],
        ['answer', 'WAITING', 'answer', contactSid],
        ['send', 'RUNNING', null, contactSid],
      ];
      assert.deepEqual(await standing(), heldBy(mergedSid));
      const sids = (await Promise.all(Object.keys(single).map(runOf))).map(({ sid }) => sid).sort();
      const { id, moved } = await people.merge(survivorSid, mergedSid);
      assert.deepEqual(moved.workflowRuns.toSorted(), sids);
      await engine.settle();
      assert.deepEqual(await standing(), heldBy(survivorSid));
      if (reverted) {
        const { body } = await people.revert(id);
        assert.deepEqual(body.movedBack.workflowRuns.toSorted(), sids);
        await engine.settle();
        assert.deepEqual(await standing(), heldBy(mergedSid));
      }
      const bothRuns = await scene.runs(both!);
      assert.deepEqual(
        bothRuns.map(({ contactSid, status, outcome }) => [contactSid, status, outcome]).sort(),
        [
          [survivorSid, 'WAITING', null],
          [mergedSid, 'STOPPED', 'merged'],
        ].sort(),
      );

      await merged.writes('here I am');
      const event = { eventType: 'CUSTOM_PAID', contactSid: mergedSid };
      assert.equal((await app.post(`${app.at}/workflow-events`, event)).status, 201);
      await deliver();
      app.clock.advance(5 * minute);
      await engine.settle();
      const owner = reverted ? mergedSid : survivorSid;
      const noted: Record<string, Record<string, string>> = { [survivorSid]: {}, [mergedSid]: {} };
      for (const name of Object.keys(single)) {
        const { sid, status, contactSid } = await runOf(name);
        assert.deepEqual([status, contactSid], ['COMPLETED', owner], name);
        if (name !== 'send') noted[owner]![name] = sid;
      }
      noted[survivorSid]!.both = bothRuns.find(({ status }) => status === 'WAITING')!.sid;
      assert.deepEqual((await people.read(survivorSid)).attributes, noted[survivorSid]);
      if (reverted) assert.deepEqual((await people.read(mergedSid)).attributes, noted[mergedSid]);
      const sent = (await app.get(`${app.at}/messages?direction=outbound`)).body.data;
      assert.deepEqual(
        sent.map(({ workflowRunSid, to }: { workflowRunSid: string; to: { contactSid: string } }) => [
          workflowRunSid,
          to.contactSid,
        ]),
        [[(await runOf('send')).sid, owner]],
      );
      const requests = receiver.events().filter((one) => one.event.type === 'webhook_request.made');
      assert.equal(requests.length, 1);
    });
  }
});
