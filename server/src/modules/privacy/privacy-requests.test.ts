import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Reply } from '../../../test/harness/app.ts';
import { peopleOf, phone, refused } from '../../../test/harness/contacts.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { person } from '../../../test/harness/people.ts';
import { privacyOf } from '../../../test/harness/privacy.ts';
import { newSid } from '../../platform/ids.ts';
import { verifyAudit } from '../audit/index.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { remindOfRequests } from './crons.ts';
import { mayMove, requestMoves, requestStates } from './states.ts';

const day = 24 * 60 * 60 * 1000;
const ownAccount = ownAccounts();

async function scene() {
  const app = await ownAccount();
  return { app, people: peopleOf(app), privacy: privacyOf(app) };
}

const pathsOf = ({ body }: Reply) => body.error.details.map(({ path }: { path: string }) => path).sort();

suite('a privacy request', () => {
  test('is answered with what it is about, due in 30 days, listed newest first, told of in events and the audit chain', async () => {
    const { app, people, privacy } = await scene();
    const [first, second] = [await people.contact(), await people.contact()];
    const one = await privacy.restrict(first.sid);
    app.clock.advance(1_000);
    const two = await privacy.restrict(second.sid);
    assert.deepEqual(
      [
        one.kind,
        one.state,
        one.found,
        one.subject,
        one.reason,
        one.operationSid,
        one.overdue,
        one.restriction,
      ],
      [
        'RESTRICTION',
        'ACTIVE',
        true,
        { contactSid: first.sid },
        'They wrote to us',
        null,
        false,
        { active: true, liftedAt: null, liftedBy: null },
      ],
    );
    assert.equal(Date.parse(one.dueAt) - Date.parse(one.createdAt), 30 * day);
    const page = await app.get(`${privacy.all}?limit=1`);
    assert.deepEqual([page.body.data, page.body.hasMore], [[two], true]);
    const rest = await app.get(`${privacy.all}?limit=1&cursor=${page.body.nextCursor}`);
    assert.deepEqual([rest.body.data, rest.body.hasMore], [[one], false]);
    assert.deepEqual(await privacy.get(one.sid), one);
    const told = await app.sql<{ type: string; data: { reason: null } }>(
      `select type, data from events where account_sid = $1 and type like any (array['privacy_request.%', 'contact.%restricted']) order by sequence`,
      [app.accountSid],
    );
    assert.deepEqual(
      told.map(({ type }) => type),
      ['contact.restricted', 'privacy_request.created', 'contact.restricted', 'privacy_request.created'],
    );
    assert.ok(!JSON.stringify(told).includes('They wrote to us'), 'the words are told nobody');
    assert.equal(
      await app.count(`audit_entries where action = 'privacy_request.created' and resource = '${one.sid}'`),
      1,
    );
    for await (const { broken } of verifyAudit(app.database, app.accountSid)) assert.equal(broken, null);
  });

  test('is about whoever has the identifier, in any way the number is written, and about the survivor of a merge', async () => {
    const { people, privacy } = await scene();
    const number = newPhone();
    const { sid } = await people.contact({ identifiers: [phone(number)] });
    const spaced = { identifierType: 'phone_e164', value: number.replace('+33', '+33 (0)') };
    const rectified = { changes: { displayName: 'Inès' } };
    assert.deepEqual((await privacy.asked('RECTIFICATION', spaced, rectified)).subject, { contactSid: sid });
    const other = await people.contact();
    await people.merge(other.sid, sid);
    const meant = await privacy.asked('RECTIFICATION', { contactSid: sid }, rectified);
    assert.deepEqual(meant.subject, { contactSid: other.sid });
  });

  for (const kind of ['ERASURE', 'ACCESS', 'PORTABILITY'])
    test(`of ${kind} for an identifier nobody has is done at once, and keeps nothing of it`, async () => {
      const { app, privacy } = await scene();
      const number = newPhone();
      const request = await privacy.asked(kind, { identifierType: 'phone_e164', value: number });
      assert.deepEqual(
        [request.state, request.found, request.subject, request.operationSid],
        ['COMPLETED', false, { contactSid: null }, null],
      );
      const [row] = await app.sql<{ row: string }>(
        'select to_json(r)::text as row from privacy_requests r where sid = $1',
        [request.sid],
      );
      assert.ok(!row!.row.includes(number.slice(1)));
      // Nothing is open: it can be asked again.
      assert.equal((await privacy.asked(kind, { identifierType: 'phone_e164', value: number })).found, false);
    });

  test("for nobody the account knows is NOT_FOUND where somebody is needed, and so is what is another's", async () => {
    const { app, people, privacy } = await scene();
    const nobody = { identifierType: 'phone_e164', value: newPhone() };
    refused(await privacy.ask('RESTRICTION', nobody), 404, 'NOT_FOUND');
    refused(await privacy.ask('RECTIFICATION', nobody, { changes: { locale: 'fr' } }), 404, 'NOT_FOUND');
    const unknown = { contactSid: newSid('CT', app.clock.now()) };
    for (const kind of ['ERASURE', 'ACCESS', 'PORTABILITY', 'RESTRICTION'])
      refused(await privacy.ask(kind, unknown), 404, 'NOT_FOUND');
    const live = privacyOf(app, { accountSid: app.accountSid, livemode: true });
    const { sid } = await people.contact();
    refused(await live.ask('RESTRICTION', { contactSid: sid }), 404, 'NOT_FOUND');
    const stranger = await app.newAccount();
    const foreign = privacyOf(app, { accountSid: stranger.accountSid, livemode: false });
    refused(await foreign.ask('RESTRICTION', { contactSid: sid }), 404, 'NOT_FOUND');
    const request = await privacy.restrict(sid);
    for (const elsewhere of [live, foreign]) {
      const { headers } = await elsewhere.owner();
      refused(await app.get(`${elsewhere.all}/${request.sid}`, headers), 404, 'NOT_FOUND');
      refused(await elsewhere.lift(request.sid), 404, 'NOT_FOUND');
      refused(await elsewhere.withdraw(request.sid), 404, 'NOT_FOUND');
    }
    assert.equal((await privacy.get(request.sid)).state, 'ACTIVE');
  });

  const contactSid = 'CT01K3C0N7AC7S0R0THERPERS0N0';
  for (const [what, body, paths] of [
    ['two forms of subject', { subject: { contactSid, value: '+33612345678' } }, ['subject']],
    ['no form of subject', { subject: {} }, ['subject']],
    ['a member a subject does not have', { subject: { contactSid, also: 1 } }, ['subject.also']],
    ['a subject that is no contact', { subject: { contactSid: 'SM1' } }, ['subject.contactSid']],
    [
      'a subject of a kind there is not',
      { subject: { identifierType: 'mail', value: 'x' } },
      ['subject.identifierType'],
    ],
    [
      'a number that cannot exist',
      { subject: { identifierType: 'phone_e164', value: '12' } },
      ['subject.value'],
    ],
    [
      'an id without its portfolio',
      { subject: { identifierType: 'bsuid', value: 'x' } },
      ['subject.scopeRef'],
    ],
    ['a value without its kind', { subject: { value: '+33612345678' } }, ['subject.identifierType']],
    ['a subject that is a text', { subject: contactSid }, ['subject']],
    ['a blank reason', { reason: ' \n' }, ['reason']],
    ['a reason that is too long', { reason: 'x'.repeat(2001) }, ['reason']],
    ['a kind there is not', { kind: 'FORGETTING' }, ['kind']],
    ['changes with another kind', { changes: { locale: 'fr' } }, ['changes']],
    ['no changes', { kind: 'RECTIFICATION' }, ['changes']],
    ['empty changes', { kind: 'RECTIFICATION', changes: {} }, ['changes']],
    ['changes of no attribute', { kind: 'RECTIFICATION', changes: { attributes: {} } }, ['changes']],
    [
      'changes that a contact does not have',
      { kind: 'RECTIFICATION', changes: { mail: 'x' } },
      ['changes', 'changes.mail'],
    ],
    [
      'a zone that is none',
      { kind: 'RECTIFICATION', changes: { timezone: 'Mars/Base' } },
      ['changes.timezone'],
    ],
    [
      'several things',
      { kind: 'RECTIFICATION', reason: ' ', subject: {}, changes: {} },
      ['changes', 'reason', 'subject'],
    ],
  ] as const)
    test(`with ${what} is refused at its place, before a second factor is used up`, async () => {
      const { app, privacy } = await scene();
      const { headers, stepUpToken } = await privacy.confirmed('PRIVACY_REQUEST_CREATE');
      const good = { kind: 'RESTRICTION', reason: 'Asked', subject: { contactSid }, stepUpToken };
      const reply = await app.post(privacy.all, { ...good, ...body }, headers);
      refused(reply, 400, 'VALIDATION_ERROR');
      assert.deepEqual(pathsOf(reply), [...paths].sort());
      assert.equal(await app.count('privacy_requests'), 0);
      refused(await app.post(privacy.all, good, headers), 404, 'NOT_FOUND');
    });

  test('takes a second factor for this very action, from everybody', async () => {
    const { app, people, privacy } = await scene();
    const { sid } = await people.contact();
    const { headers, stepUpToken } = await privacy.confirmed('LEGAL_HOLD_RELEASE');
    const body = { kind: 'RESTRICTION', reason: 'x', subject: { contactSid: sid }, stepUpToken };
    refused(await app.post(privacy.all, body, headers), 403, 'STEP_UP_REQUIRED', 'stepUpAction');
    refused(await app.post(privacy.all, body), 403, 'STEP_UP_REQUIRED');
    const request = await privacy.restrict(sid);
    const wrong = await privacy.confirmed('PRIVACY_REQUEST_CREATE');
    const lift = { reason: 'x', stepUpToken: wrong.stepUpToken };
    const path = `${privacy.all}/${request.sid}/lift-restriction`;
    refused(await app.post(path, lift, wrong.headers), 403, 'STEP_UP_REQUIRED', 'stepUpAction');
    const blank = await privacy.confirmed('PRIVACY_RESTRICTION_LIFT');
    const empty = await app.post(path, { reason: '', stepUpToken: blank.stepUpToken }, blank.headers);
    refused(empty, 400, 'VALIDATION_ERROR', 'reason');
    assert.equal((await privacy.get(request.sid)).state, 'ACTIVE');
  });

  test('is read by whoever may read, who is told nothing that the person is known by', async () => {
    const { app, people, privacy } = await scene();
    const number = newPhone();
    const { sid } = await people.contact({ identifiers: [phone(number)] });
    const request = await privacy.asked('RESTRICTION', { identifierType: 'phone_e164', value: number });
    const viewer = await person(app, { roles: ['VIEWER'], factor: 'none' });
    const shown = await app.get(`${privacy.all}/${request.sid}`, viewer.headers);
    assert.equal(shown.status, 200, shown.text);
    assert.deepEqual(shown.body.subject, { contactSid: sid });
    assert.ok(!shown.text.includes(number.slice(1)));
    refused(
      await app.post(`${privacy.all}/${request.sid}/withdraw`, undefined, viewer.headers),
      403,
      'AUTHORIZATION_ERROR',
    );
  });

  test('that is open lets no other of its kind be made for the person, by whatever name', async () => {
    const { people, privacy } = await scene();
    const number = newPhone();
    const [first, second] = [await people.contact({ identifiers: [phone(number)] }), await people.contact()];
    const open = await privacy.restrict(first.sid);
    const again = await privacy.ask('RESTRICTION', { identifierType: 'phone_e164', value: number });
    refused(again, 409, 'CONFLICT', 'subject');
    assert.ok(again.text.includes(open.sid), 'it is named');
    assert.equal((await privacy.ask('RESTRICTION', { contactSid: second.sid })).status, 202);
    await privacy.lifted(open.sid);
    assert.equal((await privacy.ask('RESTRICTION', { contactSid: first.sid })).status, 202);
  });

  test('made twice at the same moment is made once', async () => {
    const { app, people, privacy } = await scene();
    const { sid } = await people.contact();
    const replies = await Promise.all([1, 2, 3].map(() => privacy.ask('RESTRICTION', { contactSid: sid })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 409, 409]);
    assert.equal(await app.count('privacy_requests'), 1);
    assert.equal(await app.count('contact_restrictions'), 1);
  });
});

