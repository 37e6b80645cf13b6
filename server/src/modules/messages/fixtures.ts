import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';
import { insertSender } from '../senders/fixtures.ts';

export const fixtures: Fixtures = {
  /** One that came in: it needs nothing but a sender, which live environments do not have by themselves. */
  async messageSid({ app, owner }) {
    const now = app.clock.now();
    const [sid, contactSid] = [newSid('SM', now), newSid('CT', now)];
    const senderSid = await insertSender(app, owner);
    const tenant = [owner.accountSid, owner.livemode, sid, senderSid];
    await app.sql(
      `insert into messages (account_sid, livemode, sid, sender_sid, contact_sid, direction, type, identifier_type,
         address, content, extras, created_by, created_at)
       values ($1, $2, $3, $4, $5, 'inbound', 'text', 'phone_e164', '+33612345678', '{"body":"Hello"}', '{}',
         'provider', $6)`,
      [...tenant, contactSid, now],
    );
    await app.sql(
      `insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, updated_at)
       values ($1, $2, $3, $4, 'received', 100, false, $5)`,
      [...tenant, now],
    );
    return sid;
  },
};
