import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxToken } from '@godwit/simulator';
import { sandboxCallbacks } from '../../src/main/process/simulator.ts';
import { startTestApp } from '../harness/app.ts';

test('a test app has a simulated provider of its own, on its clock, that calls it back', async (context) => {
  const app = await startTestApp(context, { simulator: true });
  const { url, control } = app.simulator;
  const id = '106000300040005';
  const token = sandboxToken({
    businessId: '200000000000001',
    wabaId: '104000200030001',
    phoneNumbers: [{ id, number: '33180001000', name: 'Depot' }],
  });
  const answer = await fetch(`${url}/v25.0/${id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: '+33612003400',
      type: 'template',
      template: { name: 'hello_world', language: { code: 'en' } },
    }),
  });
  assert.equal(answer.status, 200);
  await control.settle();
  assert.equal(control.now().getTime(), app.clock.now().getTime());
  const callbacks = control.callbacks().data;
  assert.deepEqual(
    callbacks.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.ok(
    callbacks.every((one) => one.url === app.url.replace('localhost', '127.0.0.1') + sandboxCallbacks),
  );
});
