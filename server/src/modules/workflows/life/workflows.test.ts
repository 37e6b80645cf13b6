import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../../test/harness/app.ts';
import { refused } from '../../../../test/harness/contacts.ts';
import { runJob } from '../../../../test/harness/jobs.ts';
import { lockRows } from '../../../../test/harness/locks.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import { person } from '../../../../test/harness/people.ts';
import { newSid } from '../../../platform/ids.ts';
import { sampleSid } from '../../../platform/samples.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../../roles/index.ts';
import { insertWaba } from '../../wabas/fixtures.ts';
import { neededScopes } from '../analysis/needs.ts';
import type { Definition } from '../definition/actions.ts';
import {
  isUnderWay,
  mayMove,
  runMoves,
  runStatuses,
  type WorkflowStatus,
  workflowMoves,
  workflowStatuses,
} from '../resources/states.ts';
import { goThroughRuns } from '../runs/ending.ts';
import {
  doing,
  newContact,
  newWorkflow,
  onMessage,
  publishedWorkflow,
  runsOf,
  waitingRun,
  waitingRuns,
} from '../runs.test-data.ts';
import { removeDeleted } from './jobs.ts';

const newApp = ownAccounts();

const text = (body: string) => ({ type: 'send_message', message: { type: 'text', text: { body } } });
const pathsOf = (reply: { body: { error: { details: { path: string }[] } } }) =>
  reply.body.error.details.map(({ path }) => path).sort();

/** What operations do to a workflow. */
const at = (app: TestApp, sid: string) => {
  const path = `${app.at}/workflows/${sid}`;
  return {
    path,
    get: async () => (await app.get(path)).body,
    publish: (headers: object = {}) => app.post(`${path}/publish`, undefined, headers),
    stop: () => app.post(`${path}/stop`),
    remove: () => app.send('DELETE', path),
    version: (definition: object) => app.post(`${path}/versions`, definition),
    stopRuns: () => app.post(`${path}/runs/stop`),
  };
};

const cursors = (app: TestApp) => app.count("event_cursors where consumer = 'workflows'");

