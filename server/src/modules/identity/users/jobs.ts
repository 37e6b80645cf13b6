import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { Closed, Uuid } from '../../../platform/http/input/schema.ts';
import { randomToken } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs/jobs.ts';
import { addresseeOf } from '../mails/addressee.ts';
import { mailed } from '../mails/links.ts';
import { composeMail } from '../mails/texts.ts';

/**
 * The token is made here, so that it stands in no queue; a second try makes a new one, and the last mail sent is the
 * one whose link works.
 */
export const sendInvitation = defineJob({
  name: 'identity.send-invitation',
  payload: Closed({ invitationId: Uuid }),
  attempts: 8,
  async run({ write, now, ports, site }, { invitationId }) {
    const token = randomToken();
    const addressee = await write(async (t) => {
      const row = await t.maybe<{ userSid: string }>(sql`
        update invitations set token_hash = ${sha256(token)}
         where id = ${invitationId} and accepted_at is null and expires_at > ${t.now}
        returning user_sid as "userSid"`);
      return row ? addresseeOf(t, row.userSid) : null;
    });
    if (!addressee) return; // withdrawn, replaced or accepted meanwhile
    const { to, locale, name, organization } = addressee;
    const link = `${site.publicUrl}${mailed.invitation}#token=${token}`;
    await ports.mailer.send({ to, ...composeMail('invitation', locale, { name, organization, link }) });
    const sentAt = now();
    await write((t) => t.run(sql`update invitations set sent_at = ${sentAt} where id = ${invitationId}`));
  },
});
