import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { messageError } from '../message-error.ts';
import { type ReportedStatus, ranks, type Status } from '../statuses.ts';
import { advance, type Report, type Standing } from './advance.ts';

const error = messageError('RECIPIENT_UNREACHABLE', 131_026);
const instant = (second: number) => new Date(Date.UTC(2026, 7, 21, 10, 0, second)).toISOString();

const standing = (status: Status): Standing => ({
  status,
  rank: ranks[status],
  error: null,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
});

const aReport: fc.Arbitrary<Report> = fc
  .record({
    status: fc.constantFrom<ReportedStatus>('sent', 'delivered', 'read', 'failed'),
    second: fc.nat(59),
  })
  .map(({ status, second }) => ({ status, at: instant(second), error: status === 'failed' ? error : null }));

const afterAll = (reports: Report[], from: Status = 'sending') =>
  reports.reduce<Standing>((current, report) => advance(current, report), standing(from));

test('whatever the order, the repetitions and the losses, the end is what the best report says', () => {
  fc.assert(
    fc.property(
      fc.array(aReport, { maxLength: 12 }),
      fc.constantFrom<Status>('sending', 'unknown'),
      (reports, from) => {
        const best = reports.reduce<Status>(
          (found, { status }) => (ranks[status] > ranks[found] ? status : found),
          from,
        );
        assert.equal(afterAll(reports, from).status, best);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('no report ever takes a message back', () => {
  fc.assert(
    fc.property(fc.array(aReport, { maxLength: 12 }), (reports) => {
      let current = standing('sending');
      for (const report of reports) {
        const next = advance(current, report);
        assert.ok(next.rank >= current.rank);
        current = next;
      }
    }),
    { numRuns: 2_000 },
  );
});

test('any order and any repetition of the same reports ends alike', () => {
  const shuffled = fc
    .array(aReport, { maxLength: 8 })
    .chain((reports) =>
      fc.tuple(
        fc.constant(reports),
        fc.shuffledSubarray([...reports, ...reports], { minLength: reports.length * 2 }),
      ),
    );
  fc.assert(
    fc.property(shuffled, ([reports, again]) => {
      const strip = ({ failedAt, ...rest }: Standing) => ({ ...rest, failed: failedAt !== null });
      assert.deepEqual(strip(afterAll(again)), strip(afterAll(reports)));
    }),
    { numRuns: 2_000 },
  );
});

test('a delivery after a failure is proof: the failure is forgotten', () => {
  const end = afterAll([
    { status: 'failed', at: instant(1), error },
    { status: 'delivered', at: instant(2), error: null },
  ]);
  assert.deepEqual(
    [end.status, end.error, end.failedAt, end.deliveredAt],
    ['delivered', null, null, instant(2)],
  );
});

test('what was never handed over is not moved by any report', () => {
  for (const status of ['canceled', 'expired', 'received'] as const) {
    assert.equal(afterAll([{ status: 'read', at: instant(1), error: null }], status).status, status);
  }
});
