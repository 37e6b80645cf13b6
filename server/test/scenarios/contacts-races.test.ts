// The same people, from 20 clients at once. Nothing is lost, nothing is doubled, and no deadlock reaches a caller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyConsents } from '../../src/modules/consent/index.ts';
import { type Reply, startTestApp, type TestApp } from '../harness/app.ts';
import { peopleOf, phone } from '../harness/contacts.ts';
import { until } from '../harness/until.ts';

const clients = 20;
const atOnce = <T>(work: (client: number) => Promise<T>) =>
  Promise.all(Array.from({ length: clients }, (_, client) => work(client)));

/** Enough connections for every client: waiting for one is another test's subject. */
const startRaces = (context: Parameters<typeof startTestApp>[0]) =>
  startTestApp(context, { env: { DATABASE_CONNECTIONS: '24' } });

/** On a busy machine a lock may take longer than the service waits for it: it then asks to be asked again. */
const patient = (ask: () => Promise<Reply>): Promise<Reply> =>
  until('there is another answer than to ask again', async () => {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    assert.equal(reply.body.error.retryable, true);
    return null;
  });

const unlessBusy = (error: { code?: string }) => {
  if (error.code !== '55P03') throw error;
};

const statuses = (replies: Reply[]) =>
  replies.reduce((counts: Record<number, number>, { status }) => {
    counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }, {});

/** A generator of its own, so that a run can be repeated by its seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

async function soundness(app: TestApp): Promise<void> {
  const never = {
    'an identifier of a merged contact': `contact_identifiers i join contacts c
      on c.account_sid = i.account_sid and c.sid = i.contact_sid where c.merged_into is not null`,
    'a suppression of a merged contact': `suppressions x join contacts c
      on c.account_sid = x.account_sid and c.sid = x.contact_sid where c.merged_into is not null`,
    'a survivor that is merged': `contacts m join contacts s
      on s.account_sid = m.account_sid and s.sid = m.merged_into where s.merged_into is not null`,
    'a contact without an identifier': `contacts c where merged_into is null and not exists
      (select from contact_identifiers i where i.contact_sid = c.sid)
      and not exists (select from contact_merges m where m.survivor_sid = c.sid or m.merged_sid = c.sid)`,
    'a state the ledger does not know': `consent_states s where sequence <> (select max(sequence) from consents l
      join contacts c on c.sid = l.contact_sid where coalesce(c.merged_into, c.sid) = s.contact_sid
        and l.purpose = s.purpose)`,
  };
  for (const [what, where] of Object.entries(never)) assert.equal(await app.count(where), 0, what);
  for await (const report of verifyConsents(app.database)) assert.equal(report.broken, null);
}

test('20 clients that create one number at once make one contact, and all of them get it', async (context) => {
  const app = await startRaces(context);
  for (let round = 0; round < 10; round += 1) {
    const body = { identifiers: [phone()], displayName: 'One' };
    const replies = await atOnce(() => patient(() => app.post(`${app.at}/contacts`, body)));
    assert.deepEqual(statuses(replies), { 200: clients - 1, 201: 1 });
    assert.equal(new Set(replies.map((reply) => reply.body.sid)).size, 1);
  }
  assert.deepEqual([await app.count('contacts'), await app.count('contact_identifiers')], [10, 10]);
  assert.deepEqual(await app.emitted(), Array(10).fill('contact.created'));
});

test('20 clients that name the same identifiers in any order never wait for each other in a circle', async (context) => {
  const app = await startRaces(context);
  const roll = dice(7);
  for (let round = 0; round < 8; round += 1) {
    const pool = Array.from({ length: 6 }, () => phone());
    const replies = await atOnce(() => {
      const identifiers = [...pool].sort(() => roll(3) - 1).slice(0, 2 + roll(4));
      return patient(() => app.post(`${app.at}/contacts`, { identifiers }));
    });
    for (const { status, text } of replies) assert.ok([200, 201].includes(status), text);
  }
  await soundness(app);
});

test('20 clients that merge, revert, suppress, lift, consent and create among the same people', async (context) => {
  const app = await startRaces(context);
  const people = peopleOf(app);
  const numbers = Array.from({ length: 6 }, () => phone());
  const sids: string[] = [];
  for (const number of numbers) sids.push((await people.contact({ identifiers: [number] })).sid);
  const sender = await people.sender();
  const answers: Reply[] = [];
  let recorded = 0;
  await atOnce(async (client) => {
    const roll = dice(client + 1);
    const any = () => sids[roll(sids.length)]!;
    for (let turn = 0; turn < 12; turn += 1) {
      const path = `${app.at}/contacts/${any()}`;
      const acts = [
        () => app.post(`${path}/merge`, { mergeContactSid: any(), reason: 'race' }),
        async () => {
          const merges = await app.get(`${app.at}/contacts/merges?limit=5`);
          const [merge] = merges.body.data.filter(({ status }: { status: string }) => status === 'MERGED');
          return merge ? people.revert(merge.id) : merges;
        },
        () => app.post(`${path}/suppressions`, { reason: 'COMPLAINT', scope: 'ALL', source: 'race' }),
        () => app.delete(`${app.at}/suppressions`, { identifier: numbers[roll(numbers.length)]!.value }),
        () => app.post(`${path}/consents`, { purpose: 'MARKETING', source: 'API', status: 'OPTED_IN' }),
        () => app.post(`${app.at}/contacts`, { identifiers: [numbers[roll(6)], numbers[roll(6)], phone()] }),
        () => app.patch(path, { attributes: { [`c${client}`]: turn } }),
        async () => {
          await people.inbound(sender, any()).catch(unlessBusy);
          return app.get(path);
        },
      ];
      const answer = await patient(acts[roll(acts.length)]!);
      if (answer.status === 201 && answer.body.object === 'consent') recorded += 1;
      answers.push(answer);
    }
  });
  // 400: merging with oneself; 409: a merged contact, a merge reverted by another. Nothing else may be answered.
  const unexpected = answers.filter(({ status }) => ![200, 201, 400, 409].includes(status));
  assert.deepEqual(
    unexpected.map(({ text }) => text),
    [],
  );
  assert.equal(await app.count('consents'), recorded, 'every record that was answered is there');
  await soundness(app);
});

test('merging a ring of contacts from 20 clients leaves no circle', async (context) => {
  const app = await startRaces(context);
  const people = peopleOf(app);
  for (let round = 0; round < 5; round += 1) {
    const ring: string[] = [];
    for (let i = 0; i < 5; i += 1) ring.push((await people.contact()).sid);
    const replies = await atOnce((client) => {
      const body = { mergeContactSid: ring[(client + 1) % 5], reason: 'ring' };
      return patient(() => app.post(`${app.at}/contacts/${ring[client % 5]}/merge`, body));
    });
    for (const { status, text } of replies) assert.ok([200, 409].includes(status), text);
    const survivors = await Promise.all(ring.map((sid) => people.read(sid)));
    assert.ok(survivors.some(({ status }) => status === 'ACTIVE'));
  }
  await soundness(app);
});