suite('a rectification', () => {
  test('changes the contact at once and keeps the names of what was changed, not the values', async () => {
    const { app, people, privacy } = await scene();
    const { sid } = await people.contact({
      displayName: 'Ines',
      attributes: { plan: 'gold', street: 'Rue 1' },
    });
    const changes = { displayName: 'Inès Durand', locale: null, attributes: { street: 'Rue 2', plan: null } };
    const request = await privacy.asked('RECTIFICATION', { contactSid: sid }, { changes });
    assert.deepEqual(
      [request.state, request.changedFields, request.completedAt],
      ['COMPLETED', ['displayName', 'locale', 'attributes.street', 'attributes.plan'], request.createdAt],
    );
    const contact = await people.read(sid);
    assert.deepEqual([contact.displayName, contact.attributes], ['Inès Durand', { street: 'Rue 2' }]);
    assert.deepEqual((await app.emitted()).slice(-3), [
      'contact.updated',
      'privacy_request.created',
      'privacy_request.completed',
    ]);
    const [row] = await app.sql<{ row: string }>(
      'select to_json(r)::text as row from privacy_requests r where sid = $1',
      [request.sid],
    );
    assert.ok(!row!.row.includes('Rue 2') && !row!.row.includes('Durand'));
  });

  test('is made also of a contact that is restricted, which nobody else may change', async () => {
    const { app, people, privacy } = await scene();
    const { sid } = await people.contact({ displayName: 'Wrong' });
    const { sid: requestSid } = await privacy.restrict(sid);
    const patched = await app.patch(`${app.at}/contacts/${sid}`, { displayName: 'Other' });
    refused(patched, 409, 'CONFLICT', 'contactSid');
    assert.ok(patched.text.includes(requestSid));
    await privacy.asked('RECTIFICATION', { contactSid: sid }, { changes: { displayName: 'Right' } });
    assert.deepEqual(
      [(await people.read(sid)).displayName, (await people.read(sid)).restrictedBy],
      ['Right', requestSid],
    );
  });

  test('of more attributes than a contact may have is refused at their place, and changes nothing', async () => {
    const { app, people, privacy } = await scene();
    const { sid } = await people.contact({ attributes: { kept: 'x'.repeat(40_000) } });
    const changes = { displayName: 'New', attributes: { more: 'x'.repeat(40_000) } };
    const reply = await privacy.ask('RECTIFICATION', { contactSid: sid }, { changes });
    refused(reply, 400, 'VALIDATION_ERROR');
    assert.ok(
      pathsOf(reply).every((path: string) => path.startsWith('changes.attributes')),
      reply.text,
    );
    assert.equal((await people.read(sid)).displayName, null);
    assert.equal(await app.count('privacy_requests'), 0);
  });
});