suite('a workflow', () => {
  test('is refused at every path that is wrong, by itself and as a version', async () => {
    const app = await newApp();
    const wrong = {
      trigger: { eventTypes: ['MESSAGE_RECEIVD', 'ROLE_BINDING_CREATED'] },
      conditions: [{ path: 'event.text.body', equals: 'x' }],
      actions: [
        { type: 'sing' },
        { type: 'wait', seconds: 0 },
        { id: 'twice', type: 'stop' },
        { id: 'twice', type: 'repeat', actions: [{ type: 'stop' }] },
        { type: 'set_variable', name: 'a', value: { path: 'contact.nothing' } },
      ],
      failureActions: [{ type: 'wait', seconds: 5 }],
    };
    const paths = [
      'actions[0].type',
      'actions[1].seconds',
      'actions[3].id',
      'actions[3].max',
      'actions[4].value.path',
      'conditions[0].equals',
      'failureActions[0].type',
      'trigger.eventTypes[0]',
      'trigger.eventTypes[1]',
    ];
    const created = await app.post(`${app.at}/workflows`, { name: 'Wrong', definition: wrong });
    refused(created, 400, 'VALIDATION_ERROR');
    assert.deepEqual(
      pathsOf(created),
      paths.map((path) => `definition.${path}`),
    );
    const sid = await newWorkflow(app);
    const version = await at(app, sid).version(wrong);
    assert.deepEqual([version.status, pathsOf(version)], [400, paths]);
    for (const name of ['', ' ', 'x'.repeat(161)])
      refused(
        await app.post(`${app.at}/workflows`, { name, definition: doing() }),
        400,
        'VALIDATION_ERROR',
        'name',
      );
    assert.equal(await app.count('workflows'), 1);
    assert.equal(await app.count('workflow_versions'), 1);
  });

  test('is a draft until it is published, and its versions stay as they were written', async () => {
    const app = await newApp();
    const sid = await newWorkflow(app, doing([{ type: 'stop', outcome: 'first' }]));
    const { get, version, publish } = at(app, sid);
    const draft = await get();
    assert.deepEqual(
      [draft.status, draft.latestVersion, draft.publishedVersion, draft.publishedBy, draft.grantedScopes],
      ['DRAFT', 1, null, null, []],
    );
    const second = await version(doing([{ type: 'stop', outcome: 'second' }]));
    assert.deepEqual([second.status, second.body.version], [201, 2]);
    assert.equal((await get()).definition.actions[0].outcome, 'second');
    const published = (await publish()).body;
    assert.deepEqual([published.status, published.publishedVersion], ['PUBLISHED', 2]);
    await version(doing([{ type: 'stop', outcome: 'third' }]));
    const later = await get();
    assert.deepEqual([later.latestVersion, later.publishedVersion, later.status], [3, 2, 'PUBLISHED']);
    const kept = await app.sql<{ outcome: string }>(
      `select definition #>> '{actions,0,outcome}' as outcome from workflow_versions where workflow_sid = $1 order by version`,
      [sid],
    );
    assert.deepEqual(
      kept.map(({ outcome }) => outcome),
      ['first', 'second', 'third'],
    );
    const [may] = await app.sql<{ change: boolean }>(
      "select has_table_privilege('godwit_tenant', 'workflow_versions', 'update') as change",
    );
    assert.equal(may!.change, false);
  });

  test('stands in a list, the newest first, a page at a time, and not in that of others', async () => {
    const app = await newApp();
    const sids = [await newWorkflow(app), await newWorkflow(app), await newWorkflow(app)];
    const first = (await app.get(`${app.at}/workflows?limit=2`)).body;
    const rest = (await app.get(`${app.at}/workflows?limit=2&cursor=${first.nextCursor}`)).body;
    const listed = [...first.data, ...rest.data].map(({ sid }: { sid: string }) => sid);
    assert.deepEqual(listed, sids.toReversed());
    assert.equal('definition' in first.data[0], false);
    const live = bearer((await app.key(['inboxes:read'], { livemode: true })).key);
    assert.deepEqual((await app.get(`${app.at}/workflows`, live)).body.data, []);
    refused(await app.get(`${app.at}/workflows/${sids[0]}`, live), 404, 'NOT_FOUND');
  });
});

/** The contract's table of transitions, word for word. */
const contract = [
  { subject: 'workflow', from: 'none', trigger: 'POST workflows', next: 'DRAFT' },
  {
    subject: 'workflow',
    from: 'DRAFT or STOPPED',
    trigger: 'DELETE workflows/{WF}',
    next: 'removed with its versions and finished runs',
  },
  {
    subject: 'workflow',
    from: 'PUBLISHED',
    trigger: 'DELETE workflows/{WF}',
    next: 'refused; stop first',
  },
  {
    subject: 'workflow run',
    from: 'RUNNING or WAITING',
    trigger: 'POST workflows/{WF}/runs/{WR}/stop',
    next: 'run stopped, workflow continues',
  },
];
const namedStates = { workflow: ['DRAFT', 'PUBLISHED', 'STOPPED'], run: ['RUNNING', 'WAITING'] };

