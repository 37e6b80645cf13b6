// The calls that bring a number to another business account, against the simulator.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type NewRule,
  sandboxToken,
  startSimulator,
  verificationCode,
} from '../../../../simulator/src/index.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { Answered } from '../../modules/provider/index.ts';
import { createProvider } from './provider.ts';

const lifetime = sharedLifetime();
const provider = createProvider();
lifetime.after(async () => provider.close());
const simulator = await startSimulator({
  port: 0,
  appSecret: 'app-secret',
  verifyToken: 'verify-token',
  callbackUrl: null,
  seed: 'moving',
  instant: true,
});
lifetime.after(() => simulator.stop());

const pin = '482916';
const sms = { method: 'SMS', language: 'en_US' } as const;
let businesses = 0;

/** A business with a number in one account, and a second account for it to go to. */
async function scene() {
  businesses += 1;
  const part = String(businesses).padStart(3, '0');
  const businessId = `200000000000${part}`;
  const [sourceId, wabaId, oldId] = [`104000200010${part}`, `104000200020${part}`, `106000300040${part}`];
  const as = (accessToken: string) => ({ baseUrl: simulator.url, apiVersion: 'v25.0', accessToken });
  const number = { countryCode: '33', number: `180001${part}`, migrate: true };
  const phoneNumbers = [{ id: oldId, number: `33${number.number}`, name: 'Depot' }];
  const source = as(sandboxToken({ businessId, wabaId: sourceId, phoneNumbers }));
  const connection = as(sandboxToken({ businessId, wabaId, phoneNumbers: [] }));
  await provider.getPhoneNumber(source, oldId);
  const add = () => provider.addPhoneNumber(connection, wabaId, number);
  const added = async () => {
    const answer = await add();
    assert.ok(answer.ok);
    return answer.value.phoneNumberId;
  };
  const rule = (path: string, behaviour: NewRule['behaviour'], id = wabaId) =>
    simulator.control.addRule({ match: { path, phoneNumberId: id }, behaviour, count: 1 });
  return { connection, wabaId, oldId, add, added, rule };
}

const codeOf = (answer: Answered<unknown>) => (answer.ok ? 'done' : answer.failure.code);

suite('moving a number', () => {
  test('adds it, proves it by a code and registers it under a new id', async () => {
    const { connection, oldId, added } = await scene();
    const id = await added();
    assert.equal(codeOf(await provider.requestVerificationCode(connection, id, sms)), 'done');
    assert.equal(codeOf(await provider.verifyPhoneNumber(connection, id, '000000')), 'REGISTRATION_ERROR');
    assert.equal(codeOf(await provider.verifyPhoneNumber(connection, id, verificationCode)), 'done');
    assert.equal(codeOf(await provider.registerPhoneNumber(connection, id, pin)), 'done');
    const [now, before] = await Promise.all([
      provider.getPhoneNumber(connection, id),
      provider.getPhoneNumber(connection, oldId),
    ]);
    assert.deepEqual(
      [now, before].map((answer) => answer.ok && answer.value.status),
      ['CONNECTED', 'MIGRATED'],
    );
  });
  test('whose answer was lost is unknown, and the list of numbers tells', async () => {
    const { connection, wabaId, add, rule } = await scene();
    rule('phone_numbers', { answer: 'lost' });
    assert.equal(codeOf(await add()), 'PROVIDER_RESULT_UNKNOWN');
    const listed = await provider.listPhoneNumbers(connection, wabaId, null);
    assert.deepEqual(listed.ok && listed.value.items.map(({ status }) => status), ['UNVERIFIED']);
    assert.equal(codeOf(await add()), 'CONFLICT');
  });
  test('is told in our words why it cannot be added', async () => {
    const { add, oldId, wabaId } = await scene();
    const { control } = simulator;
    control.change('numbers', oldId, { pin });
    const locked = await add();
    assert.deepEqual(
      !locked.ok && [locked.failure.code, locked.failure.providerSubcode, locked.failure.retryable],
      ['REGISTRATION_ERROR', 2388001, false],
    );
    control.change('numbers', oldId, { pin: null, nameStatus: 'DECLINED' });
    assert.equal(codeOf(await add()), 'DISPLAY_NAME_NOT_APPROVED');
    control.change('numbers', oldId, { nameStatus: 'APPROVED' });
    control.change('wabas', wabaId, { paymentOk: false });
    assert.equal(codeOf(await add()), 'PAYMENT_REQUIRED');
    control.change('wabas', wabaId, { paymentOk: true, subscribed: false });
    assert.equal(codeOf(await add()), 'REGISTRATION_ERROR');
  });
  test('with a wrong PIN is refused, and too soon after it told when', async () => {
    const { connection, added } = await scene();
    const id = await added();
    await provider.requestVerificationCode(connection, id, sms);
    await provider.verifyPhoneNumber(connection, id, verificationCode);
    simulator.control.change('numbers', id, { pin });
    const wrong = await provider.registerPhoneNumber(connection, id, '111111');
    assert.deepEqual(!wrong.ok && [wrong.failure.code, wrong.failure.providerCode, wrong.failure.retryable], [
      'REGISTRATION_ERROR',
      133005,
      false,
    ]);
    const soon = await provider.registerPhoneNumber(connection, id, pin);
    assert.deepEqual(
      !soon.ok && [soon.failure.code, soon.failure.providerCode, soon.failure.retryAfterMs! > 0],
      ['REGISTRATION_ERROR', 133009, true],
    );
  });
});