suite('what cannot be lifted or withdrawn', () => {
  test('restricts nothing by itself, or is no erasure: 409; what was lifted answers the same again', async () => {
    const { app, people, privacy } = await scene();
    const { sid } = await people.contact();
    const rectified = await privacy.asked(
      'RECTIFICATION',
      { contactSid: sid },
      { changes: { locale: 'fr' } },
    );
    refused(await privacy.lift(rectified.sid), 409, 'CONFLICT');
    refused(await privacy.withdraw(rectified.sid), 409, 'CONFLICT');
    const request = await privacy.restrict(sid);
    refused(await privacy.withdraw(request.sid), 409, 'CONFLICT');
    const lifted = await privacy.lifted(request.sid);
    const { userSid } = await privacy.owner();
    assert.deepEqual(
      [lifted.state, lifted.restriction],
      ['LIFTED', { active: false, liftedAt: lifted.updatedAt, liftedBy: `user:${userSid}` }],
    );
    app.clock.advance(60_000);
    assert.deepEqual(await privacy.lifted(request.sid), lifted);
    const events = (await app.emitted()).filter((type) => type === 'contact.unrestricted');
    assert.equal(events.length, 1);
    const unknown = newSid('DR', app.clock.now());
    refused(await privacy.lift(unknown), 404, 'NOT_FOUND');
    refused(await privacy.withdraw(unknown), 404, 'NOT_FOUND');
  });
});

