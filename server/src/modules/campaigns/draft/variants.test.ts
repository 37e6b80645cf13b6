import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSid } from '../../../platform/ids.ts';
import { variantFor } from './variants.ts';

const now = new Date('2027-01-01T00:00:00Z');

test('everybody always gets the same variant, and the variants about as many as their weights say', () => {
  const campaignSid = newSid('CP', now);
  const variants = [{ weight: 70 }, { weight: 20 }, { weight: 10 }];
  const counts = [0, 0, 0];
  for (let at = 0; at < 10_000; at += 1) {
    const contactSid = newSid('CT', now);
    const variant = variantFor(campaignSid, contactSid, variants)!;
    assert.equal(variantFor(campaignSid, contactSid, variants), variant);
    counts[variant]! += 1;
  }
  // Ten standard deviations: chance alone never comes here.
  for (const [at, { weight }] of variants.entries())
    assert.ok(Math.abs(counts[at]! - weight * 100) < 460, `${counts}`);
});

test('a campaign without variants has none', () => {
  assert.equal(variantFor(newSid('CP', now), newSid('CT', now), undefined), null);
});
