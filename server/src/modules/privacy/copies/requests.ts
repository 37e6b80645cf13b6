// What a person asked for before, and what came of it.
import { type Copying, copied } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';
import type { PrivacyRequest } from '../schema.ts';

type Asked = Pick<PrivacyRequest, 'sid' | 'kind' | 'state' | 'reason' | 'createdAt' | 'dueAt'> & {
  changedFields: string[] | null;
  completedAt: string | null;
};

export const copyOfRequests: Copying = {
  purpose: 'To show that what was asked for was done.',
  source: 'The person, as the business wrote it down.',
  async page(t, { family }, page) {
    const rows = await t.many<Asked & { place: string }>(sql`
      select sid as place, sid, kind, state, reason, changed_fields as "changedFields", created_at as "createdAt", due_at as "dueAt",
        completed_at as "completedAt"
        from privacy_requests
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
         and sid > ${page.after ?? ''}
       order by sid limit ${page.limit}`);
    return copied(rows, page);
  },
};
