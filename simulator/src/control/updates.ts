// What happens at the provider without anybody calling it: templates are paused, numbers restricted, accounts reviewed,
// people stop marketing messages. Each changes the state it is about and tells the app.
import { businessOf } from '../messages/inbound.ts';
import { contactItem } from '../messages/statuses.ts';
import { normalise, type Person } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import { tellStatus } from '../templates/template-updates.ts';
import type { CreditAllocation, Flow, PhoneNumber, Template, Waba } from '../world.ts';
import { ControlProblem } from './control-problem.ts';

type Item = Record<string, unknown>;

/** Any field of the webhook with a value of one's own, for what has no call of its own here. */
function raw(simulation: Simulation, wabaId: string, field: string, value: Item): void {
  if (!simulation.world.wabas.has(wabaId)) throw new ControlProblem(`There is no WABA "${wabaId}".`);
  simulation.notify({ wabaId, field, kind: 'value', value, timeS: seconds(simulation) });
}

const seconds = ({ timeline }: Simulation) => Math.floor(timeline.nowMs() / 1000);

type Preference = { from: string; to: string; value: 'stop' | 'resume' };

function preference(simulation: Simulation, { from, to, value }: Preference): void {
  if (value !== 'stop' && value !== 'resume') throw new ControlProblem('"value" must be stop or resume.');
  const { number, waba } = businessOf(simulation, to);
  const digits = normalise(from.replace(/\D/g, ''));
  const person = simulation.people.byPhone(waba.businessId, digits);
  simulation.people.preferMarketing(waba.businessId, digits, value === 'resume');
  raw(simulation, waba.id, 'user_preferences', {
    ...aboutNumber(number),
    contacts: [contactItem(person, true)],
    user_preferences: [
      {
        ...(!person.hidesNumber && { wa_id: person.waId }),
        user_id: person.userId,
        detail: `User requested to ${value} marketing messages`,
        category: 'marketing_messages',
        value,
        timestamp: seconds(simulation),
      },
    ],
  });
}

function userIdUpdate(
  simulation: Simulation,
  { from, to, userId }: { from: string; to: string; userId: string },
): void {
  const { number, waba } = businessOf(simulation, to);
  const digits = from.replace(/\D/g, '');
  const previous = simulation.people.byPhone(waba.businessId, digits).userId;
  simulation.people.changeUserId(waba.businessId, digits, userId);
  raw(simulation, waba.id, 'user_id_update', {
    ...aboutNumber(number),
    user_id_update: [
      {
        wa_id: digits,
        detail: 'User id changed',
        user_id: { previous, current: userId },
        timestamp: String(seconds(simulation)),
      },
    ],
  });
}

const aboutNumber = (number: PhoneNumber) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: number.number, phone_number_id: number.id },
});

/** Changes facts of an object and says nothing: for setting a scene. */
const editable = {
  wabas: [
    'reviewStatus',
    'verification',
    'subscribed',
    'overrideUrl',
    'otherAppIds',
    'marketingOnboarding',
    'catalogIds',
    'cloudMarketingDisabled',
    'paymentOk',
    'primaryFundingId',
    'banned',
  ],
  numbers: [
    'status',
    'quality',
    'throughputLevel',
    'nameStatus',
    'codeVerification',
    'isOnBizApp',
    'pin',
    'identityCheck',
    'verifiedName',
    'publicKey',
  ],
  templates: ['status', 'quality', 'category', 'sampleLeft', 'rejectedReason'],
  flows: ['status', 'name'],
  portfolios: ['messagingLimit'],
} as const;
export type Editable = keyof typeof editable;

function change(simulation: Simulation, table: Editable, id: string, facts: Item): Item {
  const row = (simulation.world[table] as Map<string, unknown>).get(id) as Item | undefined;
  if (!row) throw new ControlProblem(`There is no "${id}" among the ${table}.`);
  const stray = Object.keys(facts).find((name) => !(editable[table] as readonly string[]).includes(name));
  if (stray)
    throw new ControlProblem(`"${stray}" cannot be changed; these can: ${editable[table].join(', ')}.`);
  Object.assign(row, facts);
  simulation.world.changed();
  return row;
}

function templateStatus(
  simulation: Simulation,
  id: string,
  event: string,
  reason: string | null = null,
): void {
  const template = simulation.world.templates.get(id);
  if (!template) throw new ControlProblem(`There is no template "${id}".`);
  tellStatus(simulation, template, event, reason);
}

export function bound(simulation: Simulation) {
  const { world } = simulation;
  return {
    callback: (wabaId: string, field: string, value: Item) => raw(simulation, wabaId, field, value),
    marketingPreference: (input: Preference) => preference(simulation, input),
    userIdUpdate: (input: { from: string; to: string; userId: string }) => userIdUpdate(simulation, input),
    change: (table: Editable, id: string, facts: Item) => change(simulation, table, id, facts),
    templateStatus: (id: string, event: string, reason?: string | null) =>
      templateStatus(simulation, id, event, reason),
    wabas: (): Waba[] => [...world.wabas.values()],
    phoneNumbers: (): PhoneNumber[] => [...world.numbers.values()],
    templates: (wabaId?: string): Template[] =>
      [...world.templates.values()].filter((one) => wabaId === undefined || one.wabaId === wabaId),
    flows: (): Flow[] => [...world.flows.values()],
    creditAllocations: (): CreditAllocation[] => [...world.allocations.values()],
    /** As if it had never been: it cannot be read any more, and is not listed. */
    forgetCreditAllocation: (id: string): boolean => world.allocations.delete(id),
    /** What is known of a customer from now on. */
    describe: (waId: string, facts: Partial<Omit<Person, 'waId'>>) => simulation.people.describe(waId, facts),
    closeWindow(from: string, to: string): void {
      simulation.people.closeWindow(businessOf(simulation, to).number.id, from.replace(/\D/g, ''));
    },
  };
}
