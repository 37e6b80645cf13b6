// The number at the provider: added to the account, proven by a code, registered with a PIN of ours, subscribed and named.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { answered, type ProviderPhoneNumber, Refused } from '../../provider/index.ts';
import { listNumbers } from '../../wabas/index.ts';
import { isBegun } from './intents.ts';
import { newPin, openOf, type ProgressChange, sealFor } from './progress.ts';
import {
  byStaff,
  connectionFor,
  goOn,
  once,
  pause,
  type Step,
  vendorOf,
  vendorValue,
  type Work,
} from './work.ts';

const minuteMs = 60_000;
/** So long a code can be used. */
const codeMs = 10 * minuteMs;
const mostCodes = 3;
const longestReviewMs = 30 * 24 * 60 * minuteMs;

const digits = (text: string) => text.replaceAll(/\D/g, '');

export const numbersOf = async (work: Work): Promise<ProviderPhoneNumber[]> =>
  listNumbers(work.context, await connectionFor(work), work.progress.providerWabaId!, answered);

async function readNumber(work: Work): Promise<ProviderPhoneNumber> {
  const connection = await connectionFor(work);
  return answered(await work.context.ports.provider.getPhoneNumber(connection, work.progress.phoneNumberId!));
}

export const addNumber: Step = async (work) => {
  const { application, progress, context } = work;
  const wanted = digits(progress.number!);
  const look = async () =>
    (await numbersOf(work)).find(({ displayPhoneNumber }) => digits(displayPhoneNumber) === wanted)?.id ??
    null;
  const phoneNumberId = await once(work, 'ADD', look, async () => {
    const parsed = parsePhoneNumberFromString(progress.number!);
    if (!parsed) throw new Refused('REGISTRATION_ERROR', 'The number is none that could be added.');
    const connection = await connectionFor(work);
    const added = await context.ports.provider.addPhoneNumber(connection, progress.providerWabaId!, {
      countryCode: parsed.countryCallingCode,
      number: parsed.nationalNumber,
      verifiedName: application.displayName,
      migrate: false,
    });
    // An earlier request that was thought lost may have arrived after all.
    const already = !added.ok && added.failure.code === 'CONFLICT' ? await look() : null;
    return already ?? answered(added).phoneNumberId;
  });
  return goOn(work, { step: 'REQUEST_CODE', phoneNumberId }, { ends: 'ADD' });
};

const isVerified = async (work: Work) =>
  (await readNumber(work)).codeVerificationStatus === 'VERIFIED' ? true : null;

export const requestCode: Step = async (work) => {
  const { context, progress } = work;
  const asked = await once<'verified' | 'asked'>(
    work,
    'REQUEST_CODE',
    async () => ((await isVerified(work)) ? 'verified' : null),
    async () => {
      const how = { method: 'SMS', language: 'en_US' } as const;
      const connection = await connectionFor(work);
      const answer = await context.ports.provider.requestVerificationCode(
        connection,
        progress.phoneNumberId!,
        how,
      );
      // It is refused for a number that is verified already, which is all that is wanted.
      if (!answer.ok && !answer.failure.retryable && (await isVerified(work))) return 'verified';
      answered(answer);
      return 'asked';
    },
  );
  if (asked === 'verified') return goOn(work, { step: 'REGISTER' }, { ends: 'REQUEST_CODE' });
  const codeRequestedAt = context.now().toISOString();
  return goOn(work, { step: 'VERIFY', code: null, codeRequestedAt }, { ends: 'REQUEST_CODE' });
};

