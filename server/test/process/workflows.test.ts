// Workflows from the command line. What needs no process of its own is asked in this one.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { tellDecision } from '../../src/main/commands/workflows/tell.ts';
import { printDecision, printTest, printWorkflows } from '../../src/main/commands/workflows/workflows.ts';
import { type Engine, engineOf } from '../../src/modules/workflows/engine.test-data.ts';
import {
  doing,
  newContact,
  newWorkflow,
  publishedWorkflow,
  waitingRun,
} from '../../src/modules/workflows/runs.test-data.ts';
import { ConfigError } from '../../src/platform/config.ts';
import { newSid } from '../../src/platform/ids.ts';
import { bearer, methodsOf, startTestApp, type TestApp, testStart } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { freshDatabase, type Given } from './fixtures.ts';
import { godwit, launcher } from './godwit.ts';

let env: Given;
let app: TestApp;
let engine: Engine;
const lifetime = sharedLifetime();
before(async () => {
  env = await freshDatabase(lifetime);
  app = await startTestApp(lifetime, { databaseUrl: env.DATABASE_URL, env: { MASTER_KEY: env.MASTER_KEY } });
  engine = await engineOf(app, lifetime);
});

/** The app as another account has it. */
async function another(): Promise<TestApp> {
  const account = await app.newAccount();
  const send: TestApp['send'] = (method, path, init = {}) =>
    app.send(method, path, { ...init, headers: { ...bearer(account.sandboxKey), ...init.headers } });
  return { ...app, ...account, at: `/v1/accounts/${account.accountSid}`, send, ...methodsOf(send) };
}

const payloadFile = async (content: string) => {
  const file = join(env.DATA_DIR, 'payload.json');
  await writeFile(file, content);
  return file;
};
const run = (of: { accountSid: string }, command: string, ...more: string[]) =>
  godwit(['workflows', command, '--account', of.accountSid, ...more], env);

type Printer<O> = (
  context: Pick<TestApp, 'database' | 'clock' | 'log'>,
  tenant: { accountSid: string; livemode: boolean },
  options: O,
  print: (line: string) => void,
) => Promise<unknown>;
/** What a command prints, without a process of its own. */
async function printed<O>(of: { accountSid: string }, printer: Printer<O>, options: O): Promise<string> {
  const lines: string[] = [];
  const { database, clock, log } = app;
  await printer({ database, clock, log }, { accountSid: of.accountSid, livemode: false }, options, (line) =>
    lines.push(line),
  );
  return lines.join('\n');
}
/** One line on standard error, and exit code 2. */
const refused = async (asked: Promise<unknown>, says: string | RegExp) => {
  const error = await asked.then(
    () => null,
    (thrown) => thrown,
  );
  assert.ok(error instanceof ConfigError, String(error));
  if (typeof says === 'string') assert.equal(error.message, says);
  else assert.match(error.message, says);
};
const unknownWorkflow = (sid: string) => `There is no workflow ${sid} in this account's sandbox.`;

const paid = (actions: object[] = [{ type: 'wait', seconds: 60 }], more: object = {}) =>
  doing(actions, {
    trigger: { eventTypes: ['CUSTOM_PAID'] },
    conditions: [{ path: 'event.payload.total', gte: 50 }],
    ...more,
  });
/** Tells of something, and answers with the event. */
async function happens(of: TestApp, contactSid: string, total: number): Promise<string> {
  const event = { eventType: 'CUSTOM_PAID', contactSid, payload: { total } };
  const reply = await of.post(`${of.at}/workflow-events`, event);
  assert.equal(reply.status, 201, reply.text);
  const [row] = await app.sql<{ sid: string }>(
    "select sid from events where account_sid = $1 and type = 'custom.event' order by sequence desc limit 1",
    [of.accountSid],
  );
  return row!.sid;
}

