import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';
import { fixtures as contacts } from '../contacts/fixtures.ts';
import { insertSender } from '../senders/fixtures.ts';

export const fixtures: Fixtures = {
  async conversationSid(given) {
    const { app, owner } = given;
    const now = app.clock.now();
    const sid = newSid('CO', now);
    const contactSid = await contacts.contactSid!(given);
    await app.sql(
      `insert into conversations (account_sid, livemode, sid, sender_sid, contact_sid, status, last_message_at,
         last_message_sid, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'open', $6, $7, $6, $6)`,
      [
        owner.accountSid,
        owner.livemode,
        sid,
        await insertSender(app, owner),
        contactSid,
        now,
        newSid('SM', now),
      ],
    );
    return sid;
  },
};
