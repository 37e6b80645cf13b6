import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { onboardingOf, openForLive, staffFor } from '../../../../test/harness/onboarding.ts';
import { person } from '../../../../test/harness/people.ts';
import {
  approveIt,
  askFor,
  endTaskOf,
  listWaiting,
  rejectIt,
  requoteIt,
  revealIt,
  reviewIt,
} from '../../../main/commands/onboarding/onboarding.ts';
import { newSid } from '../../../platform/ids.ts';
import { roleCatalogue } from '../../roles/index.ts';
import { type ApplicationState, applicationStates } from '../states.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true, env: openForLive });
});

const inNewAccount = async () => onboardingOf(app, await app.newAccount());
const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const waits = { displayName: 'robot_waits', legalName: 'Depot SA' };

suite('who sees what a business says of itself', () => {
  test('of each role: whoever may read the account and belongs to it', async () => {
    const onboarding = await inNewAccount();
    const { accountSid, at } = onboarding;
    await onboarding.applied(waits);
    for (const [role, { scopes }] of Object.entries(roleCatalogue)) {
      if (role.startsWith('PLATFORM_')) continue;
      const who = await person(app, { accountSid, roles: [role] });
      const reply = await app.get(at, who.headers);
      if (!(scopes as readonly string[]).includes('accounts:read')) {
        assert.deepEqual(outcome(reply), [403, 'AUTHORIZATION_ERROR'], role);
        continue;
      }
      const [{ detailsState, details }] = reply.body.applications;
      assert.deepEqual([detailsState, details.legalName], ['OPEN', 'Depot SA'], role);
    }
  });

  test('of keys: those of the account that may read it, in its environment', async () => {
    const onboarding = await inNewAccount();
    const { accountSid, at } = onboarding;
    await onboarding.applied(waits);
    const own = await app.key(['accounts:read'], { accountSid });
    const [shown] = (await app.get(at, bearer(own.key))).body.applications;
    assert.equal(shown.detailsState, 'OPEN');
    const without = await app.key(['contacts:read'], { accountSid });
    assert.deepEqual(outcome(await app.get(at, bearer(without.key))), [403, 'AUTHORIZATION_ERROR']);
    const live = await app.key(['accounts:read'], { accountSid, livemode: true });
    assert.deepEqual((await app.get(at, bearer(live.key))).body.applications, []);
    const other = await app.newAccount();
    assert.deepEqual(outcome(await app.get(at, bearer(other.sandboxKey))), [403, 'AUTHORIZATION_ERROR']);
  });

  test('of an account below another: not whoever reaches it from above', async () => {
    const parent = await app.newAccount();
    const [{ organization_id: organization, region }] = (await app.sql<{
      organization_id: string;
      region: string;
    }>('select organization_id, region from accounts where sid = $1', [parent.accountSid])) as [
      { organization_id: string; region: string },
    ];
    const account = await app.newAccount();
    await app.sql('update accounts set organization_id = $2, parent_account_sid = $3 where sid = $1', [
      account.accountSid,
      organization,
      parent.accountSid,
    ]);
    assert.ok(region);
    const onboarding = onboardingOf(app, account);
    await onboarding.applied(waits);
    const above = await person(app, { accountSid: parent.accountSid, roles: ['OWNER'] });
    const [seen] = (await app.get(onboarding.at, above.headers)).body.applications;
    assert.deepEqual([seen.detailsState, seen.details], ['WITHHELD', null]);
    const within = await person(app, {
      accountSid: account.accountSid,
      roles: ['ADMIN'],
      scopeKind: 'ACCOUNT',
    });
    const [own] = (await app.get(onboarding.at, within.headers)).body.applications;
    assert.equal(own.detailsState, 'OPEN');
  });

  test('of staff: nobody, but for whoever asks with a second factor and a reason, which the customer sees', async () => {
    const onboarding = await inNewAccount();
    const { accountSid } = onboarding;
    const sid = await onboarding.applied(waits);
    const staff = await staffFor(app, onboarding);
    const [withheld] = (await staff.get()).body.applications;
    assert.deepEqual([withheld.detailsState, withheld.details], ['WITHHELD', null]);
    const revealed = await staff.reveal(sid);
    assert.equal(revealed.status, 200, revealed.text);
    assert.deepEqual([revealed.body.detailsState, revealed.body.details.legalName], ['OPEN', 'Depot SA']);
    const [entry] = await app.sql<{ actor: string; payload: string }>(
      `select actor, payload from audit_entries where account_sid = $1 and action = 'managed_application.details_revealed'`,
      [accountSid],
    );
    assert.equal(entry!.actor, `user:${staff.who.userSid}`);
    assert.equal(JSON.parse(entry!.payload).facts.reason, 'To look it up');
    await app.sql(`update managed_applications set details = '\\x01'::bytea where sid = $1`, [sid]);
    const broken = await staff.reveal(sid);
    assert.deepEqual(
      [broken.status, broken.body.detailsState, broken.body.details],
      [200, 'UNREADABLE', null],
    );
  });
});

