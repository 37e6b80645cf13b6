import { mentioning, type Store } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { copyOfApprovals } from './copies.ts';

export const approvalBelongings: Store[] = [
  {
    name: 'approvals',
    copy: copyOfApprovals,
    kept: 'What two people decided for the business; none is about a contact but by its SID (GDPR Art. 6(1)(f), 17(3)(e)).',
    mentions: mentioning(
      'approval',
      (t) => sql`
        select sid, summary || ' ' || coalesce(decision_reason, '') from approvals
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and only_for is null`,
    ),
  },
];
