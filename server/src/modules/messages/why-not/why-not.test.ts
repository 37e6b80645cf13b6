import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type TestApp } from '../../../../test/harness/app.ts';
import { peopleOf } from '../../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import { privacyOf } from '../../../../test/harness/privacy.ts';
import { untouched } from '../../../../test/harness/untouched.ts';
import type { WhyNot } from './schema.ts';

const newApp = ownAccounts();

const hello = { type: 'template', template: { name: 'hello_world', language: 'en' } };
const offer = {
  type: 'template',
  template: {
    name: 'spring_offer',
    language: 'en',
    components: [{ type: 'body', parameters: ['you', '20%'].map((text) => ({ type: 'text', text })) }],
  },
};

/** People, a segment of all of them, and a question about it. */
async function sceneOf(app: TestApp) {
  const people = peopleOf(app);
  const [sender] = (await app.get(`${app.at}/senders`)).body.data;
  const contacts = (count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, async () => (await people.contact()).sid));
  const segment = async (): Promise<string> =>
    (await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'All' })).body.sid;
  const post = (sid: string, body: object, headers = {}) =>
    app.post(
      `${app.at}/segments/${sid}/why-not`,
      { message: { ...offer, from: sender.sid }, ...body },
      headers,
    );
  const ask = async (sid: string, body: object = {}): Promise<WhyNot> => {
    const reply = await post(sid, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  return { people, sender, contacts, segment, post, ask };
}
type Scene = Awaited<ReturnType<typeof sceneOf>>;

const codesOf = ({ members }: WhyNot, contactSid: string) =>
  members.find((member) => member.contactSid === contactSid)!.reasons.map(({ code }) => code);

suite('why members of a segment would not be reached', () => {
  test('is told with every reason, each with the record that decided, and what it would cost', async () => {
    const app = await newApp();
    const { people, contacts, segment, ask } = await sceneOf(app);
    const [both, agreed, silent] = (await contacts(3)) as [string, string, string];
    await people.consent(agreed);
    await people.suppress(both, { scope: 'ALL', reason: 'COMPLAINT' });
    const told = await ask(await segment());
    assert.deepEqual([told.judged, told.reached, told.nextAfter], [3, 1, null]);
    assert.deepEqual(codesOf(told, agreed), []);
    assert.deepEqual(codesOf(told, silent), ['CONSENT_REQUIRED']);
    assert.deepEqual(codesOf(told, both).sort(), ['CONSENT_REQUIRED', 'CONTACT_SUPPRESSED']);
    const { reasons } = told.members.find(({ contactSid }) => contactSid === both)!;
    assert.ok(
      reasons.some(({ gate, evidence }) => gate === 'suppression' && evidence.reason === 'COMPLAINT'),
    );
    assert.deepEqual(
      told.reasons.map(({ code, contacts: count, samples }) => [code, count, [...samples].sort()]),
      [
        ['CONSENT_REQUIRED', 2, [both, silent].sort()],
        ['CONTACT_SUPPRESSED', 1, [both]],
      ],
    );
    assert.ok(BigInt(told.members[0]!.cost!.amountMinor) > 0n);
  });

  test('is what sending says to each of them', async () => {
    const app = await newApp();
    const scene: Scene = await sceneOf(app);
    const sids = await scene.contacts(4);
    await scene.people.consent(sids[0]!);
    await scene.people.consent(sids[1]!, { status: 'OPTED_OUT' });
    await scene.people.suppress(sids[2]!, { scope: 'MARKETING' });
    const told = await scene.ask(await scene.segment());
    for (const contactSid of sids) {
      const sent = await app.post(`${app.at}/messages`, { ...offer, from: scene.sender.sid, contactSid });
      const codes = codesOf(told, contactSid);
      if (sent.status === 201) assert.deepEqual(codes, []);
      else assert.equal(codes[0], sent.body.error.code, sent.text);
    }
  });

  test('comes page by page, everybody once, with ten samples of a reason at the most', async () => {
    const app = await newApp();
    const { contacts, segment, ask } = await sceneOf(app);
    const sids = await contacts(13);
    const sid = await segment();
    const whole = await ask(sid);
    assert.deepEqual(
      whole.reasons.map(({ contacts: count, samples }) => [count, samples.length]),
      [[13, 10]],
    );
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: WhyNot = await ask(sid, { limit: 5, ...(after && { after }) });
      seen.push(...page.members.map(({ contactSid }) => contactSid));
      after = page.nextAfter;
    } while (after !== null);
    assert.deepEqual(seen, [...sids].sort());
  });

  test('is told of members that are named, and of nobody else', async () => {
    const app = await newApp();
    const { contacts, segment, ask, post } = await sceneOf(app);
    const [first, second] = (await contacts(2)) as [string, string];
    const sid = await segment();
    const [later] = await contacts(1);
    const told = await ask(sid, { contactSids: [second] });
    assert.deepEqual([told.members.map(({ contactSid }) => contactSid), told.nextAfter], [[second], null]);
    const stranger = await peopleOf(await newApp()).contact();
    for (const other of [later, stranger.sid]) {
      const { status, body } = await post(sid, { contactSids: [first, other] });
      assert.deepEqual(
        [status, body.error.details.map(({ path }: { path: string }) => path)],
        [400, ['contactSids.1']],
      );
    }
  });

  test('leaves out whoever is restricted, and says so of one who is named', async () => {
    const app = await newApp();
    const { contacts, segment, ask } = await sceneOf(app);
    const [free, restricted] = (await contacts(2)) as [string, string];
    const sid = await segment();
    await privacyOf(app).restrict(restricted);
    assert.deepEqual(
      (await ask(sid)).members.map(({ contactSid }) => contactSid),
      [free],
    );
    assert.ok(
      codesOf(await ask(sid, { contactSids: [restricted] }), restricted).includes('CONTACT_SUPPRESSED'),
    );
  });

  test('is about the survivor where members were merged', async () => {
    const app = await newApp();
    const { people, contacts, segment, ask } = await sceneOf(app);
    const [gone, survivor] = (await contacts(2)) as [string, string];
    const sid = await segment();
    await people.merge(survivor, gone);
    await people.suppress(survivor, { scope: 'ALL', reason: 'COMPLAINT' });
    const told = await ask(sid, { contactSids: [gone] });
    assert.ok(codesOf(told, gone).includes('CONTACT_SUPPRESSED'), JSON.stringify(told));
  });

  test('stores nothing', async () => {
    const app = await newApp();
    const { contacts, segment, ask } = await sceneOf(app);
    await contacts(2);
    const sid = await segment();
    await untouched(app, app.accountSid, () => ask(sid, { message: hello }));
    assert.equal(await app.count('messages'), 0);
  });

  test('is refused for a message that says nothing sensible, at its place', async () => {
    const app = await newApp();
    const { contacts, segment, post } = await sceneOf(app);
    const [contact] = await contacts(1);
    const sid = await segment();
    for (const [body, path] of [
      [{ message: undefined }, 'message'],
      [{ message: { ...hello, contactSid: contact } }, 'message.contactSid'],
      [{ message: { ...hello, context: { messageSid: 'SM1' } } }, 'message.context'],
      [{ message: { ...hello, to: '+33612003400' } }, 'message.to'],
      [{ message: { type: 'text', text: { body: '' } } }, 'message.text.body'],
      [{ limit: 0 }, 'limit'],
      [{ limit: 101 }, 'limit'],
      [{ contactSids: [] }, 'contactSids'],
      [{ contactSids: [contact], after: contact }, 'after'],
      [{ after: 'CT1' }, 'after'],
    ] as const) {
      const { status, body: answer, text } = await post(sid, body);
      assert.equal(status, 400, text);
      const paths = answer.error.details.map((detail: { path: string }) => detail.path);
      assert.ok(paths.includes(path), `${path}: ${text}`);
    }
  });

  test('is told to whoever may send and read contacts, of their own segments', async () => {
    const app = await newApp();
    const { contacts, segment, post } = await sceneOf(app);
    await contacts(1);
    const sid = await segment();
    for (const [scopes, status] of [
      [['messages:send', 'contacts:read'], 200],
      [['messages:send'], 403],
      [['contacts:read'], 403],
    ] as const) {
      const { key } = await app.key([...scopes]);
      assert.equal((await post(sid, {}, bearer(key))).status, status, scopes.join());
    }
    const foreign = await sceneOf(await newApp());
    assert.equal((await foreign.post(sid, {})).status, 404);
  });
});
