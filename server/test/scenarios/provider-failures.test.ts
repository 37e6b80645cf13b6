// What the provider reports as failed after it had accepted a message, through the adapter, the callbacks and the
// dispatcher: each message ends with our code, the provider's code, and its money back.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { ErrorCode } from '../../src/platform/errors/errors.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { until } from '../harness/until.ts';

const reported: [ErrorCode, number][] = [
  ['RECIPIENT_UNREACHABLE', 131_026],
  ['RECIPIENT_IN_EXPERIMENT', 130_472],
  ['DISPLAY_NAME_NOT_APPROVED', 131_037],
  ['PAYMENT_REQUIRED', 131_042],
  ['MEDIA_PROVIDER_ERROR', 131_053],
  ['TEMPLATE_PROVIDER_ERROR', 132_000],
  ['FLOW_ERROR', 139_001],
  ['MARKETING_MESSAGES_ERROR', 134_103],
  ['PROVIDER_PERMANENT_ERROR', 135_000],
  ['PROVIDER_TOKEN_INVALID', 131_005],
];

let app: TestApp;
const lifetime = sharedLifetime();
const sent = new Map<number, string>();

before(async () => {
  app = await startTestApp(lifetime, { role: 'all', simulator: true });
  const [sender] = (await app.get(`${app.at}/senders`)).body.data;
  for (const [, providerCode] of reported) {
    const reply = await app.post(`${app.at}/messages`, {
      from: sender.sid,
      to: `+4915190${providerCode}`, // the simulated provider fails this number with the code in its last digits
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    });
    assert.equal(reply.status, 201, reply.text);
    sent.set(providerCode, reply.body.sid);
  }
});

suite('a message the provider gives up', () => {
  for (const [code, providerCode] of reported) {
    test(`with ${providerCode} fails with ${code}`, async () => {
      const { error } = await until('the message failed', async () => {
        app.clock.advance(1_000);
        await app.simulator.control.advance(0); // the provider's clock is ours: it does what has fallen due
        const { body } = await app.get(`${app.at}/messages/${sent.get(providerCode)}`);
        return body.status === 'failed' ? body : null;
      });
      assert.deepEqual([error.code, error.providerCode], [code, providerCode]);
    });
  }
  test('costs nothing', async () => {
    const [wallet] = (await app.get(`${app.at}/billing/wallets`)).body.data;
    assert.equal(wallet.held.amountMinor, '0');
  });
});
