// Copies made for a person go with them.
import { type Store, untilFew } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';
import { removeParts } from './parts.ts';

export const copyBelongings: Store[] = [
  {
    name: 'privacy_copies',
    async erase(t, { family }, page) {
      const requests = await t.many<{ sid: string }>(sql`
        update privacy_requests set export_expires_at = null
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
           and kind in ('ACCESS', 'PORTABILITY')
        returning sid`);
      const sids = requests.map(({ sid }) => sid);
      return untilFew(await removeParts(t, sids, page.limit), page, sids);
    },
  },
];
