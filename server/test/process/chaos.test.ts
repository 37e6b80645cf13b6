import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from '../chaos/chaos.ts';

test('killed at random under load, nothing is lost, doubled, miscounted or left behind', async (context) => {
  const report = await runChaos(context, {
    seconds: 20,
    seed: 20_261_115,
    perSecond: 25,
    say: () => {},
  });
  const { broken, ...counts } = report;
  context.diagnostic(JSON.stringify(counts));
  assert.deepEqual(broken, []);
  assert.ok(report.acknowledged > 0 && report.handedOver > 0);
  assert.ok(Object.keys(report.kills).length > 0);
});
