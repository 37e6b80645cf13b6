// What two people of the business decided about a person.
import { bySid, type Copying, copied, namesPerson, unmistakable } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { stateAt } from './approvals.ts';
import type { Approval } from './schema.ts';

type Decided = Pick<Approval, 'action' | 'summary' | 'state' | 'decisionReason' | 'createdAt' | 'decidedAt'>;

export const copyOfApprovals: Copying = {
  purpose: 'To have a second person agree to what was to be done.',
  source: 'The business.',
  async page(t, person, page) {
    const words = sql`concat_ws(' ', summary, decision_reason)`;
    const rows = await t.many<Decided & { place: string }>(sql`
      select sid as place, action, summary, ${stateAt(t.now)} as state, decision_reason as "decisionReason", created_at as "createdAt",
        decided_at as "decidedAt"
        from approvals
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and only_for is null and sid > ${page.after ?? ''}
         and ${namesPerson(words, bySid(unmistakable(person)))}
       order by sid limit ${page.limit}`);
    return copied(rows, page);
  },
};