suite('godwit workflows test', () => {
  test('plays the example of the guide and prints what the guide shows', async () => {
    const guide = await readFile(new URL('../../../docs/workflows.md', import.meta.url), 'utf8');
    const block = (kind: string) => new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(guide)![1]!;
    const definition = JSON.parse(block('json definition'));
    const name = 'Ask for the order';
    const { body } = await app.post(`${app.at}/workflows`, { name, definition });
    const payload = await payloadFile(block('json payload'));
    const { code, stdout, stderr } = await run(app, 'test', '--workflow', body.sid, '--payload', payload);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout.replaceAll(/\b([A-Z]{2})[0-9A-Z]{26}\b/g, '$1…'), block('text'));
    const json = JSON.parse(await printed(app, printTest, { workflow: body.sid, payload, json: true }));
    const kept = await app.get(`${app.at}/workflows/${body.sid}/tests/${json.sid}`);
    assert.deepEqual(kept.body, json);
  });

  test('ends with 1 when the run fails, and prints nothing that a terminal would obey', async () => {
    const sid = await newWorkflow(
      app,
      doing([{ id: 'asked', type: 'http_request', endpointSid: newSid('WH', app.clock.now()) }]),
    );
    const failure = 'no \u001b[2J\u009b2J\u202eroute';
    const file = await payloadFile(JSON.stringify({ simulate: { answers: { asked: { failure } } } }));
    const fed = `exec '${process.execPath}' '${launcher}' "$@" < '${file}'`;
    const args = ['workflows', 'test', '--account', app.accountSid, '--workflow', sid, '--payload', '-'];
    const { code, stdout, stderr } = await godwit(args, env, { command: ['sh', '-c', fed, 'godwit'] });
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /^FAILED at \S+, by actions\[0\]: HTTP_FAILED: "no .*route"\. Nothing was sent/m);
    for (const obeyed of ['\u001b', '\u009b', '\u202e']) assert.ok(!stdout.includes(obeyed));
  });

  test('says which condition does not hold, and what it saw', async () => {
    const sid = await newWorkflow(app, paid());
    const payload = await payloadFile('{"total":20}');
    const said = await printed(app, printTest, { workflow: sid, payload });
    assert.match(said, /^It does not start: conditions\[0\] does not hold\.$/m);
    assert.match(said, /^ {2}event\.payload\.total was 20$/m);
    assert.match(said, /^Nothing was sent or changed\.$/m);
  });

  test('refuses what makes no sense, each at its path, with 2', async () => {
    const sid = await newWorkflow(app);
    const wrong = await payloadFile('{"simulate":{"startAt":"soon","more":1}}');
    const { code, stdout, stderr } = await run(app, 'test', '--workflow', sid, '--payload', wrong);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^godwit: [^\n]+\n$/);
    for (const path of ['startAt', 'more'])
      assert.match(stderr, new RegExp(`payload\\.simulate\\.${path}: `));
    const foreign = await newContact(await another());
    for (const [content, more, says] of [
      ['{', {}, /^payload: must be valid JSON in UTF-8\.$/],
      ['[]', {}, /^payload: must be object\.$/],
      ['{"a":["\\u0000"]}', {}, /^payload\.a\[0\]: /],
      ['{}', { eventType: 'CONTACT_CREATED' }, /^eventType: starts nothing here: MESSAGE_RECEIVED would\.$/],
      ['{}', { eventType: 'x' }, /^eventType: must match/],
      ['{}', { contact: foreign }, /^contactSid: is not of this account and environment\.$/],
      ['{}', { payload: join(env.DATA_DIR, 'none.json') }, /none\.json cannot be read: ENOENT/],
    ] as const) {
      const payload = await payloadFile(content);
      await refused(printed(app, printTest, { workflow: sid, payload, ...more }), says);
    }
  });
});

