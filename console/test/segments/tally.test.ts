import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nothingJudged, withPage } from '../../src/features/segments/why-not/tally.ts';

const usd = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });
const refused = (contactSid: string, codes: string[], cost = usd('68200')) => ({
  contactSid,
  reached: codes.length === 0,
  reasons: codes.map((code) => ({ gate: code.toLowerCase(), code, message: code, evidence: {} })),
  cost,
});
type Member = ReturnType<typeof refused>;

const page = (members: Member[]) => ({
  object: 'segment_why_not' as const,
  segmentSid: 'SG1',
  accountSid: 'AC1',
  livemode: false,
  judged: members.length,
  reached: members.filter(({ reached }) => reached).length,
  // The page's own counts are about that page alone.
  reasons: [],
  members,
  nextAfter: null,
});

test('what stands against a message is added up over pages: people, ten samples, exact costs', () => {
  const first = Array.from({ length: 8 }, (_, i) => refused(`CT${i}`, ['CONSENT_REQUIRED']));
  const second = [
    ...Array.from({ length: 7 }, (_, i) => refused(`CT1${i}`, ['CONSENT_REQUIRED', 'CONTACT_SUPPRESSED'])),
    refused('CT99', [], usd('9007199254740993')),
  ];
  const tally = withPage(withPage(nothingJudged, page(first)), page(second));
  assert.deepEqual([tally.judged, tally.reached], [16, 1]);
  assert.deepEqual(tally.cost, [usd('9007199254740993')]);
  assert.deepEqual(
    tally.reasons.map(({ code, contacts, samples, cost }) => [code, contacts, samples.length, cost]),
    [
      ['CONSENT_REQUIRED', 15, 10, [usd('1023000')]],
      ['CONTACT_SUPPRESSED', 7, 7, [usd('477400')]],
    ],
  );
});

test('amounts of two currencies are not added up', () => {
  const inr = { amountMinor: '100', currency: 'INR', scale: 6 };
  const tally = withPage(nothingJudged, page([refused('CT1', []), refused('CT2', [], inr)]));
  assert.deepEqual(tally.cost, [usd('68200'), inr]);
});
