import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { type People, peopleOf, phone } from '../../../test/harness/contacts.ts';
import { runJob } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import { newPhone } from '../contacts/fixtures.ts';
import type { Provider, ProviderFailure } from '../provider/index.ts';
import { mirrorMovedSender } from './mirror-moved-sender.ts';
import { mirrorSuppressions } from './mirror-suppressions.ts';

let app: TestApp;
let people: People;
let senders: string[];
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  people = peopleOf(app);
  senders = (await app.get(`${app.at}/senders`)).body.data.map(({ sid }: { sid: string }) => sid);
});

const failure = (code: ProviderFailure['code'], retryable: boolean) => ({
  ok: false as const,
  failure: {
    code,
    retryable,
    providerCode: 139_100,
    providerSubcode: null,
    reason: 'as told',
    retryAfterMs: null,
  },
});

/** A provider that keeps lists, and may do something in the middle of a call. */
function lists() {
  const blocked = new Set<string>();
  const calls: string[] = [];
  const hooks: { during?: () => Promise<void>; answer?: ReturnType<typeof failure> } = {};
  const change =
    (does: 'add' | 'delete') => async (_connection: unknown, number: string, users: string[]) => {
      calls.push(`${does} ${users.join()}`);
      const { during, answer } = hooks;
      hooks.during = undefined;
      await during?.();
      if (answer) return answer;
      for (const user of users) blocked[does](`${number} ${user}`);
      return { ok: true as const, value: null };
    };
  const provider: Partial<Provider> = { blockUsers: change('add'), unblockUsers: change('delete') };
  const mirror = (contactSid: string) => runJob({ app, provider }, mirrorSuppressions, { contactSid });
  const users = () => [...blocked].map((entry) => entry.split(' ')[1]!).sort();
  return { blocked, calls, hooks, mirror, users };
}

const person = async () => {
  const number = newPhone();
  const { sid } = await people.contact({ identifiers: [phone(number)] });
  return { sid: sid as string, number };
};
const lift = (contactSid: string, sid: string) =>
  app.delete(`${app.at}/contacts/${contactSid}/suppressions/${sid}`);
const read = async (sid: string) => (await app.get(`${app.at}/suppressions/${sid}`)).body;

test('a mirrored suppression blocks the contact on every sender until it is lifted', async () => {
  const { mirror, users, calls } = lists();
  const { sid, number } = await person();
  const made = await people.suppress(sid, { mirrorToProvider: true });
  assert.deepEqual([made.mirroredAt, made.mirrorFailure], [null, null]);
  await mirror(sid);
  assert.deepEqual(
    users(),
    senders.map(() => number),
  );
  assert.equal((await read(made.sid)).mirroredAt, app.clock.now().toISOString());
  await mirror(sid);
  assert.equal(calls.length, senders.length, 'what is blocked is not blocked again');
  await lift(sid, made.sid);
  await mirror(sid);
  assert.deepEqual([users(), await app.count('provider_blocks')], [[], 0]);
});

test('one for a sender blocks there alone, and one that is not mirrored nowhere', async () => {
  const { mirror, users, calls } = lists();
  const { sid, number } = await person();
  await people.suppress(sid);
  await mirror(sid);
  assert.deepEqual(calls, []);
  await people.suppress(sid, { mirrorToProvider: true, senderSid: senders[0] });
  await mirror(sid);
  assert.deepEqual(users(), [number]);
});

test('a second one for somebody who is blocked already says so too, and asks nothing', async () => {
  const { mirror, calls } = lists();
  const { sid } = await person();
  await people.suppress(sid, { mirrorToProvider: true });
  await mirror(sid);
  const asked = calls.length;
  const second = await people.suppress(sid, { mirrorToProvider: true, reason: 'COMPLAINT' });
  await mirror(sid);
  assert.notEqual((await read(second.sid)).mirroredAt, null);
  assert.equal(calls.length, asked);
});

