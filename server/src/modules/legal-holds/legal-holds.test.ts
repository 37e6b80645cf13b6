import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer, type Reply, type TestApp } from '../../../test/harness/app.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { person } from '../../../test/harness/people.ts';
import { crons } from '../../main/modules.ts';
import { newSid } from '../../platform/ids.ts';
import { verifyAudit } from '../audit/index.ts';
import { fixtures as contactFixtures } from '../contacts/fixtures.ts';

const ownAccount = ownAccounts();
const accountHold = { caseRef: 'Case 1', scope: { type: 'ACCOUNT' } };
const at = (app: TestApp) => `${app.at}/legal-holds`;
const unknown = '01990000-0000-7000-8000-000000000009';

async function placed(app: TestApp, body: object = {}, headers?: object) {
  const reply = await app.post(at(app), { ...accountHold, ...body }, headers);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

type Releaser = { headers: object; stepUp(action: string): Promise<string> };

const release = async (app: TestApp, by: Releaser, id: string): Promise<Reply> =>
  app.post(
    `${at(app)}/${id}/release`,
    { caseRef: 'Closed', stepUpToken: await by.stepUp('LEGAL_HOLD_RELEASE') },
    by.headers,
  );

const compliance = (app: TestApp) => person(app, { roles: ['PLATFORM_COMPLIANCE'] });
const decide = (app: TestApp, by: Releaser, sid: string, how: 'approve' | 'reject') =>
  app.post(`${app.at}/approvals/${sid}/${how}`, how === 'reject' ? { reason: 'No' } : {}, by.headers);

/** Asked for by one of the platform; the approval that waits. */
async function askedFor(app: TestApp, by: Releaser, body: object = {}): Promise<string> {
  const reply = await app.post(at(app), { ...accountHold, ...body }, by.headers);
  assert.deepEqual([reply.status, reply.body.error.code], [403, 'APPROVAL_REQUIRED'], reply.text);
  return reply.body.error.details[0].issue;
}

const codeOf = ({ status, body }: Reply) => [status, body.error?.code];

suite('a hold of the account', () => {
  test('stands at once, is listed newest first, and is told of in events and the audit chain', async () => {
    const app = await ownAccount();
    const first = await placed(app);
    app.clock.advance(1_000);
    const second = await placed(app, {
      scope: { type: 'DATE_RANGE', from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    });
    assert.deepEqual(
      [first.placedBy, first.state, first.customerVisible, first.approvalSid, first.placedAt],
      ['ACCOUNT', 'STANDING', true, null, first.createdAt],
    );
    const page = await app.get(`${at(app)}?limit=1`);
    assert.deepEqual(page.body.data, [second]);
    const rest = await app.get(`${at(app)}?limit=1&cursor=${page.body.nextCursor}`);
    assert.deepEqual([rest.body.data, rest.body.hasMore], [[first], false]);
    assert.deepEqual(await app.emitted(), ['legal_hold.placed', 'legal_hold.placed']);
    assert.equal(
      await app.count(`audit_entries where action = 'legal_hold.placed' and resource = '${first.id}'`),
      1,
    );
  });

  test('is released by the account with a second factor, once; again it answers the same', async () => {
    const app = await ownAccount();
    const owner = await person(app);
    const { id } = await placed(app);
    const released = await release(app, owner, id);
    assert.equal(released.status, 200, released.text);
    assert.deepEqual(
      [released.body.state, released.body.releaseCaseRef, released.body.releasedBy],
      ['RELEASED', 'Closed', `user:${owner.userSid}`],
    );
    assert.equal(await app.count('legal_hold_marks'), 0);
    app.clock.advance(60_000);
    assert.deepEqual((await release(app, owner, id)).body, released.body);
    assert.deepEqual(await app.emitted(), ['legal_hold.placed', 'legal_hold.released']);
  });

  test('is not released without a factor, by one for something else, or by the platform', async () => {
    const app = await ownAccount();
    const owner = await person(app);
    const { id } = await placed(app);
    const path = `${at(app)}/${id}/release`;
    for (const headers of [owner.headers, bearer(app.sandboxKey)])
      assert.deepEqual(codeOf(await app.post(path, { caseRef: 'x' }, headers)), [403, 'STEP_UP_REQUIRED']);
    const stepUpToken = await owner.stepUp('API_KEY_CREATE');
    const wrong = await app.post(path, { caseRef: 'x', stepUpToken }, owner.headers);
    assert.deepEqual(codeOf(wrong), [403, 'STEP_UP_REQUIRED']);
    assert.deepEqual(codeOf(await release(app, await compliance(app), id)), [403, 'AUTHORIZATION_ERROR']);
    assert.deepEqual(codeOf(await release(app, owner, unknown)), [404, 'NOT_FOUND']);
    assert.equal((await app.get(at(app))).body.data[0].state, 'STANDING');
  });

  test('of another account or environment is nowhere', async () => {
    const app = await ownAccount();
    const { id } = await placed(app);
    const other = await app.newAccount();
    const foreign = await person(app, { accountSid: other.accountSid });
    const stepUpToken = await foreign.stepUp('LEGAL_HOLD_RELEASE');
    const path = `/v1/accounts/${other.accountSid}/legal-holds/${id}/release`;
    assert.deepEqual(codeOf(await app.post(path, { caseRef: 'x', stepUpToken }, foreign.headers)), [
      404,
      'NOT_FOUND',
    ]);
    const live = await person(app, { livemode: true });
    assert.deepEqual(codeOf(await release(app, live, id)), [404, 'NOT_FOUND']);
    assert.deepEqual((await app.get(at(app), live.headers)).body.data, []);
  });
});

suite('bad input', () => {
  const sid = (prefix: 'CT' | 'CO' | 'CP') => newSid(prefix, new Date('2026-08-21'));
  const wrong: [string, object, string[]][] = [
    ['no scope', { scope: undefined }, ['scope']],
    ['a scope that is no object', { scope: 'ACCOUNT' }, ['scope']],
    ['a scope without a type', { scope: {} }, ['scope.type']],
    ['a type nobody knows', { scope: { type: 'EVERYTHING' } }, ['scope.type']],
    ['a type that is an inherited name', { scope: { type: 'constructor' } }, ['scope.type']],
    ['members of another type', { scope: { type: 'ACCOUNT', contactSid: sid('CT') } }, ['scope.contactSid']],
    ['a contact without a SID', { scope: { type: 'CONTACT' } }, ['scope.contactSid']],
    ['a contact that is none', { scope: { type: 'CONTACT', contactSid: sid('CO') } }, ['scope.contactSid']],
    [
      'a conversation that is null',
      { scope: { type: 'CONVERSATION', conversationSid: null } },
      ['scope.conversationSid'],
    ],
    ['a campaign that is a list', { scope: { type: 'CAMPAIGN', campaignSid: [] } }, ['scope.campaignSid']],
    ['a range without ends', { scope: { type: 'DATE_RANGE' } }, ['scope.from', 'scope.to']],
    [
      'a range of days that do not exist',
      { scope: { type: 'DATE_RANGE', from: '2026-02-30T00:00:00Z', to: 'tomorrow' } },
      ['scope.from', 'scope.to'],
    ],
    [
      'a range that ends where it begins',
      { scope: { type: 'DATE_RANGE', from: '2026-02-01T00:00:00Z', to: '2026-02-01T01:00:00+01:00' } },
      ['scope.to'],
    ],
    ['a blank case', { caseRef: ' ' }, ['caseRef']],
    ['a long case', { caseRef: 'x'.repeat(129) }, ['caseRef']],
    ['a hold the account could not see', { customerVisible: false }, ['customerVisible']],
    ['an approval by the account', { approvalSid: newSid('AP', new Date('2026-08-21')) }, ['approvalSid']],
    [
      'everything at once',
      { caseRef: '', customerVisible: false, scope: {} },
      ['caseRef', 'customerVisible', 'scope.type'],
    ],
    ['an unknown member', { note: 'x' }, ['note']],
  ];
  for (const [what, body, paths] of wrong) {
    test(`${what} is refused at its place, and nothing is held`, async () => {
      const app = await ownAccount();
      const reply = await app.post(at(app), { ...accountHold, ...body });
      assert.deepEqual(codeOf(reply), [400, 'VALIDATION_ERROR'], reply.text);
      assert.deepEqual(reply.body.error.details.map(({ path }: { path: string }) => path).sort(), paths);
      assert.equal(await app.count('legal_holds'), 0);
    });
  }

  test('what is not there, or is somebody else’s, cannot be held', async () => {
    const app = await ownAccount();
    const other = await app.newAccount();
    const contactOf = (accountSid: string, livemode: boolean, key: string) =>
      contactFixtures.contactSid!({ app, owner: { accountSid, livemode, key } });
    const foreign = await contactOf(other.accountSid, false, other.sandboxKey);
    const live = await contactOf(app.accountSid, true, app.liveKey);
    for (const scope of [
      { type: 'CONTACT', contactSid: sid('CT') },
      { type: 'CONTACT', contactSid: foreign },
      { type: 'CONTACT', contactSid: live },
      { type: 'CONVERSATION', conversationSid: sid('CO') },
      { type: 'CAMPAIGN', campaignSid: sid('CP') },
    ])
      assert.deepEqual(codeOf(await app.post(at(app), { ...accountHold, scope })), [404, 'NOT_FOUND']);
    assert.equal(await app.count('legal_hold_marks'), 0);
  });
});

suite('a hold of the platform', () => {
  test('waits for a second person of its compliance, keeps everything meanwhile, and stands once they agree', async () => {
    const app = await ownAccount();
    const [asking, agreeing] = [await compliance(app), await compliance(app)];
    const sid = await askedFor(app, asking);
    const [waiting] = (await app.get(at(app))).body.data;
    assert.deepEqual([waiting.placedBy, waiting.state, waiting.approvalSid], ['PLATFORM', 'PENDING', sid]);
    assert.equal(await app.count('legal_hold_marks where until is not null'), 1);
    const early = await app.post(at(app), { ...accountHold, approvalSid: sid }, asking.headers);
    assert.deepEqual(codeOf(early), [403, 'APPROVAL_REQUIRED']);
    assert.deepEqual(codeOf(await decide(app, asking, sid, 'approve')), [403, 'AUTHORIZATION_ERROR']);
    const owner = await person(app);
    assert.deepEqual(codeOf(await decide(app, owner, sid, 'approve')), [403, 'AUTHORIZATION_ERROR']);
    const approved = await decide(app, agreeing, sid, 'approve');
    assert.equal(approved.body.result.state, 'STANDING', approved.text);
    assert.equal(await app.count('legal_hold_marks where until is null'), 1);
    const named = await app.post(at(app), { ...accountHold, approvalSid: sid }, asking.headers);
    assert.deepEqual([named.status, named.body.id], [201, waiting.id]);
    assert.deepEqual(await app.emitted(), ['approval.requested', 'legal_hold.placed', 'approval.approved']);
    const other = await app.post(
      at(app),
      { ...accountHold, caseRef: 'Another', approvalSid: sid },
      asking.headers,
    );
    assert.deepEqual(
      [...codeOf(other), other.body.error.details[0].path],
      [400, 'VALIDATION_ERROR', 'approvalSid'],
    );
  });

  test('that is rejected, or that nobody agrees to within 7 days, keeps nothing any more', async () => {
    const app = await ownAccount();
    const [asking, deciding] = [await compliance(app), await compliance(app)];
    const rejected = await askedFor(app, asking);
    assert.equal((await decide(app, deciding, rejected, 'reject')).status, 200);
    const named = await app.post(at(app), { ...accountHold, approvalSid: rejected }, asking.headers);
    assert.deepEqual(codeOf(named), [409, 'CONFLICT']);
    await askedFor(app, asking, { caseRef: 'Case 2' });
    app.clock.advance(7 * 24 * 60 * 60 * 1000);
    const told = (await app.get(at(app))).body.data.map(({ state }: { state: string }) => state);
    assert.deepEqual(told, ['REFUSED', 'REFUSED']);
    await runCron(app, crons.find(({ name }) => name === 'approvals.expire')!);
    assert.equal(await app.count("legal_holds where state = 'REFUSED'"), 2);
    assert.equal(await app.count('legal_hold_marks'), 0);
  });

  test('is released by the platform’s compliance alone', async () => {
    const app = await ownAccount();
    const [asking, agreeing] = [await compliance(app), await compliance(app)];
    await decide(app, agreeing, await askedFor(app, asking), 'approve');
    const [{ id }] = (await app.get(at(app))).body.data;
    const staff = await person(app, { roles: ['PLATFORM_STAFF'] });
    for (const by of [await person(app), staff])
      assert.deepEqual(codeOf(await release(app, by, id)), [403, 'AUTHORIZATION_ERROR']);
    assert.equal((await release(app, asking, id)).body.state, 'RELEASED');
  });
});

test('a hold the customer may not see is betrayed by no list, event, approval, notification, audit page or refusal', async () => {
  const app = await ownAccount();
  const owner = await person(app);
  const [asking, agreeing] = [await compliance(app), await compliance(app)];
  const ownerToken = () => owner.stepUp('LEGAL_HOLD_RELEASE');
  const tokens = [await ownerToken(), await ownerToken(), await ownerToken()];
  const lists = [
    'legal-holds',
    'approvals',
    'audit-events',
    'events',
    'notifications',
    'operations',
    'contacts',
  ];
  const look = async () => {
    const texts = [];
    for (const list of lists) {
      const { status, text } = await app.get(`${app.at}/${list}?limit=100`, owner.headers);
      assert.equal(status, 200, `${list}: ${text}`);
      texts.push(text);
    }
    return texts;
  };
  const before = await look();
  const hidden = { customerVisible: false, caseRef: 'Secret 7' };
  const sid = await askedFor(app, asking, hidden);
  assert.deepEqual(await look(), before);
  const anonymous = ({ status, text }: Reply) => [status, text.replace(/"requestId":"[^"]*"/, '')];
  const noApproval = newSid('AP', app.clock.now());
  for (const path of ['', '/approve', '/reject']) {
    const ask = (one: string) =>
      path === ''
        ? app.get(`${app.at}/approvals/${one}`, owner.headers)
        : app.post(
            `${app.at}/approvals/${one}${path}`,
            path === '/reject' ? { reason: 'x' } : {},
            owner.headers,
          );
    assert.deepEqual(anonymous(await ask(sid)), anonymous(await ask(noApproval)));
  }
  assert.equal((await app.get(`${app.at}/approvals/${sid}`, agreeing.headers)).body.state, 'PENDING');
  assert.equal((await decide(app, agreeing, sid, 'approve')).status, 200);
  const rejected = await askedFor(app, asking, { ...hidden, caseRef: 'Secret 8' });
  assert.equal((await decide(app, agreeing, rejected, 'reject')).status, 200);
  await askedFor(app, asking, { ...hidden, caseRef: 'Secret 9' });
  assert.deepEqual(await look(), before);
  const { data } = (await app.get(at(app), agreeing.headers)).body;
  assert.equal(data.length, 3);
  const { id } = data.find(({ caseRef }: { caseRef: string }) => caseRef === hidden.caseRef);
  const refusalOf = async (one: string) =>
    anonymous(
      await app.post(`${at(app)}/${one}/release`, { caseRef: 'x', stepUpToken: tokens.pop() }, owner.headers),
    );
  const refusals = [await refusalOf(id), await refusalOf(unknown)];
  assert.equal(refusals[0]![0], 404);
  assert.deepEqual(refusals[0], refusals[1]);
  const afterRefusals = await look();
  assert.equal((await release(app, asking, id)).status, 200);
  assert.deepEqual(await look(), afterRefusals);
  const chains = new Set<string>();
  for await (const { chain, broken } of verifyAudit(app.database, app.accountSid)) {
    assert.equal(broken, null);
    chains.add(chain);
  }
  assert.deepEqual([...chains], ['audit', 'platform']);
});