suite('states', () => {
  const from = (trigger: string, next: string) =>
    contract.filter((row) => row.trigger === trigger && row.next.startsWith(next)).map((row) => row.from);
  const split = (states: string[]) => states.flatMap((all) => all.split(' or '));

  test('of workflows and runs move as the contract says', () => {
    assert.deepEqual(workflowStatuses, namedStates.workflow);
    assert.deepEqual(runStatuses.filter(isUnderWay), namedStates.run);
    assert.deepEqual(from('POST workflows', workflowMoves.create.to), ['none']);
    const deletes = (status: WorkflowStatus) => mayMove(status, 'delete');
    assert.deepEqual(workflowStatuses.filter(deletes), split(from('DELETE workflows/{WF}', 'removed')));
    assert.deepEqual(
      workflowStatuses.filter((status) => !deletes(status)),
      split(from('DELETE workflows/{WF}', 'refused')),
    );
    assert.deepEqual(
      runStatuses.filter((status) => runMoves[status].includes('STOPPED')),
      split(from('POST workflows/{WF}/runs/{WR}/stop', 'run stopped')),
    );
  });

  test('refuse what their table does not name', async () => {
    const app = await newApp();
    const made: Record<WorkflowStatus, () => Promise<string>> = {
      DRAFT: () => newWorkflow(app),
      PUBLISHED: () => publishedWorkflow(app),
      async STOPPED() {
        const sid = await publishedWorkflow(app);
        await at(app, sid).stop();
        return sid;
      },
    };
    const moves = { publish: 'publish', stop: 'stop', delete: 'remove' } as const;
    for (const status of workflowStatuses)
      for (const move of ['publish', 'stop', 'delete'] as const) {
        const reply = await at(app, await made[status]())[moves[move]]();
        assert.equal(reply.status !== 409, mayMove(status, move), `${move} of a ${status} one`);
      }
  });
});