test('every state is reached by a move or is a beginning, and nothing moves out of an end', () => {
  const beginnings = ['PENDING', 'ACTIVE'];
  const reached = Object.values(requestMoves).map(({ to }) => to as string);
  assert.deepEqual(
    requestStates.filter((state) => !reached.includes(state)),
    beginnings,
  );
  for (const move of Object.keys(requestMoves) as (keyof typeof requestMoves)[])
    for (const state of ['COMPLETED', 'WITHDRAWN', 'LIFTED'] as const)
      assert.equal(mayMove(state, move), false);
});

test('whoever may act is reminded a week and a day before a request is due and when it is, and of nothing that is done', async () => {
  const { app, people, privacy } = await scene();
  const { sid } = await people.contact();
  await privacy.restrict(sid);
  const { sid: waits } = await people.contact();
  const [row] = await app.sql<{ sid: string }>(
    `insert into privacy_requests (account_sid, livemode, sid, kind, state, contact_sid, found, reason, created_by, due_at, remind_at,
       created_at, updated_at)
     values ($1, false, $2, 'ACCESS', 'IN_PROGRESS', $3, true, 'x', 'test', $4::timestamptz + interval '30 days',
       $4::timestamptz + interval '23 days', $4, $4) returning sid`,
    [app.accountSid, newSid('DR', app.clock.now()), waits, app.clock.now()],
  );
  const remindersNow = async () => {
    await runCron(app, remindOfRequests);
    const rows = await app.sql<{ resource: string }>(
      `select resource from notifications where account_sid = $1 and type = 'privacy_request.due'`,
      [app.accountSid],
    );
    return rows.map(({ resource }) => resource);
  };
  assert.deepEqual(await remindersNow(), []);
  app.clock.advance(23 * day);
  for (let again = 0; again < 2; again += 1) assert.deepEqual(await remindersNow(), [row!.sid]);
  app.clock.advance(6 * day);
  assert.deepEqual(await remindersNow(), Array(2).fill(row!.sid));
  assert.equal((await privacy.get(row!.sid)).overdue, false);
  app.clock.advance(day + 1);
  for (let again = 0; again < 2; again += 1) assert.deepEqual(await remindersNow(), Array(3).fill(row!.sid));
  assert.equal((await privacy.get(row!.sid)).overdue, true);
  const { text } = await app.get('/metrics');
  const told = text.split('\n').filter((line) => line.startsWith('godwit_privacy_requests'));
  for (const name of ['godwit_privacy_requests', 'godwit_privacy_requests_overdue'])
    assert.ok(told.includes(`${name}{kind="ACCESS",state="IN_PROGRESS"} 1`), told.join('\n'));
});
