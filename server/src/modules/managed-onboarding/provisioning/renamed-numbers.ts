// A number whose new display name was approved shows it only once it is registered again, and has 14 days for that. Numbers that were
// set up here are registered again by themselves, with the PIN that was kept for it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, enqueue, untilDone } from '../../../platform/jobs/jobs.ts';
import { audit } from '../../audit/index.ts';
import { answerOf } from '../../provider/index.ts';
import { loadSender, type Sender } from '../../senders/index.ts';
import { connectionOf } from '../../wabas/index.ts';
import { type ApplicationRow, requireApplication } from '../applications/applications.ts';
import { cronOfDue } from '../applications/due.ts';
import { advance, openOf, type Progress, readProgress } from './progress.ts';

export const lookForNames = cronOfDue('managed-onboarding.names', '41 * * * *', 'name_due_at', lookForName);

/** Has its name looked at in some hours. */
export const watchName = (t: TenantTx, sid: string): Promise<number> =>
  t.run(sql`
    update managed_applications set name_due_at = ${t.now}::timestamptz + interval '6 hours'
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);

async function lookForName(t: TenantTx, sid: string): Promise<void> {
  const renamed = await findRenamed(t, await requireApplication(t, sid));
  if (renamed) enqueue(t, job, { applicationSid: sid }, { key: `managed-onboarding/${sid}/name` });
  await watchName(t, sid);
}

type Renamed = { progress: Progress; sender: Sender };

/** Null where there is nothing to do: no new name, or the number is gone, or registered by another with another PIN. */
async function findRenamed(t: TenantTx, { sid, senderSid }: ApplicationRow): Promise<Renamed | null> {
  const sender = senderSid === null ? null : await loadSender(t, senderSid);
  if (sender?.status !== 'CONNECTED' || sender.wabaSid === null) return null;
  const progress = await readProgress(t, sid);
  const isOurs = sender.providerPhoneNumberId === progress.phoneNumberId;
  return isOurs && sender.displayName !== progress.registeredName ? { progress, sender } : null;
}

const job = {
  name: 'managed-onboarding.register-again',
  payload: Closed({ applicationSid: Sid('MA') }),
  attempts: untilDone,
};

/** Registering twice with the same PIN does what registering once does. */
export const registerAgain = defineJob({
  ...job,
  async run({ read, write, ports }, { applicationSid }) {
    const found = await read(async (t) => {
      const renamed = await findRenamed(t, await requireApplication(t, applicationSid));
      const connection = renamed && (await connectionOf(t, renamed.sender.wabaSid!));
      return connection && { ...renamed, connection, pin: pinOf(t, renamed) };
    });
    if (!found) return;
    const { progress, sender, connection, pin } = found;
    answerOf(await ports.provider.registerPhoneNumber(connection, progress.phoneNumberId!, pin));
    await write(async (t) => {
      await advance(t, progress, { registeredName: sender.displayName });
      audit(t, { action: 'managed_application.registered_again', resource: applicationSid });
    });
  },
});

const pinOf = (t: TenantTx, { progress }: Renamed) =>
  openOf(t, progress.applicationSid, 'PIN', progress.pin!);
