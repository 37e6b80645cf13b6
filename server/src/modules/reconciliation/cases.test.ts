import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { atOnce } from '../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { caseStates, isSettled, movesFrom } from './cases/states.ts';
import { fixtures } from './fixtures.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const decision = { evidence: { ticket: 'SUP-1' }, reason: 'Confirmed.', resolution: 'resolved' };
const newCase = () =>
  fixtures.caseSid!({ app, owner: { accountSid: app.accountSid, livemode: false, key: app.sandboxKey } });
const at = (sid = '') => `${app.at}/billing/reconciliation-cases${sid && `/${sid}`}`;

suite('a case', () => {
  test('is decided once, keeps the decision, and tells of it', async () => {
    const sid = await newCase();
    const { status, body } = await app.post(`${at(sid)}/resolve`, decision);
    assert.equal(status, 200);
    const { reason, evidence, decision: decided, adjusted } = body.resolution;
    assert.deepEqual(
      [body.state, body.version, reason, evidence, decided, adjusted],
      ['resolved', 2, 'Confirmed.', { ticket: 'SUP-1' }, 'resolved', null],
    );
    for (const resolution of ['resolved', 'rejected']) {
      const again = await app.post(`${at(sid)}/resolve`, { ...decision, resolution });
      assert.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
    }
    assert.deepEqual((await app.get(at(sid))).body, body);
  });

  test('that fifty decide at once is decided by one', async () => {
    const sid = await newCase();
    const done = await atOnce(Array.from({ length: 50 }), () => app.post(`${at(sid)}/resolve`, decision));
    const statuses = done.map((one) => (one.status === 'fulfilled' ? one.value.status : 0));
    assert.deepEqual(
      [
        statuses.filter((status) => status === 200).length,
        statuses.filter((status) => status === 409).length,
      ],
      [1, 49],
    );
  });

  test('is listed by state and outcome, the newest first', async () => {
    const [older, newer] = [await newCase(), await newCase()];
    await app.post(`${at(older)}/resolve`, { ...decision, resolution: 'rejected' });
    const listed = async (query: string) =>
      (await app.get(`${at()}?${query}`)).body.data.map(({ sid }: { sid: string }) => sid);
    assert.ok((await listed('state=rejected')).includes(older));
    assert.ok(!(await listed('state=rejected')).includes(newer));
    const all = await listed('outcome=unexpected_provider_charge&limit=2');
    assert.deepEqual(all, [newer, older]);
    assert.deepEqual(await listed('outcome=amount_mismatch'), []);
  });

  test('with a decision nobody can read is refused with everything that is wrong', async () => {
    const sid = await newCase();
    const { status, body } = await app.post(`${at(sid)}/resolve`, {
      evidence: 'none',
      reason: ' ',
      resolution: 'forgotten',
      more: 1,
    });
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR']);
    const paths = body.error.details.map(({ path }: { path: string }) => path).sort();
    assert.deepEqual(paths, ['evidence', 'more', 'reason', 'resolution']);
    const blank = await app.post(`${at(sid)}/resolve`, { ...decision, reason: ' ' });
    assert.deepEqual([blank.status, blank.body.error.details[0].path], [400, 'reason']);
    const hostile = {
      ...decision,
      reason: '=cmd|\u202e<b>',
      evidence: { '=1+1': [{ deep: null }] },
    };
    assert.equal((await app.post(`${at(sid)}/resolve`, hostile)).status, 200);
    assert.equal((await app.get(at(sid))).body.resolution.reason, hostile.reason);
  });

  test('of another account or environment is not there', async () => {
    const sid = await newCase();
    const other = await app.newAccount();
    const path = `/v1/accounts/${other.accountSid}/billing/reconciliation-cases/${sid}`;
    assert.equal((await app.get(path, bearer(other.sandboxKey))).status, 404);
    assert.equal((await app.get(at(sid), bearer(app.liveKey))).status, 404);
  });
});

test('a settled case moves nowhere, and every state can be come to', () => {
  assert.deepEqual(caseStates.filter(isSettled), ['resolved', 'rejected']);
  const reached = new Set(['open', ...Object.values(movesFrom).flat()]);
  assert.deepEqual([...reached].sort(), [...caseStates].sort());
});

test('open cases are counted for operators, by outcome', async () => {
  await newCase();
  const text = await (await fetch(`${app.url}/metrics`)).text();
  assert.match(
    text,
    /godwit_reconciliation_cases_open\{outcome="unexpected_provider_charge",environment="sandbox"\} [1-9]/,
  );
  assert.match(text, /godwit_reconciliation_cases_open\{outcome="amount_mismatch",environment="live"\} 0/);
});
