// A code is sent to the number, somebody reads it there and brings it. Whether it was taken, the number itself says.
import type { StepOutcome } from '../../operations/index.ts';
import { note, saidBy } from '../history.ts';
import { changeMigration } from '../migrations.ts';
import { openSecret } from '../secrets.ts';
import {
  awaitPerson,
  begin,
  fail,
  failAs,
  goOn,
  isOverdue,
  isUnheard,
  later,
  providerOf,
  type Reached,
  reach,
  restAfter,
  type Step,
  unreachable,
  type Work,
} from './tools.ts';

const cannotBeSent = 136024;
const wrongCode = 136025;
/** What the words of the message to the number are in. */
const language = 'en_US';

export const requestCode: Step = async (work) => {
  const destination = await reach(work, work.migration.destinationWabaSid);
  if (!destination) return unreachable(work, 'destination');
  const { phoneNumberId, codeMethod: method } = work.migration;
  if (!work.wasBegun) await begin(work);
  else if (await isVerified(work, destination)) return goOn(work, 'PAUSE', { sealedCode: null });
  const { connection } = destination;
  const sent = await providerOf(work).requestVerificationCode(connection, phoneNumberId!, {
    method,
    language,
  });
  if (sent.ok) {
    const codeSentAt = work.context.now();
    return goOn(work, 'VERIFY', { codeSentAt, sealedCode: null, awaitedUntil: null });
  }
  const { failure } = sent;
  if (failure.providerCode === cannotBeSent && (await isVerified(work, destination)))
    return goOn(work, 'PAUSE', { sealedCode: null });
  return failure.retryable ? later(work, restAfter(failure)) : failAs(work, failure);
};

export const verifyNumber: Step = async (work) => {
  const { migration, operation } = work;
  if (migration.sealedCode === null) {
    if (isOverdue(work)) return nobodyCame(work);
    return awaitPerson(work, 'VERIFICATION_CODE');
  }
  const destination = await reach(work, migration.destinationWabaSid);
  if (!destination) return unreachable(work, 'destination');
  if (!work.wasBegun) await begin(work);
  else if (await isVerified(work, destination)) return goOn(work, 'PAUSE', { sealedCode: null });
  const sealed = migration.sealedCode;
  const code = await work.context.read(async (t) => openSecret(t, operation.sid, 'code', sealed));
  const { connection } = destination;
  const verified = await providerOf(work).verifyPhoneNumber(connection, migration.phoneNumberId!, code);
  if (verified.ok) return goOn(work, 'PAUSE', { sealedCode: null });
  const { failure } = verified;
  if (isUnheard(verified) || failure.retryable) return later(work, restAfter(failure));
  if (failure.providerCode !== wrongCode) return failAs(work, failure);
  // A lost answer may have been the one that counted: the code is used up then, and refused as wrong.
  if (await isVerified(work, destination)) return goOn(work, 'PAUSE', { sealedCode: null });
  return awaitPerson(work, 'VERIFICATION_CODE', async (t) => {
    await note(t, operation.sid, 'VERIFY', 'REFUSED', saidBy(failure));
    await changeMigration(t, operation.sid, { sealedCode: null });
  });
};

async function isVerified(work: Work, { connection }: Reached): Promise<boolean> {
  const answer = await providerOf(work).getPhoneNumber(connection, work.migration.phoneNumberId!);
  return answer.ok && answer.value.codeVerificationStatus === 'VERIFIED';
}

const nobodyCame = (work: Work): StepOutcome =>
  fail(work, {
    code: 'ONBOARDING_CODE_EXPIRED',
    message: 'Nobody brought the code within 7 days. A retry asks for a new one.',
    change: { step: 'REQUEST_CODE', awaitedUntil: null },
  });
