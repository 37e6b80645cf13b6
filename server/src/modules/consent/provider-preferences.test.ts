import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { until } from '../../../test/harness/until.ts';
import {
  callback,
  phoneNumberId,
  preferenceOf,
} from '../../adapters/whatsapp/from-wire/callbacks.test-data.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { deliver } from '../provider/callbacks.test-data.ts';
import type { Routed, UserPreference } from '../provider/index.ts';
import { insertSender } from '../senders/fixtures.ts';
import { applyUserPreferences } from './provider-preferences.ts';

const at = (minutes: number) => new Date(Date.parse('2026-08-21T09:00:00.000Z') + minutes * 60_000);
const wish = (value: 'stop' | 'resume', minutes: number, more: object = {}): Routed<UserPreference> => ({
  user: { waId: '33612003400', bsuid: null, parentBsuid: null },
  profileName: 'Ines',
  category: 'marketing_messages',
  value,
  detail: 'User asked',
  occurredAt: at(minutes),
  senderSid: null,
  wabaSid: null,
  ...more,
});

const apply = (app: TestApp, ...items: Routed<UserPreference>[]) =>
  app.database.write(
    { accountSid: app.accountSid, livemode: false },
    { principal: systemPrincipal('provider', false), now: app.clock.now(), requestId: 't', log: silentLog },
    (t) => applyUserPreferences(t, items),
  );

async function state(app: TestApp) {
  const suppressions = await app.sql(
    'select reason, scope, lifted_at is null as stands from suppressions where account_sid = $1 order by sid',
    [app.accountSid],
  );
  const consents = await app.sql('select payload from consents where account_sid = $1 order by sequence', [
    app.accountSid,
  ]);
  return {
    suppressions: suppressions.map(({ reason, scope, stands }) => [reason, scope, stands]),
    consents: consents
      .map(({ payload }) => JSON.parse(payload))
      .map(({ status, source, purpose }) => [purpose, status, source]),
  };
}

const ownAccount = ownAccounts();

suite('what people tell the provider about our marketing', () => {
  test('a stop suppresses marketing and is recorded, for somebody nobody knew before', async () => {
    const app = await ownAccount();
    await apply(app, wish('stop', 0));
    assert.deepEqual(await state(app), {
      suppressions: [['PROVIDER_MARKETING_OPT_OUT', 'MARKETING', true]],
      consents: [['MARKETING', 'OPTED_OUT', 'PROVIDER']],
    });
    const { body } = await app.get(`${app.at}/contacts?identifier=%2B33612003400`);
    assert.equal(body.data[0].displayName, 'Ines');
    assert.equal(body.data[0].consent.MARKETING.status, 'OPTED_OUT');
  });
  test('a resume lifts that suppression and no other, and is recorded', async () => {
    const app = await ownAccount();
    await apply(app, wish('stop', 0));
    await app.post(`${app.at}/suppressions`, {
      identifier: '+33612003400',
      identifierType: 'phone_e164',
      reason: 'COMPLAINT',
      scope: 'MARKETING',
    });
    await apply(app, wish('resume', 1));
    assert.deepEqual(await state(app), {
      suppressions: [
        ['PROVIDER_MARKETING_OPT_OUT', 'MARKETING', false],
        ['COMPLAINT', 'MARKETING', true],
      ],
      consents: [
        ['MARKETING', 'OPTED_OUT', 'PROVIDER'],
        ['MARKETING', 'OPTED_IN', 'PROVIDER'],
      ],
    });
  });
  test('what was said last counts, in whatever order it arrives', async () => {
    const app = await ownAccount();
    await apply(app, wish('resume', 5));
    await apply(app, wish('stop', 1));
    assert.deepEqual((await state(app)).suppressions, []);
    await apply(app, wish('resume', 20), wish('stop', 10));
    assert.deepEqual((await state(app)).suppressions, [['PROVIDER_MARKETING_OPT_OUT', 'MARKETING', false]]);
  });
  test('a late resume takes back no decision made elsewhere since', async () => {
    const app = await ownAccount();
    await apply(app, wish('stop', 0));
    const { body } = await app.get(`${app.at}/contacts?identifier=%2B33612003400`);
    const consent = { purpose: 'MARKETING', status: 'OPTED_OUT', source: 'FORM' };
    const recorded = await app.post(`${app.at}/contacts/${body.data[0].sid}/consents`, consent);
    assert.equal(recorded.status, 201);
    await apply(app, wish('resume', 1));
    assert.deepEqual((await state(app)).suppressions, [['PROVIDER_MARKETING_OPT_OUT', 'MARKETING', true]]);
  });
  test('a clock that runs ahead is no obstacle', async () => {
    const app = await ownAccount();
    await apply(app, wish('stop', 24 * 60));
    assert.equal((await state(app)).consents.length, 1);
  });
  test('other categories and people without a usable name are left alone', async () => {
    const app = await ownAccount();
    const nobody = { user: { waId: '12', bsuid: 'FR.1', parentBsuid: null } };
    await apply(app, wish('stop', 0, { category: 'other' }), wish('stop', 0, nobody));
    assert.deepEqual(await state(app), { suppressions: [], consents: [] });
  });
  test('a callback brings it all about', async (context) => {
    const app = await startTestApp(context, { role: 'all' });
    const sender = await insertSender(app, { accountSid: app.accountSid, livemode: false });
    await app.sql('update senders set provider_phone_number_id = $1 where sid = $2', [phoneNumberId, sender]);
    const told = callback(preferenceOf('stop', 1787000000));
    assert.equal((await deliver(app, told)).status, 200);
    assert.equal((await deliver(app, told)).status, 200);
    await until('the callback is worked on', async () => (await app.count('provider_callback_work')) === 0);
    assert.deepEqual(await state(app), {
      suppressions: [['PROVIDER_MARKETING_OPT_OUT', 'MARKETING', true]],
      consents: [['MARKETING', 'OPTED_OUT', 'PROVIDER']],
    });
  });
});
