import { mentioning, type Store } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';

export const holdBelongings: Store[] = [
  {
    name: 'legal_holds',
    kept: 'What was to be kept and why, in the words of whoever ordered it (GDPR Art. 17(3)(e)).',
    mentions: mentioning(
      'legal_hold',
      (t) => sql`
        select id::text, concat_ws(' ', case_ref, release_case_ref) from legal_holds
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and customer_visible`,
    ),
  },
];