suite('publishing', () => {
  test('refuses everything it cannot use at once, each at its path, what belongs to others as unknown', async () => {
    const app = await newApp();
    const stranger = await app.newAccount();
    const foreign = (
      await app.post(
        `/v1/accounts/${stranger.accountSid}/inboxes`,
        { name: 'Theirs' },
        bearer(stranger.sandboxKey),
      )
    ).body.sid;
    const message = (given: object) => ({ type: 'send_message', message: given });
    const media = { sid: sampleSid('ME') };
    const sid = await newWorkflow(
      app,
      doing(
        [
          message({ type: 'template', template: { name: 'autumn_news', language: 'en' } }),
          message({ contentSid: sampleSid('HX') }),
          message({ type: 'image', media, from: sampleSid('WA') }),
          message({ type: 'text', text: { body: 'Hi' }, senderPoolSid: sampleSid('SP') }),
          { type: 'move_conversation', inboxSid: foreign },
          { type: 'assign_conversation', assigneeSid: sampleSid('US') },
          { type: 'http_request', endpointSid: sampleSid('WH') },
          { type: 'start_workflow', workflowSid: sampleSid('WF') },
          { type: 'branch', cases: [{ conditions: [{ segmentSid: sampleSid('SG') }], actions: [] }] },
          { type: 'wait', seconds: 90_000 },
          text('Too late'),
        ],
        {},
      ),
    );
    const reply = await at(app, sid).publish();
    refused(reply, 400, 'VALIDATION_ERROR');
    assert.deepEqual(pathsOf(reply), [
      'definition.actions[0].message.template',
      'definition.actions[10]',
      'definition.actions[1].message.contentSid',
      'definition.actions[2].message.from',
      'definition.actions[2].message.media.sid',
      'definition.actions[3].message.senderPoolSid',
      'definition.actions[4].inboxSid',
      'definition.actions[5].assigneeSid',
      'definition.actions[6].endpointSid',
      'definition.actions[7].workflowSid',
      'definition.actions[8].cases[0].conditions[0].segmentSid',
    ]);
    const issues = reply.body.error.details.map(({ issue }: { issue: string }) => issue).join('\n');
    assert.match(issues, /autumn_news \(en\) is no template of this account and environment/);
    assert.equal((await at(app, sid).get()).status, 'DRAFT');
    assert.equal(await cursors(app), 0);
    // What is there, and may be used, is taken.
    const inbox = (await app.post(`${app.at}/inboxes`, { name: 'Ours' })).body.sid;
    const segment = (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'All' })).body.sid;
    const colleague = await person(app, { roles: ['AGENT'], factor: 'none' });
    const usable = await newWorkflow(
      app,
      doing([
        { type: 'move_conversation', inboxSid: inbox, if: [{ segmentSid: segment }] },
        { type: 'assign_conversation', assigneeSid: colleague.userSid },
        { type: 'start_workflow', workflowSid: sid },
      ]),
    );
    assert.equal((await at(app, usable).publish()).status, 200);
  });

  test('takes a template once it is approved', async () => {
    const app = await newApp();
    const send = {
      type: 'send_message',
      message: { type: 'template', template: { name: 'shop_opens', language: 'en' } },
    };
    const sid = await newWorkflow(app, doing([send]));
    const wabaSid = await insertWaba(app, { accountSid: app.accountSid, livemode: false });
    const components = [{ type: 'BODY', text: 'The shop is open.' }];
    const body = { wabaSid, name: 'shop_opens', language: 'en', category: 'UTILITY', components };
    assert.equal((await app.post(`${app.at}/templates`, body)).status, 201);
    const path = 'definition.actions[0].message.template';
    const reply = await at(app, sid).publish();
    assert.deepEqual(reply.body.error.details, [{ path, issue: 'shop_opens (en) is not approved' }]);
    await app.sql("update templates set status = 'APPROVED' where account_sid = $1", [app.accountSid]);
    assert.equal((await at(app, sid).publish()).status, 200);
  });

  test('shows what may fail as a warning and publishes it all the same', async () => {
    const app = await newApp();
    const sid = await newWorkflow(
      app,
      doing([{ type: 'wait_for_reply', timeoutSeconds: 90_000 }, text('Still there?')]),
    );
    const { issues } = await at(app, sid).get();
    assert.deepEqual(
      issues.map(({ path, severity }: { path: string; severity: string }) => [path, severity]),
      [['actions[1]', 'warning']],
    );
    assert.equal((await at(app, sid).publish()).status, 200);
  });

  test('takes somebody who holds every scope of its actions, and grants the runs exactly those', async () => {
    const app = await newApp();
    const definition = doing([
      text('Hello'),
      { type: 'set_contact', attributes: { greeted: true } },
      { type: 'branch', cases: [{ conditions: [], actions: [{ type: 'suppress', scope: 'ALL' }] }] },
    ]);
    const sid = await newWorkflow(app, definition);
    const some = await app.key(['inboxes:write', 'contacts:write', 'webhooks:write']);
    const reply = await at(app, sid).publish(bearer(some.key));
    refused(reply, 403, 'AUTHORIZATION_ERROR', 'definition.actions[0]');
    assert.match(reply.body.error.message, /needs messages:send, which you do not hold/);
    assert.deepEqual(pathsOf(reply), ['definition.actions[0]']);
    const needed = neededScopes(definition as unknown as Definition);
    for (const role of Object.keys(roleCatalogue) as Role[]) {
      const { headers } = await person(app, { roles: [role], factor: 'none' });
      const held = scopesOfRole(role);
      const allowed = ['inboxes:write', ...needed].every((scope) => held.includes(scope));
      const fresh = await newWorkflow(app, definition);
      assert.equal((await at(app, fresh).publish(headers)).status, allowed ? 200 : 403, role);
    }
    const exact = await app.key(['inboxes:write', ...needed]);
    const published = await at(app, sid).publish(bearer(exact.key));
    assert.deepEqual([published.status, published.body.grantedScopes], [200, needed]);
    assert.equal(published.body.publishedBy.type, 'api_key');
  });

  test('lets it hear what happens from then on, and nothing before', async () => {
    const app = await newApp();
    const contactSid = await newContact(app);
    const happens = async () => {
      const body = { eventType: 'CUSTOM_ORDER_PAID', contactSid, payload: { orderId: '1' } };
      assert.equal((await app.post(`${app.at}/workflow-events`, body)).status, 201);
      const [event] = await app.sql<{ sequence: string }>(
        "select max(sequence)::text as sequence from events where account_sid = $1 and type = 'custom.event'",
        [app.accountSid],
      );
      return Number(event!.sequence);
    };
    const before = await happens();
    const sid = await publishedWorkflow(
      app,
      doing([{ type: 'stop' }], { trigger: { eventTypes: ['CUSTOM_ORDER_PAID'] } }),
    );
    const after = await happens();
    const subscribed = async () => {
      const [row] = await app.sql<{ after: string; names: string[] }>(
        'select subscribed_after as after, trigger_names as names from workflows where sid = $1',
        [sid],
      );
      return { after: Number(row!.after), names: row!.names };
    };
    const first = await subscribed();
    assert.ok(before <= first.after && first.after < after, `${before} ${first.after} ${after}`);
    assert.deepEqual(first.names, ['custom.event']);
    // A newer version listens on from where it was; one that was stopped begins anew.
    await at(app, sid).version(doing());
    await at(app, sid).publish();
    assert.deepEqual(await subscribed(), { after: first.after, names: ['message.received'] });
    await at(app, sid).stop();
    const missed = await happens();
    await at(app, sid).publish();
    assert.ok((await subscribed()).after >= missed);
  });

  test('keeps the segments it names until it names them no longer or is stopped', async () => {
    const app = await newApp();
    const newSegment = async (name: string): Promise<string> =>
      (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name })).body.sid;
    const [first, second] = [await newSegment('First'), await newSegment('Second')];
    const among = (...sids: string[]) =>
      doing([{ type: 'stop' }], { conditions: sids.map((segmentSid) => ({ segmentSid })) });
    const remove = (sid: string) => app.delete(`${app.at}/segments/${sid}`);
    const workflow = at(app, await publishedWorkflow(app, among(first, second, first)));
    const used = await remove(first);
    assert.deepEqual([used.status, used.body.error.code], [409, 'CONFLICT']);
    assert.match(used.body.error.message, new RegExp(`workflow ${(await workflow.get()).sid}`));
    await workflow.version(among(second));
    assert.equal((await remove(first)).status, 409, 'a version that is not published counts for nothing');
    await workflow.publish();
    assert.deepEqual([(await remove(first)).status, (await remove(second)).status], [200, 409]);
    await workflow.stop();
    assert.equal((await remove(second)).status, 200);
    const again = await workflow.publish();
    assert.deepEqual([again.status, pathsOf(again)], [400, ['definition.conditions[0].segmentSid']]);
  });

  test('a second time changes nothing, and tells of nothing', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    const before = await at(app, sid).get();
    app.clock.advance(60_000);
    assert.equal((await at(app, sid).publish()).status, 200);
    assert.deepEqual(await at(app, sid).get(), before);
    const told = (await app.emitted()).filter((type) => type.startsWith('workflow.'));
    assert.deepEqual(told, ['workflow.published']);
  });
});

