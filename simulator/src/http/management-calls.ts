// How often accounts, numbers, templates and flows may be read and changed in an hour: counted per WABA, and for calls on
// the app itself per app. Sending, media and registration do not count.
import { GraphError } from '../errors.ts';
import type { Simulation } from '../simulation.ts';
import { wabaIdOf } from '../world.ts';

const mostWithoutNumber = 200;
const mostWithNumber = 5_000;

const free = ['media', 'block_users', 'message_history', 'register', 'deregister'];

/** Throws when the hour's calls are used up; counts the call otherwise. Whose object it is not gets another answer later. */
export function countManagementCall(simulation: Simulation, path: string, id: string, businessId?: string) {
  const { world, options, settings, rates, timeline } = simulation;
  if (!settings.managementLimit || free.includes(path)) return;
  const nowMs = timeline.nowMs();
  if (id === options.appId) {
    if (rates.takeManagement(id, mostWithNumber, nowMs)) return;
    throw new GraphError(4, 'Application request limit reached');
  }
  const waba = world.wabas.get(wabaIdOf(world, id) ?? '');
  if (!waba || waba.businessId !== businessId) return;
  if (rates.takeManagement(waba.id, mostCalls(simulation, waba.id), nowMs)) return;
  throw new GraphError(80007, 'There have been too many calls to this WhatsApp Business account.');
}

function mostCalls({ world }: Simulation, id: string): number {
  for (const { wabaId, status } of world.numbers.values())
    if (wabaId === id && status === 'CONNECTED') return mostWithNumber;
  return mostWithoutNumber;
}