test('a sender without a connection is left out, and nothing is tried for ever', async () => {
  const { mirror, calls } = lists();
  const { sid } = await person();
  const bare = await people.sender();
  const made = await people.suppress(sid, { mirrorToProvider: true, senderSid: bare });
  await mirror(sid);
  assert.deepEqual([calls, (await read(made.sid)).mirroredAt], [[], null]);
});

test('lifting one of two leaves the contact blocked for the other', async () => {
  const { mirror, users } = lists();
  const { sid, number } = await person();
  const first = await people.suppress(sid, { mirrorToProvider: true });
  await people.suppress(sid, { mirrorToProvider: true, reason: 'COMPLAINT', senderSid: senders[0] });
  await mirror(sid);
  await lift(sid, first.sid);
  await mirror(sid);
  assert.deepEqual(users(), [number]);
});

test('one that expires is looked at when it does', async () => {
  const { mirror, users } = lists();
  const { sid } = await person();
  const expiresAt = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  await people.suppress(sid, { mirrorToProvider: true, expiresAt });
  const queued = await app.sql<{ run_at: Date }>('select run_at from graphile_worker.jobs where key = $1', [
    `mirror:${sid}:${expiresAt}`,
  ]);
  assert.deepEqual(
    queued.map(({ run_at }) => run_at.toISOString()),
    [expiresAt],
  );
  await mirror(sid);
  assert.equal(users().length, senders.length);
  app.clock.advance(3_600_000);
  await mirror(sid);
  assert.deepEqual(users(), []);
});

test('a refusal for good is said and not repeated, until it is asked for again', async () => {
  const { mirror, users, hooks, calls } = lists();
  const { sid, number } = await person();
  const { sid: suppression } = await people.suppress(sid, { mirrorToProvider: true });
  hooks.answer = failure('PROVIDER_PERMANENT_ERROR', false);
  await mirror(sid);
  const refused = await read(suppression);
  assert.deepEqual([refused.mirroredAt, refused.mirrorFailure], [null, 'PROVIDER_PERMANENT_ERROR']);
  const asked = calls.length;
  await mirror(sid);
  assert.deepEqual(
    [calls.length, await app.count(`provider_blocks where contact_sid = '${sid}'`)],
    [asked, 0],
  );
  hooks.answer = undefined;
  const again = await people.suppress(sid, { mirrorToProvider: true });
  assert.deepEqual([again.sid, again.mirrorFailure], [suppression, null]);
  await mirror(sid);
  assert.deepEqual(
    users(),
    senders.map(() => number),
  );
});

test('a provider that fails for now is asked again, and nobody it may have blocked is forgotten', async () => {
  const { mirror, users, hooks } = lists();
  const { sid } = await person();
  const { sid: suppression } = await people.suppress(sid, { mirrorToProvider: true });
  hooks.answer = failure('PROVIDER_TEMPORARY_ERROR', true);
  await assert.rejects(mirror(sid), /cannot be changed now/);
  assert.equal(
    await app.count(`provider_blocks where contact_sid = '${sid}' and not confirmed`),
    senders.length,
  );
  hooks.answer = undefined;
  await lift(sid, suppression);
  await mirror(sid);
  assert.deepEqual([users(), await app.count(`provider_blocks where contact_sid = '${sid}'`)], [[], 0]);
});

test('lifted while it is being blocked, the contact ends up free', async () => {
  const { mirror, users, hooks } = lists();
  const { sid } = await person();
  const { sid: suppression } = await people.suppress(sid, { mirrorToProvider: true });
  hooks.during = async () => {
    await lift(sid, suppression);
    await mirror(sid);
  };
  await mirror(sid);
  assert.deepEqual(users(), []);
});

test('a merge blocks the other number too, and its reversal frees it again', async () => {
  const { mirror, users } = lists();
  const [survivor, other] = [await person(), await person()];
  await people.suppress(survivor.sid, { mirrorToProvider: true, senderSid: senders[0] });
  const both = async () => {
    for (const { sid } of [survivor, other]) await mirror(sid);
  };
  await both();
  const { id: mergeId } = await people.merge(survivor.sid, other.sid);
  await both();
  assert.deepEqual(users(), [survivor.number, other.number].sort());
  assert.equal((await people.revert(mergeId)).status, 200);
  await both();
  assert.deepEqual(users(), [survivor.number]);
});