suite('stopping', () => {
  test('is not for a draft, and done once is done', async () => {
    const app = await newApp();
    const sid = await newWorkflow(app);
    refused(await at(app, sid).stop(), 409, 'CONFLICT');
    await at(app, sid).publish();
    const stopped = await at(app, sid).stop();
    assert.deepEqual([stopped.status, stopped.body.status], [200, 'STOPPED']);
    app.clock.advance(60_000);
    assert.deepEqual((await at(app, sid).stop()).body, stopped.body);
    assert.deepEqual(await app.emitted(), ['workflow.published', 'workflow.stopped']);
    const [audited] = await app.sql<{ actions: string[] }>(
      'select array_agg(action order by sequence) as actions from audit_entries where account_sid = $1 and resource = $2',
      [app.accountSid, sid],
    );
    assert.deepEqual(audited!.actions, ['workflow.created', 'workflow.published', 'workflow.stopped']);
  });

  test('is answered only when nothing of the workflow is under way', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    const round = await lockRows(app, `workflows where sid = '${sid}'`);
    let answered = false;
    const stopping = at(app, sid)
      .stop()
      .then((reply) => {
        answered = true;
        return reply;
      });
    await round.waitersAre(1);
    assert.equal(answered, false);
    await round.release();
    assert.equal((await stopping).body.status, 'STOPPED');
  });

  test('holds the runs, and publishing lets them go on but for those whose moment is past', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    const day = 24 * 60 * 60 * 1000;
    const start = app.clock.now().getTime();
    const soon = await waitingRun(app, sid, { dueAt: new Date(start + 1_000) });
    const later = await waitingRun(app, sid, { dueAt: new Date(start + 3_600_000) });
    const held = () => app.count(`workflow_wakes where held and workflow_sid = '${sid}'`);
    await at(app, sid).stop();
    assert.equal(await held(), 2);
    assert.equal(await cursors(app), 1, 'what comes for them meanwhile is kept');
    app.clock.set(new Date(start + day + 2_000).toISOString());
    await at(app, sid).publish();
    assert.equal(await held(), 0);
    assert.deepEqual(await runsOf(app, sid), [
      { sid: soon, state: 'STOPPED', outcome: 'stale' },
      { sid: later, state: 'WAITING', outcome: null },
    ]);
    const told = (await app.emitted()).filter((type) => type.startsWith('workflow_run.'));
    assert.deepEqual(told, ['workflow_run.stopped']);
    const [lane] = await app.sql<{ due: Date }>(
      'select due_at as due from workflow_lanes where account_sid = $1',
      [app.accountSid],
    );
    assert.equal(lane!.due.getTime(), app.clock.now().getTime());
  });

  test('holds, lets go and ends any number of runs, a slice at a time', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    await waitingRuns(app, sid, 2_001);
    const held = () => app.count(`workflow_wakes where held`);
    const goOn = (doing: 'hold' | 'let go') => runJob({ app }, goThroughRuns, { workflowSid: sid, doing });
    await at(app, sid).stop();
    assert.equal(await held(), 1_000);
    await goOn('let go');
    assert.equal(await held(), 1_000, 'a stopped workflow lets nothing go');
    await goOn('hold');
    assert.equal(await held(), 2_001);
    await at(app, sid).publish();
    await goOn('hold');
    assert.equal(await held(), 1_001, 'a published workflow holds nothing');
    await goOn('let go');
    assert.equal(await held(), 0);
    const stopped = (await at(app, sid).stopRuns()).body;
    assert.deepEqual([stopped.stopped, stopped.remaining], [1_000, 1_001]);
    // One that begins later is none of those that were to end.
    const late = await waitingRun(app, sid);
    await runJob({ app }, goThroughRuns, {
      workflowSid: sid,
      doing: 'end',
      upTo: `WR01K3SAMP1E${'2001'.padStart(16, '0')}`,
    });
    const going = await app.sql(
      "select sid from workflow_runs where account_sid = $1 and state = 'WAITING'",
      [app.accountSid],
    );
    assert.deepEqual(going, [{ sid: late }]);
    assert.equal(await app.count("events where type = 'workflow_run.stopped'"), 2_001);
    const [queued] = await app.sql<{ jobs: number }>(
      `select count(*)::integer as jobs from graphile_worker._private_jobs j
         join graphile_worker._private_tasks k on k.id = j.task_id
        where k.identifier = 'workflows.go-through-runs' and j.payload::text like '%' || $1 || '%'`,
      [sid],
    );
    assert.equal(queued!.jobs, 3, 'what is beyond a slice is queued each time');
  });

  test('ends the runs of a workflow that goes on, each told of', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    const runs = [await waitingRun(app, sid), await waitingRun(app, sid)];
    const reply = await at(app, sid).stopRuns();
    assert.deepEqual([reply.status, reply.body.stopped, reply.body.remaining], [200, 2, 0]);
    assert.deepEqual(
      await runsOf(app, sid),
      runs.map((run) => ({ sid: run, state: 'STOPPED', outcome: 'run' })),
    );
    assert.equal(await app.count('workflow_wakes'), 0);
    assert.deepEqual((await at(app, sid).stopRuns()).body.stopped, 0);
    assert.equal((await at(app, sid).get()).status, 'PUBLISHED');
  });
});