suite('what only staff may do', () => {
  test('is refused to owners, administrators and keys of the account', async () => {
    const onboarding = await inNewAccount();
    const { at, accountSid, headers } = onboarding;
    const sid = await onboarding.applied(waits);
    const owner = await person(app, { accountSid });
    for (const who of [headers, owner.headers])
      for (const [verb, body] of Object.entries({
        review: undefined,
        'request-information': { request: 'x' },
        requote: { reason: 'x' },
        approve: { stepUpToken: 'x' },
        reject: { reason: 'x' },
        retry: undefined,
        reveal: { reason: 'x', stepUpToken: 'x' },
        tasks: { task: 'PORT_NUMBER', outcome: 'DONE' },
      }))
        assert.deepEqual(
          outcome(await app.post(`${at}/${sid}/${verb}`, body, who)),
          [403, 'AUTHORIZATION_ERROR'],
          verb,
        );
    assert.equal((await onboarding.get(sid)).state, 'SUBMITTED');
  });

  test('happens where the table allows it and is a conflict elsewhere', async () => {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied(waits);
    const staff = await staffFor(app, onboarding);
    const acts: [string, () => Promise<Reply>, ApplicationState[]][] = [
      ['review', () => staff.review(sid), ['SUBMITTED']],
      ['request-information', () => staff.requestInformation(sid), ['IN_REVIEW']],
      ['requote', () => staff.requote(sid), ['IN_REVIEW', 'QUOTE_CHANGED']],
      ['approve', () => staff.approve(sid), ['IN_REVIEW']],
      ['retry', () => staff.retry(sid), ['FAILED']],
      ['reject', () => staff.reject(sid), ['IN_REVIEW', 'INFORMATION_REQUESTED', 'QUOTE_CHANGED', 'FAILED']],
    ];
    for (const state of applicationStates)
      for (const [what, act, where] of acts) {
        // Whatever an earlier act set aside is given back first: the books must be right when this ends.
        await app.sql(
          `update managed_applications set state = $2, fee_state = case when $2 in ('APPROVED', 'PROVISIONING', 'PORTING')
             then 'HELD' else 'NONE' end, information_request = 'x',
             offer = case when $2 = 'QUOTE_CHANGED' then json_build_object('content', accepted, 'termsText', 'x') end
           where sid = $1`,
          [sid, state],
        );
        const reply = await act();
        if (where.includes(state)) assert.equal(reply.status, 200, `${what} when ${state}: ${reply.text}`);
        else assert.deepEqual(outcome(reply), [409, 'CONFLICT'], `${what} when ${state}`);
      }
  });

  test('is refused where an application of the same name is another account’s, or what is said makes no sense', async () => {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied(waits);
    const staff = await staffFor(app, onboarding);
    const stranger = newSid('MA', app.clock.now());
    assert.deepEqual(outcome(await staff.review(stranger)), [404, 'NOT_FOUND']);
    assert.deepEqual(outcome(await staff.reveal(stranger)), [404, 'NOT_FOUND']);
    const bodies: [object, string][] = [
      [{ task: 'ORDER_NUMBER', outcome: 'DONE' }, 'number'],
      [{ task: 'PORT_NUMBER', outcome: 'DONE', code: '123456' }, 'code'],
      [{ task: 'READ_CODE', outcome: 'DONE', code: '12345' }, 'code'],
      [{ task: 'CREATE_ACCOUNT', outcome: 'DONE', providerWabaId: 'x' }, 'providerWabaId'],
      [{ task: 'READ_CODE', outcome: 'FAILED' }, 'reason'],
    ];
    for (const [body, path] of bodies) {
      const reply = await staff.task(sid, body);
      assert.deepEqual(
        [...outcome(reply), reply.body.error.details[0].path],
        [400, 'VALIDATION_ERROR', path],
        JSON.stringify(body),
      );
    }
    const nobody = await staff.task(sid, { task: 'PORT_NUMBER', outcome: 'DONE' });
    assert.deepEqual(outcome(nobody), [409, 'CONFLICT']);
  });
});

suite('the command line', () => {
  test('decides as staff does, in the words of the API where it is refused', async () => {
    const onboarding = await inNewAccount();
    const { accountSid } = onboarding;
    const sid = await onboarding.applied(waits);
    const where = {
      database: app.database,
      clock: app.clock,
      log: app.log,
      tenant: { accountSid, livemode: false },
    };
    const [listed] = (await listWaiting(where, false)).filter((one) => one.sid === sid);
    assert.deepEqual([listed!.state, listed!.accountSid], ['SUBMITTED', accountSid]);
    await assert.rejects(approveIt(where, sid), /SUBMITTED: it cannot become APPROVED/);
    assert.equal((await reviewIt(where, sid)).state, 'IN_REVIEW');
    assert.equal((await requoteIt(where, sid, 'x', {})).state, 'QUOTE_CHANGED');
    assert.throws(() => requoteIt(where, sid, 'x', { setup: '1' }), /Name all of/);
    const offered = await requoteIt(where, sid, 'x', { setup: '1', number: '2', rent: '3' });
    const { body } = await onboarding.quote('PURCHASE', sid);
    assert.deepEqual(
      [body.fingerprint, body.dueOnApproval.amountMinor],
      [offered.offeredQuoteFingerprint, '6'],
    );
    const accepted = await app.post(
      `${onboarding.at}/${sid}/accept-quote`,
      onboarding.acceptanceOf({ body } as Reply),
      onboarding.headers,
    );
    assert.equal(accepted.body.state, 'IN_REVIEW');
    assert.equal(
      (await askFor(where, sid, 'The extract, please.')).informationRequest,
      'The extract, please.',
    );
    assert.equal((await revealIt(where, sid, 'x')).details!.legalName, 'Depot SA');
    assert.throws(() => endTaskOf(where, sid, { task: 'READ_CODE', outcome: 'DONE' }), /code is required/);
    assert.equal((await rejectIt(where, sid, 'No.')).state, 'REJECTED');
  });
});
