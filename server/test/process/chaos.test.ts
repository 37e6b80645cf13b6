import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from '../chaos/chaos.ts';

test('killed at random under load, nothing is lost, doubled, miscounted or left behind', async (context) => {
  const report = await runChaos(context, {
    seconds: 20,
    // Of the small seeds the one that comes to every machine early.
    seed: 4,
    perSecond: 25,
    say: () => {},
  });
  const { broken, ...counts } = report;
  context.diagnostic(JSON.stringify(counts));
  assert.deepEqual(broken, []);
  assert.ok(report.acknowledged > 0 && report.handedOver > 0 && report.runs > 0);
  assert.ok(Object.keys(report.kills).length > 0);
});