test('whatever is asked for at once is done one after the other: none of it fails, and somebody listens while one is published', async () => {
  const app = await newApp();
  const sids = [await publishedWorkflow(app), await publishedWorkflow(app)];
  const contactSid = await newContact(app);
  for (let round = 0; round < 3; round += 1) {
    const replies = await Promise.all(
      sids.flatMap((sid) => [
        at(app, sid).publish(),
        at(app, sid).stop(),
        at(app, sid).version(doing()),
        at(app, sid).stopRuns(),
        app.post(`${at(app, sid).path}/contacts/${contactSid}/stop`, {}),
        app.delete(`${at(app, sid).path}/contacts/${contactSid}/stop`),
      ]),
    );
    for (const { status, text } of replies) assert.ok(status < 300, text);
    const states = await Promise.all(sids.map(async (sid) => (await at(app, sid).get()).status));
    assert.equal(await cursors(app), states.includes('PUBLISHED') ? 1 : 0, states.join());
  }
  assert.equal((await at(app, sids[0]!).get()).latestVersion, 4);
});

suite('deleting', () => {
  test('is refused while it is published or runs are under way, with their number', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    refused(await at(app, sid).remove(), 409, 'CONFLICT');
    await waitingRun(app, sid);
    await waitingRun(app, sid);
    await at(app, sid).stop();
    const reply = await at(app, sid).remove();
    refused(reply, 409, 'CONFLICT');
    assert.match(reply.body.error.message, /^2 runs of the workflow are under way/);
    assert.equal((await at(app, sid).get()).status, 'STOPPED');
  });

  test('takes it away at once, and everything of it with it', async () => {
    const app = await newApp();
    const [sid, other] = [await publishedWorkflow(app), await publishedWorkflow(app)];
    for (const one of [sid, other]) await waitingRun(app, one);
    await app.post(`${at(app, sid).path}/contacts/${await newContact(app)}/stop`, {});
    assert.equal(await cursors(app), 1);
    await at(app, sid).stopRuns();
    await at(app, sid).stop();
    assert.equal((await at(app, sid).remove()).status, 204);
    refused(await at(app, sid).publish(), 404, 'NOT_FOUND');
    refused(await app.get(at(app, sid).path), 404, 'NOT_FOUND');
    const explained = await app.post(`${at(app, sid).path}/explain`, { eventSid: sampleSid('EV') });
    refused(explained, 404, 'NOT_FOUND');
    assert.deepEqual(
      (await app.get(`${app.at}/workflows`)).body.data.map((one: { sid: string }) => one.sid),
      [other],
    );
    assert.equal(await cursors(app), 1, 'the other one still listens');
    await runJob({ app }, removeDeleted, { workflowSid: sid });
    for (const table of ['workflow_runs', 'workflow_versions', 'workflow_contact_stops'])
      assert.equal(await app.count(`${table} where workflow_sid = '${sid}'`), 0, table);
    assert.equal(await app.count('workflows'), 1);
    assert.equal((await runsOf(app, other)).length, 1);
    await at(app, other).stopRuns();
    await at(app, other).stop();
    await at(app, other).remove();
    assert.equal(await cursors(app), 0, 'nobody listens any more');
    const told = (await app.emitted()).filter((type) => type === 'workflow.deleted');
    assert.equal(told.length, 2);
  });
});

