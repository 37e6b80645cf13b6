// The runs of somebody who is merged, restricted, erased, or dealt with long ago.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { lockRows } from '../../../test/harness/locks.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { erasePage, firstPlace, type Place } from '../../platform/erase-page.ts';
import { workflowBelongings } from './belongings.ts';
import { doing, hearing, on, pause, stage, states, text } from './engine.test-data.ts';
import { sweepRuns } from './runs/crons.ts';
import { endRunsOfContact } from './runs/erase.ts';

const hour = 60 * 60_000;
const day = 24 * 60 * 60_000;

const lifetime = sharedLifetime();
const { engine, newScene } = stage(lifetime);

async function eraseAll(t: TenantTx, contactSid: string): Promise<void> {
  const person = { contactSid, family: [contactSid], identifiers: [] };
  for (let place: Place | null = firstPlace; place !== null; )
    place = (await erasePage(t, workflowBelongings, person, place, 100)).next;
}

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
      doing(
        [
          { type: 'set_variable', name: 'said', value: '{{event.text.body}}' },
          // Too long by what is inserted: the run remembers why, and goes on.
          text(`${'x'.repeat(4_000)} {{event.text.body}}`, { onError: 'continue' }),
          pause,
          text('Done'),
        ],
        { conditions: hearing('hello') },
      ),
    );
    const [restricted, erased] = [scene.customer(), scene.customer()];
    await restricted.writes(`hello secret ${'y'.repeat(200)}`);
    await erased.writes('secret'); // starts nothing, and the decision tells what its condition saw
    await erased.writes(`hello secret ${'y'.repeat(200)}`);
    await engine.settle();
    const contactSid = await erased.contactSid();
    const restrictedSid = await restricted.contactSid();
    assert.equal(await scene.write((t) => endRunsOfContact(t, restrictedSid, 'restricted')), 1);
    const other = await scene.publish(doing([pause], { conditions: hearing('goodbye') }));
    await app.post(`${app.at}/workflows/${other}/contacts/${contactSid}/stop`, { reason: 'A secret' });
    await scene.write((t) => eraseAll(t, contactSid));
    assert.deepEqual(states(await scene.runs(workflowSid)), [
      ['STOPPED', 'erased'],
      ['STOPPED', 'restricted'],
    ]);
    app.clock.advance(hour);
    await engine.settle();
    assert.deepEqual(await scene.sent(), []);
    const stood = await app.sql<{ error: string | null; message: string | null }>(
      `select cursor ->> 'error' as error, cursor ->> 'messageSid' as message from workflow_runs
        where account_sid = $1 order by contact_sid = $2`,
      [app.accountSid, contactSid],
    );
    assert.match(stood[0]!.error!, /VALIDATION_ERROR/);
    assert.deepEqual(stood[1], { error: null, message: null });
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
