// The end of an erasure: what was sealed goes, and everybody is told.
import type { Person } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { audit, forgetEntries } from '../../audit/index.ts';
import { consentsOf } from '../../consent/index.ts';
import { forgetErased, tellErased } from '../../contacts/index.ts';
import { sign } from '../certificates/sign.ts';
import { privacyRequestEvents } from '../events.ts';
import { announce, moveRequest } from '../requests.ts';
import type { PrivacyRequest } from '../schema.ts';
import type { Progress } from './progress.ts';

export async function finishErasure(
  t: TenantTx,
  request: PrivacyRequest,
  person: Person,
  { counts, mentions, simulatorForgot }: Progress,
): Promise<void> {
  await forgetRequests(t, person);
  await forgetErased(t, person.contactSid);
  await t.run(sql`
    update privacy_requests set counts = ${JSON.stringify(counts)}::json, mentions = ${JSON.stringify(mentions)}::json
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${request.sid}`);
  await sign(t, request, { counts, simulatorForgot });
  const completed = await moveRequest(t, request.sid, 'complete');
  if (!completed) throw new Error('an erasure that ends is not under way');
  audit(t, {
    action: 'contact.erased',
    resource: person.contactSid,
    facts: { requestSid: request.sid, counts },
  });
  await tellErased(t, { consentsOf }, person.contactSid);
  announce(t, privacyRequestEvents.completed, completed);
}

/** What the person asked for stays known, without why and who they were. */
async function forgetRequests(t: TenantTx, { family }: Person): Promise<void> {
  const rows = await t.many<{ sid: string }>(sql`
    update privacy_requests set reason = null, sealed_person = null
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
    returning sid`);
  await forgetEntries(
    t,
    rows.map(({ sid }) => sid),
  );
}