suite('a contact', () => {
  test('is stopped once, by which its run ends, and resumed once; nobody else is touched', async () => {
    const app = await newApp();
    const sid = await publishedWorkflow(app);
    const [contactSid, other] = [await newContact(app), await newContact(app)];
    const run = await waitingRun(app, sid, { contactSid });
    const untouched = await waitingRun(app, sid, { contactSid: other });
    const path = `${at(app, sid).path}/contacts/${contactSid}/stop`;
    const first = await app.post(path, { reason: 'Talks with a colleague' });
    assert.deepEqual(
      [first.status, first.body.contactSid, first.body.reason, first.body.stoppedBy.type],
      [200, contactSid, 'Talks with a colleague', 'api_key'],
    );
    app.clock.advance(1_000);
    assert.deepEqual((await app.post(path, { reason: 'Another' })).body, first.body);
    assert.deepEqual(await runsOf(app, sid), [
      { sid: run, state: 'STOPPED', outcome: 'contact' },
      { sid: untouched, state: 'WAITING', outcome: null },
    ]);
    assert.equal((await app.send('DELETE', path)).status, 204);
    assert.equal((await app.send('DELETE', path)).status, 204);
    assert.equal(await app.count('workflow_contact_stops'), 0);
    assert.equal((await runsOf(app, sid))[0]!.state, 'STOPPED', 'no run comes back');
    const told = (await app.emitted()).filter((type) => type.startsWith('workflow'));
    assert.deepEqual(told, [
      'workflow.published',
      'workflow_run.stopped',
      'workflow.contact_stopped',
      'workflow.contact_resumed',
    ]);
  });

  test('that is unknown, or of others, cannot be stopped; one that was merged is who it became', async () => {
    const app = await newApp();
    const sid = await newWorkflow(app);
    const stranger = await app.newAccount();
    const theirs = await app.post(
      `/v1/accounts/${stranger.accountSid}/contacts`,
      { identifiers: [{ identifierType: 'phone_e164', value: '+33612000001' }] },
      bearer(stranger.sandboxKey),
    );
    for (const contact of [theirs.body.sid, newSid('CT', app.clock.now())]) {
      const path = `${at(app, sid).path}/contacts/${contact}/stop`;
      refused(await app.post(path, {}), 404, 'NOT_FOUND');
      refused(await app.send('DELETE', path), 404, 'NOT_FOUND');
    }
    const [survivor, merged] = [await newContact(app), await newContact(app)];
    const merge = { mergeContactSid: merged, reason: 'The same person' };
    assert.equal((await app.post(`${app.at}/contacts/${survivor}/merge`, merge)).status, 200);
    const stop = await app.post(`${at(app, sid).path}/contacts/${merged}/stop`, {});
    assert.deepEqual([stop.status, stop.body.contactSid], [200, survivor]);
  });
});

