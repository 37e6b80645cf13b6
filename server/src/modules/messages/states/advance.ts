// What a word of the provider changes about a message. Reports come late, twice, out of order or never: the end is the
// same in whatever order they arrive, and no report takes a message back.
import type { KeptError } from '../message-error.ts';
import { type ReportedStatus, ranks, type Status } from '../statuses.ts';

export type Standing = {
  status: Status;
  rank: number;
  error: KeptError | null;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  failedAt: string | null;
};

export type Report = { status: ReportedStatus; at: string; error: KeptError | null };

/** The message after the report, or the very same object when it tells nothing new. */
export function advance<S extends Standing>(standing: S, report: Report): S {
  const instants = instantsAfter(standing, report);
  const rank = ranks[report.status];
  if (rank > standing.rank) {
    return {
      ...standing,
      ...instants,
      status: report.status,
      rank,
      // A delivery is proof: whatever failure was told before it did not happen.
      error: report.status === 'failed' ? report.error : null,
      failedAt: report.status === 'failed' ? report.at : null,
    };
  }
  return instants ? { ...standing, ...instants } : standing;
}

const instantOf = { sent: 'sentAt', delivered: 'deliveredAt', read: 'readAt' } as const;

/** Each instant is the earliest that was told, so that a repetition does not move it. */
function instantsAfter(standing: Standing, { status, at }: Report): Partial<Standing> | null {
  if (status === 'failed') return null;
  const name = instantOf[status];
  const known = standing[name];
  return known === null || at < known ? { [name]: at } : null;
}
