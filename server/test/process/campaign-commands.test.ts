// Campaigns from the command line. What needs no process of its own is asked in this one.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { moveByHand, printCampaigns, printResults } from '../../src/main/commands/campaigns/campaigns.ts';
import { type Scene, sceneOf } from '../../src/modules/campaigns/campaigns.test-data.ts';
import { ConfigError } from '../../src/platform/config.ts';
import { newSid } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';

let app: TestApp;
let scene: Scene;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  scene = await sceneOf(app);
});

type Printer<O> = (
  context: Pick<TestApp, 'database' | 'clock' | 'log'>,
  tenant: { accountSid: string; livemode: boolean },
  options: O,
  print: (line: string) => void,
) => Promise<void>;

/** What a command prints, without a process of its own. */
async function printed<O>(printer: Printer<O>, options: O, accountSid = app.accountSid): Promise<string[]> {
  const lines: string[] = [];
  await printer(app, { accountSid, livemode: false }, options, (line) => lines.push(line));
  return lines;
}
const refused = (work: Promise<unknown>, why: RegExp) =>
  assert.rejects(work, (error) => error instanceof ConfigError && why.test(error.message));

suite('godwit campaigns', () => {
  test('lists the newest first with state and progress, a hostile name as one quoted line', async () => {
    const { accountSid } = await app.newAccount();
    assert.deepEqual(await printed(printCampaigns, {}, accountSid), ['There are no campaigns.']);
    const people = await scene.contacts(2);
    const first = await scene.draft(people, { name: 'Spring' });
    const second = await scene.draft(people, { name: 'Sum\u001b[2Jmer\n\u202e' });
    const [newest, older] = await printed(printCampaigns, {});
    assert.equal(
      newest,
      `${second.sid}  DRAFT      0 accepted, 0 refused, 0 waiting of 0  "Sum\\u001b[2Jmer\\n\ufffd"`,
    );
    assert.equal(older, `${first.sid}  DRAFT      0 accepted, 0 refused, 0 waiting of 0  "Spring"`);
    const [json] = await printed(printCampaigns, { json: true });
    assert.deepEqual(
      JSON.parse(json!).map(({ sid }: { sid: string }) => sid),
      [second.sid, first.sid],
    );
  });

  test('shows what came of one, with refusals by code', async () => {
    const [reached, silent] = await scene.contacts(2);
    const suppressed = await app.post(`${app.at}/contacts/${silent}/suppressions`, {
      reason: 'COMPLAINT',
      scope: 'ALL',
      source: 'test',
    });
    assert.equal(suppressed.status, 201, suppressed.text);
    const { sid } = await scene.launched([reached!, silent!]);
    await scene.run(sid);
    const lines = await printed(printResults, { campaign: sid });
    assert.match(lines[0]!, /COMPLETED {2}1 accepted, 1 refused, 0 waiting of 2/);
    assert.match(lines[1]!, /^1 messages: 1 queued, 0 sent,/);
    assert.match(lines[2]!, /^ {2}refused [A-Z_]+ 1$/);
    const [json] = await printed(printResults, { campaign: sid, json: true });
    const { campaign, results } = JSON.parse(json!);
    assert.deepEqual([campaign.sid, results.total.refused], [sid, 1]);
  });

  test('pauses, resumes and cancels what runs, in the audit as the operator’s', async () => {
    const { sid } = await scene.launched(await scene.contacts(2), { messagesPerMinute: 1 });
    await scene.run(sid);
    const move = (move: 'pause' | 'resume' | 'cancel') => printed(moveByHand, { campaign: sid, move });
    assert.match((await move('pause'))[0]!, /PAUSED/);
    await refused(move('pause'), /PAUSED/);
    assert.match((await move('resume'))[0]!, /RUNNING/);
    assert.match((await move('cancel'))[0]!, /CANCELED/);
    assert.equal((await scene.get(sid)).state, 'CANCELED');
    const entries = await app.sql<{ action: string; actor: string }>(
      'select action, actor from audit_entries where resource = $1 order by sequence',
      [sid],
    );
    assert.deepEqual(
      entries.slice(-3).map(({ action }) => action),
      ['campaign.paused', 'campaign.resumed', 'campaign.canceled'],
    );
    assert.match(entries.at(-1)!.actor, /operator/);
  });

  test('knows neither another account’s campaign nor one that is not there', async () => {
    const { sid } = await scene.draft(await scene.contacts(1));
    const { accountSid } = await app.newAccount();
    await refused(printed(printResults, { campaign: sid }, accountSid), /There is no campaign CP/);
    const none = newSid('CP', app.clock.now());
    await refused(printed(printResults, { campaign: none }), /in this account's sandbox/);
    await refused(
      printed(moveByHand, { campaign: sid, move: 'cancel' as const }, accountSid),
      /There is no campaign/,
    );
    assert.equal((await scene.get(sid)).state, 'DRAFT');
  });
});
