// An erasure is held at each of its commits, before and after, while others do what concerns the same person: nothing of the person comes
// back, nothing of others goes, and a hold that was answered keeps what it covers.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { besides, holdAt, type Moment, runHeld } from '../../../../test/harness/held-runs.ts';
import { runJob } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { tablesWith } from '../../../../test/harness/planting.ts';
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
  const body = { from: messages.senderSid, contactSid, type: 'text', text: { body: 'late' } };
  const rivals: (() => Promise<unknown>)[] = [
    () => messages.receive(messages.inbound({ type: 'text', body: 'late' }, { from })),
    () => messages.apply(messages.status(reported!, 'read', { recipient })),
    () => refused(own.post(`${own.at}/messages`, body), 404, 422),
    () =>
      refused(
        own.post(`${own.at}/contacts/${other.sid}/merge`, { mergeContactSid: contactSid, reason: 'late' }),
        409,
      ),
    async () => {
      const reply = await scene.privacy.ask('ERASURE', { contactSid });
      // Of somebody who is erased nothing is left to do.
      const [first] = await scene.rows(
        'select state from privacy_requests where account_sid = $1 order by sid limit 1',
      );
      const isOver = reply.status === 202 && first!.state === 'COMPLETED' && reply.body.found === false;
      assert.ok(reply.status === 409 || isOver, `${reply.status} ${reply.text}`);
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

  /** Everything of the account that a hold on the person covers. */
  const covered = (scene: Scene) =>
    scene.rows(
      `select sid, address, content::text, extras::text, null as value from messages where account_sid = $1
       union all select sid, display_name, attributes::text, search, null from contacts where account_sid = $1
       union all select contact_sid, identifier_type, null, null, value from contact_identifiers where account_sid = $1
       order by 1, 2, 3, 4, 5`,
    );

  async function heldAt(nth: number): Promise<string | null> {
    const scene = await erasingIn(app);
    const { app: own, contactSid } = scene;
    await scene.talk(2);
    const request = await scene.erase();
    const scope = { type: 'CONTACT', contactSid };
    const place = async () => {
      const reply = await own.post(`${own.at}/legal-holds`, { caseRef: 'Case', scope });
      assert.equal(reply.status, 201, reply.text);
      return reply.body.id;
    };
    const look = () => covered(scene);
    const held = await holdAt(app, nth, (meanwhile) => heldRun(scene, request, meanwhile), { place, look });
    if (held === null) return null;
    const { id, stood, name } = held;
    assert.deepEqual(await look(), stood, `${nth}: ${name}`);
    const { headers, stepUpToken } = await scene.privacy.confirmed('LEGAL_HOLD_RELEASE');
    const released = await app.post(
      `${own.at}/legal-holds/${id}/release`,
      { caseRef: 'x', stepUpToken },
      headers,
    );
    assert.equal(released.status, 200, released.text);
    await scene.toEnd(request);
    return name;
  }

  test('a hold is answered, and from its answer on nothing it covers changes', async (context) => {
    const nths = all ? Array.from({ length: 200 }, (_, index) => index + 1) : [1, 3, 5, 6, 31];
    let moments = 0;
    for (const nth of nths) {
      if ((await heldAt(nth)) === null) break;
      moments += 1;
    }
    context.diagnostic(`held at ${moments} moments`);
    assert.ok(moments >= 5, `only ${moments} moments`);
  });
});
