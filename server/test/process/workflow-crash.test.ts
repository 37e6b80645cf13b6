// A service that is killed at any moment of the runs of a workflow and started again, or loses its database then: each of them happens once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { type Scene, sceneOf, text } from '../../src/modules/workflows/engine.test-data.ts';
import { bearer, type TestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { until } from './godwit.ts';
import {
  type Death,
  type RestartedService,
  type Story,
  startKilled,
  testDeaths,
  waitingFor,
} from './killed-service.ts';
import { patientMs } from './restarted-service.ts';

// WORKFLOW_CRASHES=200 kills the service so often, or cuts it off, at one moment of the story after the other; otherwise it is the few below.
const crashes = Number(process.env.WORKFLOW_CRASHES ?? 0);
const few: Death[] = [
  { named: 'before commit of workflow_sends' },
  { named: 'after commit of workflow_mail' },
  { named: 'after commit of workflow_runs', cut: true },
  { named: 'after commit of workflow_sends', cut: true },
];
const writing = 5;

let app: TestApp;
let scene: Scene;
let service: RestartedService;
let waiting: ReturnType<typeof waitingFor>;
let workflowSid: string;
let told = 0;
const lifetime = sharedLifetime();
before(async () => {
  ({ app, service } = await startKilled(lifetime, 'workflows'));
  waiting = waitingFor({ app, service }, { afterDeath: nothingIsOrphaned, each: noRunForgotten });
  scene = await sceneOf(app);
  workflowSid = await scene.publish({
    trigger: { eventTypes: ['MESSAGE_RECEIVED'], timeoutSeconds: 86_400 },
    conditions: [{ path: 'event.text.body', words: ['order'] }],
    actions: [
      text('Which order?', { id: 'ask' }),
      { type: 'wait_for_reply', timeoutSeconds: 43_200, save: 'order' },
      { type: 'wait_for_event', eventTypes: ['CUSTOM_PAID'], timeoutSeconds: 43_200 },
      { type: 'set_contact', attributes: { order: { path: 'vars.order.text' }, run: { path: 'run.sid' } } },
    ],
  });
});

const numberOf = async (query: string, ...values: unknown[]) =>
  Number((await app.sql<{ n: string }>(`select count(*) as n ${query}`, values))[0]!.n);

const wait = (what: string, condition: () => Promise<boolean>) => waiting(what, 50, condition);

const nothingIsOrphaned = () =>
  until(
    'what the dead held is held by nobody dead, 10 s later',
    async () =>
      (await numberOf(`from workflow_lanes where holder is not null
        and holder not in (select id from processes where is_alive(beat_at))`)) === 0,
    patientMs,
  );

/** At every moment, also while the service is dead. */
const noRunForgotten = async () =>
  assert.equal(
    await numberOf(`from workflow_runs r where ended_at is null
      and not exists (select from workflow_wakes w where w.account_sid = r.account_sid and w.run_sid = r.sid)`),
    0,
    'a run goes on that nobody will look at again',
  );

type Ran = { runs: number; state: string; runSid: string; attributes: object; sent: string[] };

/** What became of somebody who wrote. */
const ranFor = async (contactSid: string) =>
  (
    await app.sql<Ran>(
      `select count(*) over ()::integer as runs, r.state, r.sid as "runSid", c.attributes,
         array(select sid from messages m where m.account_sid = r.account_sid and m.created_by = 'workflow:' || r.sid) as sent
         from workflow_runs r join contacts c on c.account_sid = r.account_sid and c.sid = r.contact_sid
        where r.account_sid = $1 and r.contact_sid = $2`,
      [app.accountSid, contactSid],
    )
  )[0];

/** The business tells of it until it is answered, as it should. */
async function pays(contactSid: string): Promise<void> {
  const { status, body } = await service.send('POST', `${app.at}/workflow-events`, {
    headers: bearer(app.sandboxKey),
    body: { eventType: 'CUSTOM_PAID', contactSid },
    key: randomUUID(),
  });
  assert.equal(status, 201, JSON.stringify(body));
}

/** People write the word, are asked, reply and pay. */
async function people(): Promise<Story> {
  const customers = Array.from({ length: writing }, () => scene.customer());
  told += 1;
  return async () => {
    for (const customer of customers) await customer.writes('My order is late');
    const sids = await Promise.all(customers.map((customer) => customer.contactSid()));
    const asked = async () =>
      (await Promise.all(sids.map(ranFor))).every((ran) => ran && ran.sent.length > 0);
    await wait('all are asked', asked);
    // So that a death among the replies interrupts no hand-over: nobody could say of such a message whether it arrived.
    await wait(
      'all is handed over',
      async () => (await numberOf('from message_states where waiting or status = $1', 'sending')) === 0,
    );
    for (const [at, customer] of customers.entries()) await customer.writes(`Number ${at}`);
    const listening = `from workflow_wakes where contact_sid = any ($1) and listening and names = '{custom.event}'`;
    await wait('all have replied', async () => (await numberOf(listening, sids)) === writing);
    await Promise.all(sids.map(pays));
    const isOver = () =>
      numberOf('from workflow_runs where contact_sid = any ($1) and ended_at is not null', sids);
    await wait('all runs are over', async () => (await isOver()) === writing);
    for (const [at, sid] of sids.entries()) await happenedOnce(sid, `Number ${at}`);
  };
}

async function happenedOnce(contactSid: string, reply: string): Promise<void> {
  const ran = (await ranFor(contactSid))!;
  assert.deepEqual([ran.runs, ran.state, ran.sent.length], [1, 'COMPLETED', 1]);
  assert.deepEqual(ran.attributes, { order: reply, run: ran.runSid });
  const [messageSid] = ran.sent as [string];
  const handed = app.simulator.control.messagesWithOpaque(messageSid).length;
  const [{ status }] = (await app.sql('select status from message_states where sid = $1', [messageSid])) as [
    { status: string },
  ];
  // Killed while it was handed over, a message is not sent again by itself: nobody knows whether it arrived.
  if (status === 'unknown') assert.ok(handed <= 1, `${messageSid} was handed over ${handed} times`);
  else assert.equal(handed, 1, `${messageSid} is ${status} and was handed over ${handed} times`);
  const emitted = await numberOf(
    `from events where account_sid = $1 and type = 'contact.updated' and resource_sid = $2`,
    app.accountSid,
    contactSid,
  );
  assert.equal(emitted, 1, 'the contact was changed once');
  const steps = await app.sql<{ entry: number }>(
    'select entry from workflow_steps where run_sid = $1 order by entry',
    [ran.runSid],
  );
  assert.deepEqual(
    steps.map(({ entry }) => entry),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
}

suite('whose service is killed, or cut off from its database, at any moment', () => {
  testDeaths(
    'a workflow is run once for every event that matches, and does each of its effects once',
    () => service,
    people,
    { crashes, few, inATest: 20, cuts: true },
  );

  test('nothing is left behind', async () => {
    await wait(
      'every event was looked at',
      async () =>
        (await numberOf(`from event_cursors c join event_heads h using (account_sid, livemode)
          where c.consumer = 'workflows' and h.sequence > c.sequence`)) === 0,
    );
    const left = (table: string) => numberOf(`from ${table} where account_sid = $1`, app.accountSid);
    assert.deepEqual(
      [await left('workflow_wakes'), await left('workflow_mail'), await left('workflow_runs')],
      [0, 0, told * writing],
    );
    const started = `from workflow_decisions where workflow_sid = $1 and decision = 'started'`;
    assert.equal(await numberOf(started, workflowSid), told * writing);
  });
});
