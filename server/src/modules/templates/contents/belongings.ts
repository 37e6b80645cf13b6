import { mentioning, type Store } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';

export const templateBelongings: Store[] = [
  {
    name: 'contents',
    mentions: mentioning(
      'content',
      (t) => sql`
        select sid, concat_ws(' ', name, body, variables) from contents
         where account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ),
  },
  {
    name: 'templates',
    mentions: mentioning(
      'template',
      (t) => sql`
        select sid, concat_ws(' ', components, proposed, pending_change) from templates
         where account_sid = ${t.accountSid} and livemode = ${t.livemode}`,
    ),
  },
];
