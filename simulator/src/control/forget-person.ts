// Forgets one person wherever something is remembered of them. What is under way goes its way and is remembered anew: settle first.
import type { SentCallback } from '../callbacks/callbacks.ts';
import { normalise } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import { ControlProblem } from './control-problem.ts';

export type Forgotten = { messages: number; callbacks: number; media: number };

/** By some of the accounts only; null for all of them. */
type Forgetful = { wabaIds: ReadonlySet<string>; numberIds: Set<string>; businessIds: Set<string> } | null;

export async function forgetPerson(
  simulation: Simulation,
  from: string,
  wabaIds: readonly string[] | null = null,
): Promise<Forgotten> {
  const by = wabaIds && forgetful(simulation, new Set(wabaIds));
  const sum = { messages: 0, callbacks: 0, media: 0 };
  for (const waId of numbersOf(simulation, from)) {
    const { messages, callbacks, media } = await forgetNumber(simulation, waId, by);
    sum.messages += messages;
    sum.callbacks += callbacks;
    sum.media += media;
  }
  simulation.world.changed();
  await simulation.state.flush(); // gone from the disk too when it is answered
  return sum;
}

// Shorter ones would be found in everybody's records.
const isPhone = /^\+?\d{7,15}$/;
const isUserId = /^[A-Z]{2}\.\w{1,128}$/;

/** As it was written, and as the provider writes it. */
function numbersOf({ people }: Simulation, from: string): Set<string> {
  const number = isUserId.test(from) ? people.byUserId('', from).waId : from;
  if (!isPhone.test(number))
    throw new ControlProblem('"from" must be the number or the user id of a person.');
  const digits = number.replace('+', '');
  return new Set([digits, normalise(digits)]);
}

function forgetful({ world }: Simulation, wabaIds: ReadonlySet<string>): Forgetful {
  const numbers = [...world.numbers.values()].filter(({ wabaId }) => wabaIds.has(wabaId));
  const wabas = [...world.wabas.values()].filter(({ id }) => wabaIds.has(id));
  return {
    wabaIds,
    numberIds: new Set(numbers.map(({ id }) => id)),
    businessIds: new Set(wabas.map(({ businessId }) => businessId)),
  };
}

async function forgetNumber(simulation: Simulation, waId: string, by: Forgetful): Promise<Forgotten> {
  const { people, rates, records, callbacks, world, state } = simulation;
  const owners = by && new Set([...by.numberIds, ...by.businessIds]);
  const { ids, isUnknown } = people.forgetPerson(waId, owners);
  rates.forgetPerson(waId, owners, isUnknown);
  const forgetsId = (text: string) => ids.some((id) => text.includes(id));
  const isTheirs = (text: string) => by === null || [...by.wabaIds].some((id) => text.includes(`"${id}"`));
  for (const number of world.numbers.values())
    if (by === null || by.numberIds.has(number.id))
      number.blocked = number.blocked.filter((id) => !forgetsId(id));
  const bodies: string[] = [];
  const blank = (callback: SentCallback): SentCallback => {
    if (!forgetsId(callback.body) || !isTheirs(callback.body)) return callback;
    bodies.push(callback.body);
    return { ...callback, body: '' };
  };
  callbacks.record.change(blank);
  const files = [...world.media.values()].filter(
    ({ id, inbound, phoneNumberId }) =>
      inbound && (by === null || by.numberIds.has(phoneNumberId)) && bodies.some((body) => body.includes(id)),
  );
  for (const { id } of files) {
    world.media.delete(id);
    await state.dropBytes(id);
  }
  const messages = records.forget(waId, by?.wabaIds ?? null);
  return { messages, callbacks: bodies.length, media: files.length };
}
