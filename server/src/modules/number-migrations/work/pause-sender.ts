// The sender's messages stay in line from here on. With the same commit the migration can no longer be canceled, and it is written
// down that the number may be registered from now on.
import type { TenantTx } from '../../../platform/db/database.ts';
import { lockClaims, wakeSender } from '../../messages/index.ts';
import { setCancelable } from '../../operations/index.ts';
import { pauseSender, requireSender, resumeSender } from '../../senders/index.ts';
import { note } from '../history.ts';
import { changeMigration } from '../migrations.ts';
import { openSecret } from '../secrets.ts';
import { awaitPerson, fail, isOverdue, type Step, type Work } from './tools.ts';

export const pause: Step = async (work) => {
  const { context, operation, migration } = work;
  const { sid } = operation;
  if (!(await hasPin(work))) {
    if (!isOverdue(work)) return awaitPerson(work, 'REGISTRATION_PIN');
    return fail(work, {
      code: 'REGISTRATION_ERROR',
      message: 'Nobody brought a PIN within 7 days.',
      change: { awaitedUntil: null },
    });
  }
  const stands = await context.write(async (t) => {
    // First of all locks: no message is being claimed then, and whoever claims one later finds the sender paused.
    await lockClaims(t);
    await operation.stillRuns(t);
    const { wabaSid, providerPhoneNumberId } = await requireSender(t, migration.senderSid);
    if (wabaSid !== migration.sourceWabaSid || providerPhoneNumberId !== migration.sourcePhoneNumberId)
      return false;
    if ((await pauseSender(t, migration.senderSid, sid)) === 0) return false;
    await setCancelable(t, sid, false);
    await note(t, sid, 'PAUSE', 'DONE');
    await note(t, sid, 'REGISTER', 'STARTED');
    await changeMigration(t, sid, { step: 'REGISTER' });
    return true;
  });
  if (stands) return null;
  return fail(work, {
    code: 'CONFLICT',
    message: 'The sender has left the source since the migration began.',
    retryable: false,
  });
};

/** Looked at before anything stands still for it. One that cannot be opened any more is as good as none. */
async function hasPin({ context, operation, migration }: Work): Promise<boolean> {
  const { sealedPin } = migration;
  if (sealedPin === null) return false;
  return context
    .read(async (t) => openSecret(t, operation.sid, 'pin', sealedPin))
    .then(
      () => true,
      () => false,
    );
}

/** The number stays where it is: its messages leave from there again, and the migration can be canceled. */
export async function resume({ operation, migration }: Work, t: TenantTx): Promise<void> {
  await resumeSender(t, migration.senderSid, operation.sid);
  await setCancelable(t, operation.sid, true);
  await wakeSender(t, migration.senderSid);
}
