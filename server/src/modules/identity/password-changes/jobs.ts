import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { Closed, Sid, Uuid, Word } from '../../../platform/http/input/schema.ts';
import { randomToken } from '../../../platform/ids.ts';
import { defineCron, defineJob } from '../../../platform/jobs/jobs.ts';
import { addresseeOf } from '../mails/addressee.ts';
import { mailed } from '../mails/links.ts';
import { composeMail } from '../mails/texts.ts';
import { windowMs } from '../passwords/attempts.ts';

/** Like an invitation's, the token is made here and stands in no queue. */
export const sendPasswordReset = defineJob({
  name: 'identity.send-password-reset',
  payload: Closed({ resetId: Uuid }),
  attempts: 5,
  async run({ write, ports, site }, { resetId }) {
    const token = randomToken();
    const addressee = await write(async (t) => {
      const row = await t.maybe<{ userSid: string }>(sql`
        update password_resets set token_hash = ${sha256(token)}
         where id = ${resetId} and used_at is null and expires_at > ${t.now}
        returning user_sid as "userSid"`);
      return row ? addresseeOf(t, row.userSid) : null;
    });
    if (!addressee) return;
    const { to, locale, name, organization } = addressee;
    const link = `${site.publicUrl}${mailed.passwordReset}#token=${token}`;
    await ports.mailer.send({ to, ...composeMail('password-reset', locale, { name, organization, link }) });
  },
});

/** Tells a person what happened to their sign-in, so that they notice when it was not them. */
export const sendPasswordNotice = defineJob({
  name: 'identity.send-password-notice',
  payload: Closed({ userSid: Sid('US'), notice: Word('password-changed', 'mfa-removed') }),
  attempts: 8,
  async run({ read, ports }, { userSid, notice }) {
    const addressee = await read((t) => addresseeOf(t, userSid));
    if (!addressee) return;
    const { to, locale, name, organization } = addressee;
    await ports.mailer.send({ to, ...composeMail(notice, locale, { name, organization, link: null }) });
  },
});

const keptMs = 30 * 86_400_000;

/** What can no longer be used is removed: links and sessions after a month, counters at once. */
export const sweepSignIns = defineCron({
  name: 'identity.sweep-sign-ins',
  schedule: '41 * * * *',
  async run({ database, now }) {
    const at = now();
    const old = new Date(at.getTime() - keptMs);
    // Counters of second factors remember their locks; only those of passwords and recoveries end with their window.
    const windowStart = new Date(at.getTime() - windowMs);
    await database.system(async (s) => {
      await s.run(sql`delete from pending_sign_ins where expires_at < ${at}`);
      await s.run(sql`
        delete from attempt_counters
         where window_started_at < ${windowStart} and subject ~ '^(password|recovery)(-address)?:'`);
      await s.run(sql`delete from password_resets where expires_at < ${old}`);
      await s.run(sql`
        delete from sessions where coalesce(revoked_at, absolute_expires_at) < ${old}`);
    });
  },
});
