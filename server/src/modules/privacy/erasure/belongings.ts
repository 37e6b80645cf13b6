import { mentioning, type Store } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';
import { forgetEntries } from '../../audit/index.ts';
import { copyOfRequests } from '../copies/requests.ts';
import { unfinishedStates } from '../states.ts';

export const privacyBelongings: Store[] = [
  {
    name: 'privacy_requests',
    copy: copyOfRequests,
    kept: 'That something was asked for and done, by SID and instants: accountability (GDPR Art. 5(2)). Why is removed.',
    // Those that are worked on lose it at their end.
    async erase(t, { family }) {
      const rows = await t.many<{ sid: string }>(sql`
        update privacy_requests set reason = null, sealed_person = null
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
           and (reason is not null or sealed_person is not null) and not state = any (${[...unfinishedStates]}::text[])
        returning sid`);
      await forgetEntries(
        t,
        rows.map(({ sid }) => sid),
      );
      return { rows: rows.length, next: null };
    },
    mentions: mentioning(
      'privacy_request',
      (t) => sql`
        select sid, coalesce(reason, '') from privacy_requests where account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ),
  },
];
