// Phone numbers: what is read of them, their profile, their key, their PIN.
import { senderStatuses } from '../../senders/index.ts';
import { nobody } from './account-checks.ts';
import { type Check, given, holds, known, reading, refusedWith, type Stage, same, writing } from './check.ts';

const listed = async ({ provider, connection, wabaId }: Stage) =>
  given(await provider.listPhoneNumbers(connection, wabaId, null)).items;

/** What we know of each number listed is a word we know. */
const wordsOf = (name: string, words: readonly string[], of: (number: Listed) => string | null): Check =>
  reading(name, async (stage) => known(words, (await listed(stage)).map(of)));
type Listed = Awaited<ReturnType<typeof listed>>[number];

const noNumber = ['WABA_NOT_CONNECTED', 'SENDER_NOT_READY', 'NOT_FOUND'] as const;
const pin = '482916';

export const numberChecks: Check[] = [
  reading('numbers are listed', async (stage) => {
    const numbers = await listed(stage);
    holds(numbers.length > 0, 'a number', 'none');
    const wrong = numbers.find(
      ({ displayPhoneNumber }) => !/\d{5}/.test(displayPhoneNumber.replaceAll(/\D/g, '')),
    );
    holds(wrong === undefined, 'a phone number', wrong?.displayPhoneNumber);
  }),
  wordsOf('numbers have a status we know', [...senderStatuses, 'UNKNOWN'], ({ status }) => status),
  wordsOf(
    'numbers have a quality we know',
    ['GREEN', 'YELLOW', 'RED', 'UNKNOWN', 'NA'],
    (number) => number.qualityRating,
  ),
  wordsOf(
    'numbers have a throughput we know',
    ['STANDARD', 'HIGH', 'NOT_APPLICABLE'],
    (number) => number.throughputLevel,
  ),
  wordsOf(
    'numbers have a messaging limit we know',
    ['TIER_50', 'TIER_250', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED'],
    ({ messagingLimit }) => messagingLimit,
  ),
  wordsOf(
    'numbers have a state of their name we know',
    ['APPROVED', 'AVAILABLE_WITHOUT_REVIEW', 'DECLINED', 'EXPIRED', 'PENDING_REVIEW', 'NONE'],
    ({ nameStatus }) => nameStatus,
  ),
  wordsOf(
    'numbers have a state of their verification we know',
    ['VERIFIED', 'NOT_VERIFIED', 'EXPIRED'],
    ({ codeVerificationStatus }) => codeVerificationStatus,
  ),
  reading('numbers of an account that nobody has are refused', async ({ provider, connection }) => {
    refusedWith(await provider.listPhoneNumbers(connection, nobody, null), ...noNumber);
  }),
  reading('number is read as it is listed', async (stage) => {
    const { provider, connection, phoneNumberId } = stage;
    const read = given(await provider.getPhoneNumber(connection, phoneNumberId));
    same(
      read,
      (await listed(stage)).find(({ id }) => id === phoneNumberId),
    );
  }),
  reading('number that nobody has is refused', async ({ provider, connection }) => {
    refusedWith(await provider.getPhoneNumber(connection, nobody), ...noNumber);
  }),
  reading('profile is read', async ({ provider, connection, phoneNumberId }) => {
    given(await provider.getBusinessProfile(connection, phoneNumberId));
  }),
  reading('profile of a number that nobody has is refused', async ({ provider, connection }) => {
    refusedWith(await provider.getBusinessProfile(connection, nobody), ...noNumber);
  }),
  reading('key for flows is read', async ({ provider, connection, phoneNumberId }) => {
    given(await provider.getFlowKey(connection, phoneNumberId));
  }),
  reading('key for flows of a number that nobody has is refused', async ({ provider, connection }) => {
    refusedWith(await provider.getFlowKey(connection, nobody), ...noNumber);
  }),
  reading('history of a message that nobody sent has nothing', async (stage) => {
    const { provider, connection, phoneNumberId } = stage;
    same(given(await provider.messageHistory(connection, phoneNumberId, 'wamid.bm9ib2R5')), { events: [] });
  }),
  reading('history of a number that nobody has is refused', async ({ provider, connection }) => {
    refusedWith(await provider.messageHistory(connection, nobody, 'wamid.bm9ib2R5'), ...noNumber);
  }),

  writing('profile is written and read again', async ({ provider, connection, phoneNumberId }) => {
    const profile = {
      about: 'Pots and plants',
      email: 'hello@example.com',
      websites: ['https://example.com/'],
    };
    given(await provider.updateBusinessProfile(connection, phoneNumberId, profile));
    const { about, email, websites } = given(await provider.getBusinessProfile(connection, phoneNumberId));
    same({ about, email, websites }, profile);
  }),
  writing('people are blocked and let in again', async ({ provider, connection, phoneNumberId }) => {
    const people = ['+4915750000001'];
    given(await provider.blockUsers(connection, phoneNumberId, people));
    given(await provider.unblockUsers(connection, phoneNumberId, people));
  }),
  writing('number is registered with its PIN', async ({ provider, connection, phoneNumberId }) => {
    given(await provider.setTwoStepPin(connection, phoneNumberId, pin));
    given(await provider.registerPhoneNumber(connection, phoneNumberId, pin));
  }),
  writing('number that was taken off the service can be registered again', async (stage) => {
    const { provider, connection, phoneNumberId } = stage;
    given(await provider.setTwoStepPin(connection, phoneNumberId, pin));
    given(await provider.deregisterPhoneNumber(connection, phoneNumberId));
    given(await provider.registerPhoneNumber(connection, phoneNumberId, pin));
    same(given(await provider.getPhoneNumber(connection, phoneNumberId)).status, 'CONNECTED');
  }),
  writing('number is not registered with a wrong PIN', async ({ provider, connection, phoneNumberId }) => {
    given(await provider.setTwoStepPin(connection, phoneNumberId, pin));
    refusedWith(
      await provider.registerPhoneNumber(connection, phoneNumberId, '000000'),
      'REGISTRATION_ERROR',
    );
  }),
];
