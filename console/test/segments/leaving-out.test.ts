import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Segment, SegmentFilters } from '@godwit/sdk';
import { leavingOut, under } from '../../src/features/segments/why-not/leaving-out.ts';
import { mostNamed, nothingJudged, type Tally, withPage } from '../../src/features/segments/why-not/tally.ts';

type Reason = { gate: string; code: string; evidence?: Record<string, unknown> };
const noYes: Reason = { gate: 'consent', code: 'CONSENT_REQUIRED' };
const optedOut: Reason = { gate: 'suppression', code: 'RECIPIENT_OPTED_OUT', evidence: { senderSid: null } };
const capped: Reason = { gate: 'marketing_cap', code: 'RECIPIENT_MARKETING_CAP' };

/** A page of people with what stands against each. */
const judged = (people: Record<string, Reason[]>, before: Tally = nothingJudged) => {
  const members = Object.entries(people).map(([contactSid, reasons]) => ({
    contactSid,
    reached: reasons.length === 0,
    reasons: reasons.map(({ evidence = {}, ...reason }) => ({ ...reason, message: '', evidence })),
    cost: null,
  }));
  const reached = members.filter((one) => one.reached).length;
  const page = { segmentSid: 'SG1', accountSid: 'AC1', livemode: false, reasons: [], nextAfter: null };
  return withPage(before, { object: 'segment_why_not', ...page, judged: members.length, reached, members });
};

type Told = { isComplete?: boolean; filters?: SegmentFilters | null; isMarketing?: boolean };
const wayOf = (tally: Tally, { isComplete = true, filters = null, isMarketing = true }: Told = {}) =>
  leavingOut(tally.reasons[0]!, { tally, isComplete, filters, isMarketing });

suite('leaving out whom a reason stands against', () => {
  test('is a condition of the segment where marketing meets no yes, or something that stands against the person', () => {
    assert.deepEqual(wayOf(judged({ CT1: [noYes], CT2: [] })), { by: 'agreed' });
    assert.deepEqual(wayOf(judged({ CT1: [optedOut], CT2: [] })), { by: 'free' });
    // It needs nobody's name, so not everybody has to be judged.
    assert.deepEqual(wayOf(judged({ CT1: [noYes] }), { isComplete: false }), { by: 'agreed' });
  });
  test('names everybody else where a condition would keep out people who are reached', () => {
    const others = { by: 'names', contactSids: ['CT2', 'CT3'] };
    const told = (reason: Reason) => judged({ CT1: [reason], CT2: [], CT3: [] });
    assert.deepEqual(wayOf(told(noYes), { isMarketing: false }), others);
    assert.deepEqual(wayOf(told(optedOut), { isMarketing: false }), others);
    assert.deepEqual(wayOf(told(capped)), others);
    const ofOneSender = { ...optedOut, evidence: { senderSid: 'WA1' } };
    assert.deepEqual(wayOf(told(ofOneSender)), others);
  });
  test('takes the place of no condition that the segment has', () => {
    const told = judged({ CT1: [noYes], CT2: [] });
    const asked = { consent: { purpose: 'SUPPORT', status: 'OPTED_IN' } };
    assert.deepEqual(wayOf(told, { filters: asked }), { by: 'names', contactSids: ['CT2'] });
    const sameAsked = { consent: { purpose: 'MARKETING', status: 'OPTED_IN' } };
    assert.deepEqual(wayOf(told, { filters: sameAsked }), { by: 'agreed' });
    const against = judged({ CT1: [optedOut], CT2: [] });
    assert.deepEqual(wayOf(against, { filters: { suppressed: true } }), {
      by: 'names',
      contactSids: ['CT2'],
    });
    const filters = { attributes: { plan: 'gold' } };
    assert.deepEqual(under('free', { filters } as unknown as Segment), { ...filters, suppressed: false });
    assert.deepEqual(under('agreed', { filters: null } as unknown as Segment), sameAsked);
  });
  test('keeps whom something else stands against: that is another reason', () => {
    const told = judged({ CT1: [capped], CT2: [noYes], CT3: [capped, noYes] });
    assert.deepEqual(wayOf(told), { by: 'names', contactSids: ['CT2'] });
  });
  test('is not offered where nobody would be left, nor by name before everybody was judged', () => {
    assert.equal(wayOf(judged({ CT1: [noYes], CT2: [noYes] })), null);
    assert.deepEqual(wayOf(judged({ CT1: [capped], CT2: [] }), { isComplete: false }), { not: 'unfinished' });
  });
  test('names nobody where they are more than a request takes', () => {
    const many = Object.fromEntries(
      Array.from({ length: mostNamed }, (_, at) => [`CT${at}`, [] as Reason[]]),
    );
    const full = judged(many);
    assert.equal(full.members?.length, mostNamed);
    assert.deepEqual(wayOf(judged({ CTlast: [capped] }, full)), { not: 'tooMany' });
  });
});
