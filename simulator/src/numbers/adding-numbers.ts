// A number comes to an account: it is added, new or from another account, and proves with a code whose it is.
import { GraphError } from '../errors.ts';
import type { Call } from '../http/http.ts';
import type { Simulation } from '../simulation.ts';
import { connectedNumber, type PhoneNumber, requireNumber, requireWaba, type Waba } from '../world.ts';
import { reviewFirstName } from './display-names.ts';
import { hardshipOf } from './magic-numbers.ts';
import { checkMove } from './moving-numbers.ts';

/** The code that verifies a number here; any other is wrong. */
export const verificationCode = '123456';
const codeLifeMs = 10 * 60_000;
const mostNumbers = 20;
const done = { success: true } as const;

export function addNumber({ simulation, tenant, id, fields }: Call): { id: string } {
  const { world } = simulation;
  const waba = requireWaba(world, tenant, id);
  const digits = `${fields.cc ?? ''}${fields.phone_number ?? ''}`.replace(/\D/g, '');
  if (!/^[1-9]\d{6,14}$/.test(digits))
    throw new GraphError(100, 'cc and phone_number must make a phone number.');
  const migrates = fields.migrate_phone_number === true || fields.migrate_phone_number === 'true';
  const source = sourceOf(simulation, waba, digits, migrates);
  hardshipOf(digits)?.add?.();
  if (migrates) checkMove(simulation, source, waba);
  if (!source) checkRoom(simulation, waba);
  const number = newNumber(simulation, waba, digits, fields.verified_name, source);
  world.numbers.set(number.id, number);
  if (!source) reviewFirstName(simulation, number);
  world.changed();
  return { id: number.id };
}

/** Where the number is now; nowhere when it is new. */
function sourceOf(
  { world }: Simulation,
  waba: Waba,
  digits: string,
  migrates: boolean,
): PhoneNumber | undefined {
  const places = [...world.numbers.values()].filter(
    ({ number, status }) => number === digits && status !== 'MIGRATED',
  );
  if (places.some(({ wabaId }) => wabaId === waba.id))
    throw new GraphError(100, 'The number is already in this account.', {
      subcode: 2388012,
      userTitle: 'Already added',
    });
  // One that is on its way to an account is nowhere but where it comes from.
  const source = places.find(({ movingFrom }) => movingFrom === null);
  if (source && !migrates)
    throw new GraphError(100, 'The number belongs to another account.', {
      subcode: 2388103,
      userTitle: 'Number is in use',
    });
  return source;
}

function checkRoom({ world }: Simulation, { businessId }: Waba): void {
  const ofPortfolio = [...world.numbers.values()].filter(
    ({ wabaId, status }) => status !== 'MIGRATED' && world.wabas.get(wabaId)?.businessId === businessId,
  );
  if (ofPortfolio.length >= mostNumbers)
    throw new GraphError(100, `A portfolio may have ${mostNumbers} numbers.`, {
      subcode: 2388103,
      userTitle: 'Number limit reached',
    });
}

function newNumber(
  { random, timeline }: Simulation,
  { id: wabaId }: Waba,
  digits: string,
  wished: string | undefined,
  source: PhoneNumber | undefined,
): PhoneNumber {
  const name = wished ?? source?.verifiedName ?? 'Sandbox';
  return {
    ...connectedNumber({ id: random.id(), wabaId, number: digits, name, nowMs: timeline.nowMs() }),
    status: 'UNVERIFIED',
    codeVerification: 'NOT_VERIFIED',
    movingFrom: source?.id ?? null,
    quality: source?.quality ?? 'UNKNOWN',
    nameStatus: source?.nameStatus ?? 'AVAILABLE_WITHOUT_REVIEW',
    throughputLevel: source?.throughputLevel ?? 'STANDARD',
    pin: hardshipOf(digits)?.pin ?? null,
  };
}

export function requestCode({ simulation, tenant, id, fields }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  if (!['SMS', 'VOICE'].includes(fields.code_method))
    throw new GraphError(100, 'code_method must be SMS or VOICE.');
  if (!fields.language) throw new GraphError(100, 'The parameter language is required.');
  checkNotMoved(number);
  if (number.codeVerification === 'VERIFIED') throw new GraphError(136024, 'The number is already verified.');
  hardshipOf(number.number)?.requestCode?.();
  number.codeSentMs = simulation.timeline.nowMs();
  simulation.world.changed();
  return done;
}

export function verifyCode({ simulation, tenant, id, fields }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  checkNotMoved(number);
  const sentMs = number.codeSentMs ?? Number.NEGATIVE_INFINITY;
  const expired = simulation.timeline.nowMs() > sentMs + codeLifeMs;
  if (expired || String(fields.code ?? '') !== verificationCode)
    throw new GraphError(136025, 'The code is wrong or expired.');
  number.codeVerification = 'VERIFIED';
  number.codeSentMs = null;
  if (number.status === 'UNVERIFIED') number.status = 'PENDING';
  simulation.world.changed();
  return done;
}

function checkNotMoved({ status }: PhoneNumber): void {
  if (status !== 'MIGRATED') return;
  throw new GraphError(100, 'The number is not being moved.', {
    subcode: 2388093,
    userTitle: 'Number is not being moved',
  });
}