test('a merged contact that is suppressed stays blocked through merge and reversal, in whichever order they are looked at', async () => {
  for (const order of [0, 1]) {
    const { mirror, users } = lists();
    const [survivor, other] = [await person(), await person()];
    await people.suppress(other.sid, { mirrorToProvider: true, senderSid: senders[0] });
    const pair = order === 0 ? [survivor, other] : [other, survivor];
    const both = async () => {
      for (const { sid } of pair) await mirror(sid);
      for (const { sid } of pair) await mirror(sid);
    };
    await both();
    const { id: mergeId } = await people.merge(survivor.sid, other.sid);
    await both();
    assert.deepEqual(users(), [survivor.number, other.number].sort());
    await people.revert(mergeId);
    await both();
    assert.deepEqual(users(), [other.number]);
  }
});

test('freed late by one contact, a person another wants blocked is blocked again', async () => {
  const { mirror, users, hooks } = lists();
  const [survivor, other] = [await person(), await person()];
  await people.suppress(other.sid, { mirrorToProvider: true, senderSid: senders[0] });
  const { id } = await people.merge(survivor.sid, other.sid);
  await mirror(survivor.sid);
  await people.revert(id);
  await app.sql('delete from graphile_worker._private_jobs');
  hooks.during = () => mirror(other.sid);
  await mirror(survivor.sid);
  assert.deepEqual(users(), [], 'the late word of the survivor was the last');
  assert.equal(await app.count(`graphile_worker.jobs where key = 'mirror:${other.sid}'`), 1);
  await mirror(other.sid);
  assert.deepEqual(users(), [other.number]);
});

test('the simulated provider blocks and unblocks', async (context) => {
  const whole = await startTestApp(context, { role: 'all', simulator: true });
  const { contact, suppress } = peopleOf(whole);
  const { sid } = await contact();
  const { sid: suppression } = await suppress(sid, { mirrorToProvider: true });
  const mirrored = async () => (await whole.get(`${whole.at}/suppressions/${suppression}`)).body.mirroredAt;
  await until('it is blocked', async () => (await mirrored()) !== null);
  assert.notEqual(await whole.count('provider_blocks where confirmed'), 0);
  await whole.delete(`${whole.at}/contacts/${sid}/suppressions/${suppression}`);
  await until('it is unblocked', async () => (await whole.count('provider_blocks')) === 0);
});

test('whoever is blocked on a number is blocked anew where it moved, also the 501st, and nobody else is', async () => {
  const { mirror, blocked } = lists();
  const { sid, number } = await person();
  await people.suppress(sid, { mirrorToProvider: true });
  await mirror(sid);
  const [moved, other] = senders as [string, string];
  await app.sql(
    `insert into provider_blocks (account_sid, livemode, sender_sid, provider_user, contact_sid, confirmed, created_at)
     select account_sid, livemode, sender_sid, '+0' || n, contact_sid, true, created_at
       from provider_blocks, generate_series(1, 501) n where sender_sid = $1 and contact_sid = $2`,
    [moved, sid],
  );
  blocked.clear();
  await app.sql(`update senders set provider_phone_number_id = 'elsewhere' where sid = $1`, [moved]);
  await app.sql(`select graphile_worker.remove_job('mirror:' || $1)`, [sid]);
  await runJob({ app }, mirrorMovedSender, { senderSid: moved });
  const left = (senderSid: string) =>
    app.count(`provider_blocks where sender_sid = '${senderSid}' and contact_sid = '${sid}' and confirmed`);
  assert.deepEqual([await left(moved), await left(other)], [0, 1]);
  assert.equal(await app.count(`graphile_worker.jobs where key = 'mirror:${sid}'`), 1);
  await mirror(sid);
  assert.deepEqual([...blocked], [`elsewhere ${number}`]);
});
