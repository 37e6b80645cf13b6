// The number is added to the destination. When nobody heard the answer, the list of numbers there tells whether it was.
import type { StepOutcome } from '../../operations/index.ts';
import type { Answered, Page, ProviderPhoneNumber } from '../../provider/index.ts';
import {
  begin,
  failAs,
  goOn,
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

const alreadyThere = 2388012;
const twoStepOn = 2388001;
const switchOff =
  'Two-step verification is on for the number. Switch it off in the business manager of the source, then retry.';

export const addNumber: Step = async (work) => {
  const { sourceWabaSid, destinationWabaSid, sourcePhoneNumberId } = work.migration;
  const [source, destination] = await Promise.all([
    reach(work, sourceWabaSid),
    reach(work, destinationWabaSid),
  ]);
  if (!source) return unreachable(work, 'source');
  if (!destination) return unreachable(work, 'destination');
  const number = await providerOf(work).getPhoneNumber(source.connection, sourcePhoneNumberId);
  if (!number.ok) return refused(work, number);
  if (!work.wasBegun) await begin(work);
  else {
    const found = await look(work, destination);
    if (found !== 'absent') return found;
  }
  return add(work, destination);
};

async function add(work: Work, destination: Reached): Promise<StepOutcome | null> {
  const { countryCode, phoneNumber: number } = work.migration;
  const { connection, wabaId } = destination;
  const wanted = { countryCode, number, migrate: true };
  const added = await providerOf(work).addPhoneNumber(connection, wabaId, wanted);
  if (added.ok) return goOn(work, 'REQUEST_CODE', { phoneNumberId: added.value.phoneNumberId });
  if (isUnheard(added)) {
    const found = await look(work, destination);
    return found === 'absent' ? later(work, restAfter(added.failure)) : found;
  }
  if (added.failure.providerSubcode === alreadyThere) {
    const found = await look(work, destination);
    if (found !== 'absent') return found;
  }
  if (added.failure.providerSubcode === twoStepOn)
    return failAs(work, { ...added.failure, reason: switchOff });
  return refused(work, added);
}

const refused = (work: Work, { failure }: Extract<Answered<unknown>, { ok: false }>): StepOutcome =>
  failure.retryable ? later(work, restAfter(failure)) : failAs(work, failure);

const digitsOf = (text: string) => text.replaceAll(/\D/g, '');

/** Goes on where the number is there; `absent` where it is not. */
async function look(work: Work, { connection, wabaId }: Reached): Promise<StepOutcome | null | 'absent'> {
  const wanted = `${work.migration.countryCode}${work.migration.phoneNumber}`;
  let after: string | null = null;
  do {
    const listed: Answered<Page<ProviderPhoneNumber>> = await providerOf(work).listPhoneNumbers(
      connection,
      wabaId,
      after,
    );
    if (!listed.ok) return refused(work, listed);
    const found = listed.value.items.find(
      ({ displayPhoneNumber, status }) => digitsOf(displayPhoneNumber) === wanted && status !== 'MIGRATED',
    );
    if (found) return goOn(work, nextFor(found), { phoneNumberId: found.id });
    after = listed.value.after;
  } while (after !== null);
  return 'absent';
}

/** One that was verified before needs no code. */
const nextFor = ({ codeVerificationStatus }: ProviderPhoneNumber) =>
  codeVerificationStatus === 'VERIFIED' ? 'PAUSE' : 'REQUEST_CODE';
