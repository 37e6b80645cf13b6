import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { type Desk, deskOf } from '../../../test/harness/inboxes.ts';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import type { Audience } from '../../platform/notifications.ts';
import { tell } from './fixtures.ts';
import { endMail, peopleIn, recipientsAmong, unreadAmong } from './index.ts';

let app: TestApp;
let desk: Desk;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
});

const holder = (roles: string[], more: object = {}) => person(app, { roles, factor: 'none', ...more });
const sidsOf = (people: Person[]) => people.map(({ userSid }) => userSid).sort();

/** Everybody an audience has, in pages of three, as mail reads it. */
async function everyoneIn(audience: Audience, needs: string | null = null) {
  const found: string[] = [];
  let [after, pages] = ['' as string | null, 0];
  for (; after !== null; pages += 1) {
    const from: string = after;
    const page = await write({ app }, (t) => peopleIn(t, { audience, needs }, from, 3));
    found.push(...page.userSids);
    after = page.next;
  }
  return { found, pages };
}

test('the holders of a scope are found page by page: those who hold it here and now, each once', async () => {
  const holding = [];
  for (let at = 0; at < 4; at += 1) holding.push(await holder(['COMPLIANCE_MANAGER']));
  holding.push(await holder(['COMPLIANCE_MANAGER', 'COMPLIANCE_MANAGER', 'ADMIN']));
  holding.push(await holder(['COMPLIANCE_MANAGER'], { scopeKind: 'ACCOUNT' }));
  holding.push(await holder(['COMPLIANCE_MANAGER'], { environment: 'sandbox' }));
  const [expired, revoked] = [await holder(['COMPLIANCE_MANAGER']), await holder(['COMPLIANCE_MANAGER'])];
  await app.sql('update role_bindings set expires_at = $2 where principal_ref = $1', [
    expired.userSid,
    app.clock.now(),
  ]);
  await app.sql('update role_bindings set revoked_at = $2 where principal_ref = $1', [
    revoked.userSid,
    app.clock.now(),
  ]);
  await holder(['VIEWER']);
  await holder(['COMPLIANCE_MANAGER'], { environment: 'live' });
  const inbox = await desk.inbox();
  await desk.agent([inbox], 'COMPLIANCE_MANAGER');
  const { found, pages } = await everyoneIn({ scope: 'legal_holds:manage' });
  assert.deepEqual([found, pages], [sidsOf(holding), 3]);
});

test('the members of an inbox are those who may also read in it', async () => {
  const [inbox, other] = [await desk.inbox(), await desk.inbox()];
  const members = [
    await desk.agent([inbox]),
    await desk.agent([inbox, other]),
    await holder(['INBOX_MANAGER']),
  ];
  await desk.join(inbox, members[2]!.userSid);
  const [memberOnly, boundOnly] = [await desk.agent([]), await desk.agent([])];
  await desk.join(inbox, memberOnly.userSid);
  await desk.bind(inbox, boundOnly.userSid);
  await desk.agent([other]);
  assert.deepEqual((await everyoneIn({ part: inbox })).found, sidsOf(members));
});

test('a single person is told for as long as they hold what it takes, and a key never', async () => {
  const inbox = await desk.inbox();
  const [agent, viewer, biller] = [
    await desk.agent([inbox]),
    await holder(['VIEWER']),
    await holder(['BILLING_MANAGER']),
  ];
  const told = async ({ userSid }: Person, part: string | null = inbox) =>
    (await everyoneIn({ principal: `user:${userSid}`, part }, 'inboxes:read')).found.length > 0;
  assert.deepEqual([await told(agent), await told(viewer), await told(biller)], [true, true, false]);
  assert.equal(await told(agent, null), false);
  await app.delete(`${app.at}/inboxes/${inbox}/members/${agent.userSid}`);
  assert.equal(await told(agent), false);
  assert.deepEqual((await everyoneIn({ principal: `api_key:${crypto.randomUUID()}` })).found, []);
});

test('mail goes to the active, in their language, as they chose or as the category is by default', async () => {
  const [chose, plain, gone, invited] = [
    await holder(['VIEWER'], { livemode: true }),
    await holder(['VIEWER']),
    await holder(['VIEWER']),
    await holder(['VIEWER']),
  ];
  await app.sql("update users set locale = 'fr' where sid = any ($1)", [[chose.userSid, plain.userSid]]);
  await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
  await app.sql("update users set status = 'INVITED' where sid = $1", [invited.userSid]);
  const at = `${app.at}/notification-preferences`;
  await app.put(at, { category: 'conversation', email: true, inApp: true }, chose.headers);
  await app.put(`${at}/language`, { locale: 'en' }, chose.headers);
  const people = [chose, plain, gone, invited].map(({ userSid }) => userSid);
  const asked = (category: 'conversation' | 'security', livemode: boolean) =>
    write({ app, livemode }, (t) => recipientsAmong(t, people, category));
  const wanted = async (...of: Parameters<typeof asked>) =>
    (await asked(...of)).map(({ userSid, email, locale }) => [userSid, email, locale]);
  assert.deepEqual(await wanted('conversation', true), [
    [chose.userSid, true, 'en'],
    [plain.userSid, false, 'fr'],
  ]);
  assert.deepEqual(await wanted('security', true), [
    [chose.userSid, true, 'en'],
    [plain.userSid, true, 'fr'],
  ]);
  assert.deepEqual(await wanted('security', false), [
    [chose.userSid, false, 'fr'],
    [plain.userSid, false, 'fr'],
  ]);
  await write({ app, livemode: true }, (t) => endMail(t, chose.userSid, 'conversation'));
  assert.equal((await asked('conversation', true))[0]!.email, false);
  const { body } = await app.get(at, chose.headers);
  const conversation = body.categories.find(
    ({ category }: { category: string }) => category === 'conversation',
  );
  assert.deepEqual(conversation, { category: 'conversation', email: false, inApp: true });
});

test('what somebody has read is known, until it happens again', async () => {
  const [one, other] = [await holder(['ADMIN']), await holder(['ADMIN'])];
  const owner = { accountSid: app.accountSid, livemode: false, key: '' };
  const id = await tell({ app, owner }, { to: { scope: 'wabas:write' }, resource: 'TM1' });
  const unread = async () => {
    const isUnread = await write({ app }, (t) => unreadAmong(t, [id], [one.userSid, other.userSid]));
    return [one, other].map(({ userSid }) => isUnread(id, userSid));
  };
  assert.deepEqual(await unread(), [true, true]);
  await app.post(`${app.at}/notifications/${id}/read`, undefined, one.headers);
  assert.deepEqual(await unread(), [false, true]);
  await tell({ app, owner }, { to: { scope: 'wabas:write' }, resource: 'TM1' });
  assert.deepEqual(await unread(), [true, true]);
});
