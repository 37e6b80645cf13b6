import type { TenantTx } from '../../../platform/db/database.ts';
import { askedBy } from '../../../platform/db/merge.ts';

/** The same transaction at another moment, perhaps for somebody else: whatever asks it for the time is told this one. */
export function atMoment(t: TenantTx, now: Date, principal = t.principal): TenantTx {
  const moved: TenantTx = {
    ...t,
    now,
    principal,
    merged: (statement, items) =>
      items.length === 0 ? Promise.resolve([]) : statement(moved, askedBy(t.accountSid, items)),
  };
  return moved;
}
