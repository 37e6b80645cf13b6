// A template that is deleted while messages with it are under way stays until they have arrived, at most 30 days.
import { dayMs } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import type { Template } from '../world.ts';
import { tellStatus } from './template-updates.ts';

const longestMs = 30 * dayMs;

export function deleteTemplate(simulation: Simulation, template: Template): void {
  const { world, timeline } = simulation;
  if (template.status === 'PENDING_DELETION') return;
  const waba = world.wabas.get(template.wabaId);
  if (waba && template.approvedMs !== null)
    waba.lockedNames[`${template.name}/${template.language}`] = timeline.nowMs() + 30 * dayMs;
  if (!simulation.undelivered.has(template.id)) {
    remove(simulation, template);
    return;
  }
  tellStatus(simulation, template, 'PENDING_DELETION', 'NONE');
  timeline.after(longestMs, () => finish(simulation, template), { lasting: true });
}

function remove(simulation: Simulation, template: Template): void {
  simulation.world.removeTemplate(template);
  tellStatus(simulation, template, 'DELETED', 'NONE');
}

function finish(simulation: Simulation, template: Template): void {
  if (template.status === 'PENDING_DELETION') remove(simulation, template);
}

export function countUndelivered({ undelivered }: Simulation, templateId: string): void {
  undelivered.set(templateId, (undelivered.get(templateId) ?? 0) + 1);
}

/** One of the template's messages has arrived, failed or been dropped. */
export function countArrived(simulation: Simulation, templateId: string): void {
  const { undelivered, world } = simulation;
  const left = (undelivered.get(templateId) ?? 1) - 1;
  if (left > 0) {
    undelivered.set(templateId, left);
    return;
  }
  undelivered.delete(templateId);
  const template = world.templates.get(templateId);
  if (template) finish(simulation, template);
}

/** Nobody waits any more for what was under way before a restart. */
export function finishDeletions(simulation: Simulation): void {
  for (const template of [...simulation.world.templates.values()]) finish(simulation, template);
}
