// The number is registered at the destination: from here on it belongs there. Only the provider's own refusal leads back; as long as
// nobody knows what came of the call, the messages stay in line and the number is asked for its status.
import { setTimeout as sleep } from 'node:timers/promises';
import { isHandingOff } from '../../messages/index.ts';
import type { StepOutcome } from '../../operations/index.ts';
import type { Answered, ProviderFailure, ProviderPhoneNumber } from '../../provider/index.ts';
import { note, saidBy } from '../history.ts';
import { changeMigration } from '../migrations.ts';
import { openSecret } from '../secrets.ts';
import { mostWrongPins } from '../steps.ts';
import { resume } from './pause-sender.ts';
import {
  awaitPerson,
  fail,
  goOn,
  isUnheard,
  later,
  providerOf,
  type Reached,
  reach,
  restAfter,
  type Step,
  type Work,
} from './tools.ts';

const wrongPin = new Set([133005, 131031]);
// A provider that is silent is asked again soon, for messages wait; but ever less often.
const unheardMs = [500, 1_000, 2_000, 5_000, 15_000];

export const register: Step = async (work) => {
  const { migration } = work;
  await untilHandedOff(work);
  const destination = await reach(work, migration.destinationWabaSid);
  // It cannot be asked whether the number is there already; who reconnects the account lets the migration go on.
  if (!destination) return later(work, unheardMs.at(-1)!);
  if (work.wasBegun) {
    const number = await read(work, destination);
    if (!number.ok) return later(work, unheardMs.at(-1)!);
    if (isThere(number.value)) return goOn(work, 'CUT_OVER');
  }
  const pin = await work.context.read(async (t) =>
    openSecret(t, work.operation.sid, 'pin', migration.sealedPin!),
  );
  return call(work, destination, pin);
};

async function call(work: Work, destination: Reached, pin: string): Promise<StepOutcome | null> {
  const { connection } = destination;
  const phoneNumberId = work.migration.phoneNumberId!;
  for (const ms of unheardMs) {
    const registered = await providerOf(work).registerPhoneNumber(connection, phoneNumberId, pin);
    if (registered.ok) return goOn(work, 'CUT_OVER');
    if (!isUnheard(registered)) return refused(work, registered.failure);
    await sleep(ms, undefined, { signal: work.context.signal });
    const number = await read(work, destination);
    if (number.ok && isThere(number.value)) return goOn(work, 'CUT_OVER');
  }
  return later(work, unheardMs.at(-1)!);
}

export const read = (work: Work, { connection }: Reached): Promise<Answered<ProviderPhoneNumber>> =>
  providerOf(work).getPhoneNumber(connection, work.migration.phoneNumberId!);

const isThere = ({ status }: ProviderPhoneNumber) => status === 'CONNECTED';

const handOffRestMs = 20;
/** Longer than any call to the provider may take. */
const longestHandOffMs = 60_000;

/** What left before the pause is answered first: the provider refuses a message of a number that moves under it. */
async function untilHandedOff({ context, operation, migration }: Work): Promise<void> {
  const giveUpAt = performance.now() + longestHandOffMs;
  while (await isHandingOff(context, operation, migration.senderSid)) {
    if (performance.now() > giveUpAt)
      throw new Error('messages of the sender are handed over and not answered');
    await sleep(handOffRestMs, undefined, { signal: context.signal });
  }
}

/** The provider said no: the number is where it was. */
function refused(work: Work, said: ProviderFailure): StepOutcome {
  if (wrongPin.has(said.providerCode!)) return withoutPin(work, said);
  const back = { step: 'PAUSE' } as const;
  if (!said.retryable)
    return fail(work, {
      code: said.code,
      message: said.reason,
      said,
      change: back,
      apply: (t) => resume(work, t),
    });
  const { sid } = work.operation;
  const { putOff } = work.migration;
  const ms = Math.max(restAfter(said), Math.min(5_000 * 2 ** putOff, 15 * 60_000));
  return {
    ...later(work, ms),
    async apply(t) {
      await resume(work, t);
      await note(t, sid, 'REGISTER', 'PUT_OFF', saidBy(said));
      await changeMigration(t, sid, { ...back, putOff: putOff + 1 });
    },
  };
}

/** Five wrong ones are enough: the provider locks the number for half a day after that. */
function withoutPin(work: Work, said: ProviderFailure): StepOutcome {
  const { sid } = work.operation;
  const wrongPins = work.migration.wrongPins + 1;
  const change = { step: 'PAUSE', sealedPin: null, wrongPins } as const;
  if (wrongPins >= mostWrongPins)
    return fail(work, {
      code: 'REGISTRATION_ERROR',
      message: `The PIN was wrong ${mostWrongPins} times. The number is where it was; a new migration can be started.`,
      retryable: false,
      said,
      change,
      apply: (t) => resume(work, t),
    });
  return awaitPerson(work, 'REGISTRATION_PIN', async (t) => {
    await resume(work, t);
    await note(t, sid, 'REGISTER', 'REFUSED', saidBy(said));
    await changeMigration(t, sid, change);
  });
}
