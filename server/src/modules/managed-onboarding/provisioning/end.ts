// How the work ends: everything connected and the fee taken, or nothing and the fee given back.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { audit } from '../../audit/index.ts';
import { type ProviderPhoneNumber, Refused } from '../../provider/index.ts';
import { sendersOfWabas } from '../../senders/index.ts';
import { adoptWaba } from '../../wabas/index.ts';
import { lockApplication, moveApplication, tell } from '../applications/applications.ts';
import { letDocumentsGo } from '../applications/documents.ts';
import { captureFee, releaseFee } from '../applications/fees.ts';
import { beginRent } from '../applications/rent.ts';
import { applicationEvents } from '../events.ts';
import { advance, openOf, readProgress } from './progress.ts';
import { numbersOf } from './registration-steps.ts';
import { requestRelease } from './release-number.ts';
import { watchName } from './renamed-numbers.ts';
import { dropTasks } from './tasks.ts';
import type { Step, Work } from './work.ts';

export const join: Step = async (work) => {
  const numbers = await numbersOf(work);
  try {
    await work.context.write((t) => complete(t, work, numbers));
  } catch (error) {
    // The account was connected by somebody else meanwhile, or there is no more room: nothing that waiting would change.
    if (error instanceof ApiError && error.retryAfterSeconds === null)
      throw new Refused(error.code, error.message);
    throw error;
  }
  return null;
};

async function complete(t: TenantTx, { hooks, application, progress }: Work, numbers: ProviderPhoneNumber[]) {
  const row = await lockApplication(t, application.sid);
  const own = numbers.find(({ id }) => id === progress.phoneNumberId)!;
  const { sid: wabaSid } = await adoptWaba(t, hooks, {
    name: application.displayName,
    providerBusinessId: progress.providerBusinessId!,
    providerWabaId: progress.providerWabaId!,
    accessToken: tokenFor(t, { hooks, progress }, own),
    numbers,
  });
  const sender = (await sendersOfWabas(t, [wabaSid])).find(
    ({ providerPhoneNumberId }) => providerPhoneNumberId === own.id,
  )!;
  const done = await moveApplication(t, row, 'COMPLETED', {
    ...(await captureFee(t, row)),
    wabaSid,
    senderSid: sender.sid,
    error: null,
  });
  await advance(t, progress, { step: 'DONE', registeredName: own.verifiedName });
  await beginRent(t, row.sid);
  await watchName(t, row.sid);
  await letDocumentsGo(t, row.sid);
  audit(t, {
    action: 'managed_application.completed',
    resource: row.sid,
    facts: { wabaSid, senderSid: sender.sid, feeMinor: row.feeMinor },
  });
  tell(t, applicationEvents.completed, done);
}

/** The sandbox's token describes what it opens, and now also the number. */
function tokenFor(
  t: TenantTx,
  { hooks, progress }: Pick<Work, 'hooks' | 'progress'>,
  own: ProviderPhoneNumber,
) {
  const token = openOf(t, progress.applicationSid, 'access token', progress.accessToken!);
  return t.livemode ? token : hooks.sandbox.withNumber(token, own);
}

/** The fee goes back. A number that is not at the provider yet is given back too; another stays for a retry. */
export const fail = ({ context, application }: Work, { code, message }: Refused): Promise<void> =>
  context.write(async (t) => {
    const row = await lockApplication(t, application.sid);
    const failed = await moveApplication(t, row, 'FAILED', {
      ...(await releaseFee(t, row)),
      error: { code, message },
    });
    await dropTasks(t, row.sid);
    const progress = await readProgress(t, row.sid);
    if (progress.step === 'NUMBER') requestRelease(t, row.sid, progress.vendorReference);
    audit(t, {
      action: 'managed_application.failed',
      resource: row.sid,
      facts: { code, feeMinor: row.feeMinor },
    });
    tell(t, applicationEvents.failed, failed);
  });