export const verifyNumber: Step = async (work) => {
  // Once a code was handed in it is used up, and another will not come: what became of it is all there is to see.
  const handedIn = await work.context.read((t) => isBegun(t, work.progress.applicationSid, 'VERIFY'));
  if (handedIn && (await isVerified(work)))
    return goOn(work, { step: 'REGISTER', code: null }, { ends: 'VERIFY' });
  const code = await codeFor(work);
  if (code === 'by staff') return byStaff(work, 'READ_CODE');
  if (code === null) return awaitCode(work);
  const outcome = await once<'verified' | 'wrong'>(
    work,
    'VERIFY',
    async () => ((await isVerified(work)) ? 'verified' : null),
    async () => {
      const connection = await connectionFor(work);
      const { phoneNumberId } = work.progress;
      const answer = await work.context.ports.provider.verifyPhoneNumber(connection, phoneNumberId!, code);
      if (!answer.ok && answer.failure.code === 'REGISTRATION_ERROR' && !answer.failure.retryable)
        return (await isVerified(work)) ? 'verified' : 'wrong';
      answered(answer);
      return 'verified';
    },
  );
  if (outcome === 'verified') return goOn(work, { step: 'REGISTER', code: null }, { ends: 'VERIFY' });
  return anotherCode(work, new Refused('REGISTRATION_ERROR', 'The codes that came were wrong.'));
};

/** What somebody read off, or the vendor has; null when nothing has come. */
async function codeFor(work: Work): Promise<string | 'by staff' | null> {
  const { context, progress } = work;
  const { code, applicationSid, vendorReference } = progress;
  if (code) return context.read(async (t) => openOf(t, applicationSid, 'code', code));
  const { vendor, place } = vendorOf(work);
  const read = vendorValue(await vendor.readCode(place, vendorReference));
  return read === null ? 'by staff' : read.value;
}

async function awaitCode(work: Work) {
  const { codeRequestedAt } = work.progress;
  const waitedMs = work.context.now().getTime() - Date.parse(codeRequestedAt!);
  if (waitedMs < codeMs) return pause(work, codeRequestedAt);
  return anotherCode(
    work,
    new Refused('ONBOARDING_CODE_EXPIRED', 'No code has come to the number, however often it was sent.'),
  );
}

async function anotherCode(work: Work, atLast: Refused): Promise<null> {
  const codesTried = work.progress.codesTried + 1;
  if (codesTried >= mostCodes) throw atLast;
  return goOn(work, { step: 'REQUEST_CODE', code: null, codesTried }, { ends: 'VERIFY' });
}

export const registerNumber: Step = async (work) => {
  const { context, progress } = work;
  const { applicationSid, phoneNumberId, pin: sealed } = progress;
  // Kept before it is used: a number registered with a PIN nobody knows could never be registered again.
  if (sealed === null)
    return goOn(work, (t): ProgressChange => ({ pin: sealFor(t, applicationSid, 'PIN', newPin()) }));
  const pin = await context.read(async (t) => openOf(t, applicationSid, 'PIN', sealed));
  await once<true>(
    work,
    'REGISTER',
    async () => ((await readNumber(work)).status === 'CONNECTED' ? true : null),
    async () => {
      const connection = await connectionFor(work);
      answered(await context.ports.provider.registerPhoneNumber(connection, phoneNumberId!, pin));
      return true;
    },
  );
  return goOn(work, { step: 'SUBSCRIBE' }, { ends: 'REGISTER' });
};

/** Asking twice does what asking once does. */
export const subscribe: Step = async (work) => {
  const { context, progress, application } = work;
  const connection = await connectionFor(work);
  answered(await context.ports.provider.subscribe(connection, progress.providerWabaId!));
  return goOn(work, { step: 'NAME', registeredName: application.displayName });
};

const goodNames = ['APPROVED', 'AVAILABLE_WITHOUT_REVIEW'];
const badNames = ['DECLINED', 'EXPIRED'];

export const awaitName: Step = async (work) => {
  const { application, context } = work;
  const { nameStatus } = await readNumber(work);
  if (goodNames.includes(nameStatus ?? '')) return goOn(work, { step: 'JOIN' });
  const waitedMs = context.now().getTime() - Date.parse(application.updatedAt);
  if (badNames.includes(nameStatus ?? '') || waitedMs > longestReviewMs)
    throw new Refused(
      'DISPLAY_NAME_NOT_APPROVED',
      nameStatus === 'DECLINED'
        ? 'The provider declined the display name.'
        : 'The provider has not approved the display name.',
    );
  return pause(work, application.updatedAt);
};
