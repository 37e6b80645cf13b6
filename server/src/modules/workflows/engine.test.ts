// What workflows do, by clock, on a real database: started by events, taken further by rounds, ended by their limits.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { consentsOf } from '../consent/index.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { contactsFor } from '../contacts/index.ts';
import {
  brief,
  counts,
  decided,
  doing,
  hearing,
  on,
  pause,
  stage,
  states,
  text,
} from './engine.test-data.ts';
import { tellCustomEvent } from './life/custom-events.ts';

const minute = 60_000;

const lifetime = sharedLifetime();
const { engine, newScene } = stage(lifetime);

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
