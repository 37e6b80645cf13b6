// An erasure is held at each of its commits, before and after, while others do what concerns the same person: nothing of the person comes
// back, nothing of others goes, and a hold that was answered keeps what it covers.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { beginDeadline } from '../../../../test/harness/deadline.ts';
import { besides, holdAt, type Moment, runHeld } from '../../../../test/harness/held-runs.ts';
import { runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { markedTables, tablesWith } from '../../../../test/harness/planting.ts';
import { contactImport } from '../../contact-files/import-contacts.ts';
import { type Engine, engineOf } from '../../workflows/engine.test-data.ts';
import { doing, publishedWorkflow } from '../../workflows/runs.test-data.ts';
import { erasureOfPerson } from './erase-person.ts';
import { erasingIn, hour } from './erasure.test-data.ts';

// ERASURE_RACES=1 has everybody come at every moment, and a hold at each; otherwise each comes at every so-manieth.
const all = process.env.ERASURE_RACES === '1';

const lifetime = sharedLifetime();
let app: TestApp;
let engine: Engine;
before(async () => {
  app = await startTestApp(lifetime);
  engine = await engineOf(app, lifetime);
});

type Scene = Awaited<ReturnType<typeof erasingIn>>;

/** One run of the erasure, held at every moment. */
const heldRun = (
  { app: { accountSid } }: Scene,
  { operationSid }: { operationSid: string },
  meanwhile: Parameters<typeof runHeld>[3],
) => {
  const { simulatedPeople } = app.ports;
  return runHeld(
    { app, accountSid, ports: { simulatedPeople } },
    erasureOfPerson.job,
    { operationSid },
    meanwhile,
  );
};

async function rivalsOf(scene: Scene) {
  const { app: own, contactSid, messages, number, people } = scene;
  const [reported] = await scene.talk(3);
  const other = await people.contact();
  await publishedWorkflow(own, doing([{ type: 'set_contact', attributes: { late: 'late' } }]));
  const waId = number.slice(1);
  const from = { waId, bsuid: null, parentBsuid: null, profileName: 'Back', username: null };
  const recipient = { waId, bsuid: null, parentBsuid: null };
  const refused = async (reply: Promise<Reply>, ...codes: number[]) => {
    const { status, text } = await reply;
    assert.ok(codes.includes(status), `${status} ${text}`);
  };
  const text = { from: messages.senderSid, type: 'text', text: { body: 'late' } };
  /** Of somebody who is erased nothing is left to do. */
  const isOver = async ({ status, body }: Reply) => {
    const [first] = await scene.rows(
      'select state from privacy_requests where account_sid = $1 order by sid limit 1',
    );
    return status === 202 && first!.state === 'COMPLETED' && body.found === false;
  };
  const rivals: (() => Promise<unknown>)[] = [
    () => messages.receive(messages.inbound({ type: 'text', body: 'late' }, { from })),
    () => messages.apply(messages.status(reported!, 'read', { recipient })),
    () => refused(own.post(`${own.at}/messages`, { ...text, contactSid }), 404, 422),
    // By their number whoever has come by it since is written to.
    () => refused(own.post(`${own.at}/messages`, { ...text, to: number }), 201, 422),
    () =>
      refused(
        own.post(`${own.at}/contacts/${other.sid}/merge`, { mergeContactSid: contactSid, reason: 'late' }),
        409,
      ),
    async () => {
      const reply = await scene.privacy.ask('ERASURE', { contactSid });
      assert.ok(reply.status === 409 || (await isOver(reply)), `${reply.status} ${reply.text}`);
    },
    async () => {
      const reply = await scene.privacy.ask('ACCESS', { identifierType: 'phone_e164', value: number });
      const isAnother = reply.status === 202 && ![null, contactSid].includes(reply.body.subject.contactSid);
      const isRight = reply.status === 409 || isAnother || (await isOver(reply));
      assert.ok(isRight, `${reply.status} ${reply.text}`);
    },
    async () => {
      const content = `phone\n${number}\n`;
      const { body: made } = await own.post(`${own.at}/contacts/import`, { format: 'csv', content });
      const { accountSid } = own;
      await runJob({ app, accountSid }, contactImport.job, { operationSid: made.operationSid ?? made.sid });
    },
    async () => {
      const told = await own.post(`${own.at}/workflow-events`, {
        eventType: 'CUSTOM_LATE',
        contactSid,
        payload: {},
      });
      assert.ok(told.status < 500, told.text);
      await engine.settle();
    },
  ];
  return { rivals, other };
}

suite('while an erasure stands at any of its commits', () => {
  test('messages, reports, sends, merges, erasures, imports and turns of workflows bring nothing of the person back', async (context) => {
    const scene = await erasingIn(app);
    const { rivals, other } = await rivalsOf(scene);
    const request = await scene.erase();
    const under: Promise<unknown>[] = [];
    const come = async ({ at }: Moment) => {
      const now = all ? rivals : [rivals[at % rivals.length]!];
      for (const rival of now) await besides(app, under, rival);
    };
    const first = await heldRun(scene, request, come);
    await Promise.all(under);
    app.clock.advance(26 * hour);
    const second = await heldRun(scene, request, come);
    await Promise.all(under);
    await scene.run(request);
    context.diagnostic(`${first} and ${second} moments, ${under.length} came`);

    const done = await scene.privacy.get(request.sid);
    assert.equal(done.state, 'COMPLETED', JSON.stringify(done));
    const [theirs] = await scene.rows<{ blank: number; left: number; named: number }>(
      `select count(*) filter (where m.address is null)::integer as blank, count(*) filter (where m.address is not null)::integer as left,
         count(p.message_sid)::integer as named
         from messages m left join provider_messages p on p.account_sid = m.account_sid and p.message_sid = m.sid
        where m.account_sid = $1 and m.contact_sid = $2`,
      [scene.contactSid],
    );
    assert.deepEqual([theirs!.left, theirs!.named, done.counts.messages], [0, 0, theirs!.blank]);
    assert.deepEqual(await tablesWith(app, 'zqmarkzq'), []);
    assert.equal((await scene.people.read(other.sid)).status, 'ACTIVE');
    const erased = await scene.people.read(scene.contactSid);
    assert.deepEqual([erased.status, erased.attributes, erased.identifiers], ['ERASED', {}, []]);
    const completed = (await scene.events('privacy_request.completed')).filter(
      ({ data }) => data.sid === request.sid,
    );
    assert.deepEqual([(await scene.events('contact.erased')).length, completed.length], [1, 1]);
  });

  /** What a hold keeps nothing of: copies on their way, and the account's own words and work. */
  const uncovered =
    /^(events|webhook_\w+|idempotency_keys|operations|operation_children|provider_callbacks|contact_file_parts|segment_versions|privacy_requests)$/;
  const kept = markedTables.filter((table) => !uncovered.test(table));

  /** Every row of the account that a hold on it covers. */
  const covered = async (scene: Scene) => {
    const rows = await scene.rows<{ row: string }>(
      kept
        .map((table) => `select '${table}: ' || one::text as row from ${table} one where account_sid = $1`)
        .join(' union all '),
    );
    return rows.map(({ row }) => row);
  };

  const scopesOf = ({ contactSid, messages, rows }: Scene) => [
    async () => ({ type: 'CONTACT', contactSid }),
    async () => ({ type: 'ACCOUNT' }),
    async () => {
      const [one] = await rows<{ sid: string }>(
        'select sid from conversations where account_sid = $1 and sender_sid = $2',
        [messages.senderSid],
      );
      return { type: 'CONVERSATION', conversationSid: one!.sid };
    },
  ];

  /** In the first look at everything, or in the second. */
  async function heldAt(nth: number, look: 1 | 2): Promise<string | null> {
    const scene = await erasingIn(app);
    const { app: own, contactSid, messages, number, people } = scene;
    await scene.talk(2);
    await messages.accepted({ to: number, status: 'sending', content: { body: 'zqmarkzq' } });
    await people.consent(contactSid, { evidenceRef: 'zqmarkzq' });
    await people.suppress(contactSid, { source: 'zqmarkzq' });
    const twin = await people.contact({ displayName: 'zqmarkzq' });
    await own.post(`${own.at}/contacts/${contactSid}/merge`, {
      mergeContactSid: twin.sid,
      reason: 'zqmarkzq',
    });
    const scopes = scopesOf(scene);
    const scope = await scopes[nth % scopes.length]!();
    const request = await scene.erase();
    const place = async () => {
      const reply = await own.post(`${own.at}/legal-holds`, { caseRef: 'Case', scope });
      assert.equal(reply.status, 201, reply.text);
      return reply.body.id;
    };
    if (look === 2) {
      await scene.run(request);
      app.clock.advance(26 * hour);
    }
    const held = await holdAt(app, nth, (meanwhile) => heldRun(scene, request, meanwhile), {
      place,
      look: () => covered(scene),
    });
    if (held === null) return null;
    const { id, stood, name } = held;
    const now = new Set(await covered(scene));
    const changed = stood.filter((row) => !now.has(row));
    assert.deepEqual(changed, [], `look ${look}, ${nth}: ${name}, ${JSON.stringify(scope)}`);
    const { headers, stepUpToken } = await scene.privacy.confirmed('LEGAL_HOLD_RELEASE');
    const released = await app.post(
      `${own.at}/legal-holds/${id}/release`,
      { caseRef: 'x', stepUpToken },
      headers,
    );
    assert.equal(released.status, 200, released.text);
    if (look === 1) await scene.toEnd(request);
    else await scene.run(request);
    assert.equal((await scene.privacy.get(request.sid)).state, 'COMPLETED');
    return name;
  }

  const every = Array.from({ length: 200 }, (_, index) => index + 1);
  const looks: [1 | 2, string, number[]][] = [
    [1, 'first', [1, 3, 5, 6, 31]],
    [2, 'second', [3, 7]],
  ];
  for (const [look, name, some] of looks)
    test(`a hold is answered in the ${name} look, and from its answer on nothing it covers changes`, async (context) => {
      let moments = 0;
      for (const nth of all ? every : some) {
        if ((await heldAt(nth, look)) === null) break;
        moments += 1;
        // However many moments there are: what is limited is the time of each.
        beginDeadline();
      }
      context.diagnostic(`held at ${moments} moments`);
      assert.ok(moments >= some.length, `only ${moments} moments`);
    });
});
