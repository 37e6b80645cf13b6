// A new display name: asked for, reviewed, and in use once the number is registered again.
import { GraphError } from '../errors.ts';
import type { Simulation } from '../simulation.ts';
import type { PhoneNumber } from '../world.ts';
import { dayMs } from './people.ts';

const mostChanges = 10;

/** Reviewed after the usual time; a name with the word "reject" is declined. */
export function askForName(simulation: Simulation, number: PhoneNumber, given: unknown): void {
  const name = typeof given === 'string' ? given.trim() : '';
  if (name.length < 3 || name.length > 512)
    throw new GraphError(100, 'new_display_name must have 3 to 512 characters.');
  const nowMs = simulation.timeline.nowMs();
  number.nameChangesMs = number.nameChangesMs.filter((atMs) => atMs > nowMs - 30 * dayMs);
  if (number.nameChangesMs.length >= mostChanges)
    throw new GraphError(100, `A display name can be changed ${mostChanges} times in 30 days.`);
  number.nameChangesMs.push(nowMs);
  number.newName = { name, status: 'PENDING_REVIEW' };
  simulation.timeline.after(simulation.settings.reviewMs, () => {
    if (number.newName?.name !== name || number.newName.status !== 'PENDING_REVIEW') return;
    tellDecision(simulation, number, name, !/reject/i.test(name));
  });
}

/**
 * The name a number is added with: taken as it is, unless it has the words `review_name` (looked at first, then approved) or
 * `decline_name` in it.
 */
export function reviewFirstName(simulation: Simulation, number: PhoneNumber): void {
  const declined = /decline_name/i.test(number.verifiedName);
  if (!declined && !/review_name/i.test(number.verifiedName)) return;
  number.nameStatus = 'PENDING_REVIEW';
  simulation.timeline.after(simulation.settings.reviewMs, () => {
    number.nameStatus = declined ? 'DECLINED' : 'APPROVED';
    simulation.world.changed();
  });
}

function tellDecision(simulation: Simulation, number: PhoneNumber, name: string, approved: boolean): void {
  number.newName = { name, status: approved ? 'APPROVED' : 'DECLINED' };
  simulation.world.changed();
  const value = {
    display_phone_number: number.number,
    decision: approved ? 'APPROVED' : 'REJECTED',
    requested_verified_name: name,
    rejection_reason: approved ? null : 'NAME_NOT_CONSISTENT',
  };
  const timeS = Math.floor(simulation.timeline.nowMs() / 1000);
  simulation.notify({
    wabaId: number.wabaId,
    field: 'phone_number_name_update',
    kind: 'value',
    value,
    timeS,
  });
}

export function takeNewName(number: PhoneNumber): void {
  if (number.newName?.status !== 'APPROVED') return;
  number.verifiedName = number.newName.name;
  number.nameStatus = 'APPROVED';
  number.newName = null;
}