suite('godwit workflows explain', () => {
  const now = (said: string) => said.split('\n').find((line) => line.startsWith('Now: '));
  const then = (said: string) => said.split('\n').find((line) => line.startsWith('Then: '));

  test('tells the condition that does not hold, the values it saw, and what was decided then', async () => {
    const of = await another();
    const [contactSid, sid] = [await newContact(of), await publishedWorkflow(of, paid())];
    const event = await happens(of, contactSid, 20);
    await engine.consume();
    const { code, stdout, stderr } = await run(of, 'explain', '--workflow', sid, '--event', event);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `${event} is a CUSTOM_PAID about ${contactSid}; judged by version 1 of "Test".
Then: condition, at ${testStart}.
Now: condition. conditions[0] does not hold: {"path":"event.payload.total","gte":50}
  event.payload.total was 20
`,
    );
  });

  test('tells a run that began and is under way, a contact it was stopped for, a draft and a stopped one', async () => {
    const of = await another();
    const [contactSid, other] = [await newContact(of), await newContact(of)];
    const draft = await newWorkflow(of, paid());
    const before = await happens(of, contactSid, 80);
    const early = await printed(of, printDecision, { workflow: draft, event: before });
    assert.match(then(early)!, /^Then: nothing was decided\./);
    assert.match(now(early)!, /^Now: started\. .* the workflow is DRAFT and starts none\.$/);
    assert.equal((await of.post(`${of.at}/workflows/${draft}/publish`)).status, 200);
    const event = await happens(of, contactSid, 80);
    await engine.consume();
    const again = await printed(of, printDecision, { workflow: draft, event });
    const [{ sid: runSid }] = (await of.get(`${of.at}/workflows/${draft}/runs`)).body.data;
    assert.equal(then(again), `Then: started (${runSid}), at ${testStart}.`);
    assert.equal(now(again), `Now: reentry. The contact is in the workflow already, by run ${runSid}.`);
    const othersEvent = await happens(of, other, 80);
    const ask = () => printed(of, printDecision, { workflow: draft, event: othersEvent });
    assert.equal(now(await ask()), 'Now: started. Such an event starts a run.');
    await of.post(`${of.at}/workflows/${draft}/contacts/${other}/stop`, {});
    assert.match(now(await ask())!, /^Now: stopped_contact\. Somebody stopped the workflow/);
    await of.send('DELETE', `${of.at}/workflows/${draft}/contacts/${other}/stop`);
    await of.post(`${of.at}/workflows/${draft}/stop`);
    assert.match(now(await ask())!, /the workflow is STOPPED and starts none\.$/);
    const json = JSON.parse(await printed(of, printDecision, { workflow: draft, event, json: true }));
    assert.deepEqual([json.decision, json.former[0].decision], ['reentry', 'started']);
  });

  test('has words for everything else that can be decided', () => {
    const said = (decision: string, detail: object | null) =>
      tellDecision({
        workflow: { name: 'Test', status: 'PUBLISHED' },
        version: 1,
        conditions: [],
        decision: { eventSid: 'EV1', eventType: 'CUSTOM_PAID', contactSid: null, decision, detail } as never,
        former: [],
      }).at(-1)!;
    assert.match(said('caused_by_self', { runSid: 'WR1' }), /what run WR1 of this very workflow did/);
    assert.match(
      said('limit', { limit: 'depth', most: 5 }),
      /^Now: limit\. More than 5 runs stand before it/,
    );
    assert.match(
      said('limit', { limit: 'starts', most: 60 }),
      /^Now: limit\. 60 runs began for this contact/,
    );
    assert.match(said('reentry', { runSid: 'WR1', active: false }), /last by run WR1, and allowReentry/);
    assert.match(said('no_subject', null), /about nobody and nothing/);
  });

  test('refuses an event that is not kept, starts nothing here or is of another account, and a foreign workflow, with 2', async () => {
    const [of, stranger] = [await another(), await another()];
    const sid = await newWorkflow(of, paid());
    const event = await happens(of, await newContact(of), 80);
    const foreign = await run(stranger, 'explain', '--workflow', sid, '--event', event);
    assert.deepEqual(
      [foreign.code, foreign.stdout, foreign.stderr],
      [2, '', `godwit: There is no workflow ${sid} in this account's sandbox.\n`],
    );
    const theirs = await newWorkflow(stranger, paid());
    const unknown = newSid('EV', app.clock.now());
    for (const [account, workflow, asked, message] of [
      [of, sid, unknown, `${unknown} is no event that is still kept.`],
      [stranger, theirs, event, `${event} is no event that is still kept.`],
      [of, await newWorkflow(of), event, `${event} is a custom.event, which does not start this workflow.`],
    ] as const)
      await refused(printed(account, printDecision, { workflow, event: asked }), message);
    await refused(printed(of, printTest, { workflow: theirs }), unknownWorkflow(theirs));
    await of.send('DELETE', `${of.at}/workflows/${sid}`);
    await refused(printed(of, printDecision, { workflow: sid, event }), unknownWorkflow(sid));
  });
});

suite('godwit workflows list', () => {
  test('shows status, versions, runs, what is held and what was decided, newest first, of this account alone', async () => {
    const [of, stranger] = [await another(), await another()];
    await newWorkflow(stranger);
    assert.equal(await printed(of, printWorkflows, { json: true }), '[]');
    assert.equal(await printed(of, printWorkflows, {}), 'There are no workflows.');
    const first = await publishedWorkflow(of, paid());
    await happens(of, await newContact(of), 80);
    await happens(of, await newContact(of), 20);
    await happens(of, await newContact(of), 20);
    await engine.consume();
    await of.post(`${of.at}/workflows/${first}/versions`, paid([{ type: 'stop' }]));
    app.clock.advance(1_000);
    const second = await publishedWorkflow(of);
    await waitingRun(of, second);
    await waitingRun(of, second);
    assert.equal((await of.post(`${of.at}/workflows/${second}/stop`)).status, 200);
    app.clock.set(testStart);
    const { code, stdout, stderr } = await run(of, 'list');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      `${second}  STOPPED    version 1  2 active runs (held)  nothing decided  "Test"`,
      `${first}  PUBLISHED  version 1 of 2  1 active run  condition 2, started 1  "Test"`,
    ]);
    const [held] = JSON.parse(await printed(of, printWorkflows, { json: true }));
    assert.deepEqual(
      [held.sid, held.activeRuns, held.heldRuns, held.decisions, held.latestVersion],
      [second, 2, 2, {}, 1],
    );
  });

  test('refuses an account that is not there, with 2', async () => {
    const nobody = { accountSid: newSid('AC', app.clock.now()) };
    const { code, stdout, stderr } = await run(nobody, 'list');
    assert.deepEqual([code, stdout, stderr], [2, '', `godwit: There is no account ${nobody.accountSid}.\n`]);
  });
});
