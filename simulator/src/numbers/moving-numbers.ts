// A number moves from one account of a business to another: what must be true before, and what comes along.
import { GraphError } from '../errors.ts';
import type { Simulation } from '../simulation.ts';
import { type PhoneNumber, templatesOf, type Waba } from '../world.ts';
import { twoStepIsOn } from './magic-numbers.ts';

/** Throws for a number that cannot move to the account. */
export function checkMove({ world }: Simulation, source: PhoneNumber | undefined, destination: Waba): void {
  if (!source) throw cannot('The number can be added directly.');
  const home = world.wabas.get(source.wabaId)!;
  if (source.pin !== null) throw twoStepIsOn();
  if (source.isOnBizApp) throw cannot('The number is used in the WhatsApp Business app.');
  if (source.nameStatus !== 'APPROVED' || source.newName?.status === 'PENDING_REVIEW')
    throw cannot('The display name is not approved.');
  if (home.businessId !== destination.businessId) throw cannot('The account is of another business.');
  if (home.reviewStatus !== 'APPROVED' || destination.reviewStatus !== 'APPROVED')
    throw cannot('Both accounts must be approved.');
  if (!destination.paymentOk) throw cannot('The account has no payment method.');
  if (!destination.subscribed) throw cannot('No app is subscribed to the account.');
}

const cannot = (details: string) =>
  new GraphError(100, details, {
    subcode: 2388103,
    userTitle: 'Number cannot be moved',
    userMessage: details,
  });

/** From here on the number is where it was registered: conversations go on there, and the best templates come along. */
export function finishMove(simulation: Simulation, number: PhoneNumber): void {
  const { world, people } = simulation;
  const source = number.movingFrom === null ? undefined : world.numbers.get(number.movingFrom);
  number.movingFrom = null;
  if (!source) return;
  source.status = 'MIGRATED';
  number.profile = { ...source.profile };
  people.moveWindows(source.id, number.id);
  copyTemplates(simulation, source.wabaId, number.wabaId);
}

function copyTemplates({ world, random, timeline }: Simulation, from: string, to: string): void {
  const best = templatesOf(world, from).filter(
    ({ status, quality }) => status === 'APPROVED' && quality === 'GREEN',
  );
  const nowMs = timeline.nowMs();
  for (const template of best) {
    if (world.findTemplate(to, template.name, template.language)) continue;
    world.addTemplate({
      ...template,
      id: random.id(),
      wabaId: to,
      quality: 'UNKNOWN',
      updatedMs: nowMs,
      approvedMs: nowMs,
      editsMs: [],
      pauses: 0,
    });
  }
}