suite('what a business tells of itself', () => {
  test('is an event like any other, about a contact of its own, of at most 16 KiB', async () => {
    const app = await newApp();
    const contactSid = await newContact(app);
    const tell = (body: object) =>
      app.post(`${app.at}/workflow-events`, { eventType: 'CUSTOM_PAID', contactSid, ...body });
    const told = await tell({ payload: { orderId: '1001' } });
    assert.deepEqual(
      [told.status, told.body.object, told.body.eventType, told.body.payload],
      [201, 'custom_event', 'CUSTOM_PAID', { orderId: '1001' }],
    );
    const [event] = await app.sql<{ type: string; resource: string; data: object }>(
      "select type, resource_sid as resource, data from events where account_sid = $1 and type = 'custom.event'",
      [app.accountSid],
    );
    assert.deepEqual(event, { type: 'custom.event', resource: contactSid, data: told.body });
    assert.equal((await tell({ payload: { text: 'x'.repeat(16 * 1024 - 11) } })).status, 201);
    refused(
      await tell({ payload: { text: 'x'.repeat(16 * 1024 - 10) } }),
      400,
      'VALIDATION_ERROR',
      'payload',
    );
    refused(await tell({ eventType: 'MESSAGE_RECEIVED' }), 400, 'VALIDATION_ERROR', 'eventType');
    refused(await tell({ contactSid: newSid('CT', app.clock.now()) }), 404, 'NOT_FOUND');
    assert.equal(await app.count("events where type = 'custom.event'"), 2);
  });
});

test('how many workflows there are is told to operators', async () => {
  const app = await newApp();
  await publishedWorkflow(app, doing([{ type: 'stop' }], { trigger: onMessage }));
  const text = (await app.get('/metrics')).text;
  assert.match(text, /^godwit_workflows\{status="PUBLISHED",environment="sandbox"\} [1-9]/m);
});
