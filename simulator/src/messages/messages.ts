// A send, from the wire body to the answer. Parameter, token, template and rate errors come back in the answer; what
// depends on the recipient comes later, as a `failed` status.
import { acceptsFirst, type Behaviour, magicOf } from '../behaviour.ts';
import { GraphError } from '../errors.ts';
import type { Wire } from '../http/shape.ts';
import { linksIn } from '../media/media-use.ts';
import { dayMs, normalise, type Person } from '../numbers/people.ts';
import type { AcceptedMessage } from '../record.ts';
import type { Simulation } from '../simulation.ts';
import { requireNumber, type Template, type Tenant } from '../world.ts';
import { checkMarketingMessage, checkMessage } from './check-message.ts';
import { type Category, pricingOf } from './pricing.ts';
import { failureOf, gateMessage } from './send-gates.ts';
import type { Failure, Sending } from './sending.ts';
import { follow } from './statuses.ts';

type Endpoint = AcceptedMessage['endpoint'];
export type SendOutcome = { answer: object; behaviour: Behaviour };

export function sendMessage(
  simulation: Simulation,
  tenant: Tenant,
  phoneNumberId: string,
  given: unknown,
  endpoint: Endpoint,
): SendOutcome {
  const number = requireNumber(simulation.world, tenant, phoneNumberId);
  const body = endpoint === 'messages' ? checkMessage(given) : checkMarketingMessage(given);
  if (body.status === 'read') return { answer: { success: true }, behaviour: {} };

  const waba = simulation.world.wabas.get(number.wabaId)!;
  const person = personAddressed(simulation, waba.businessId, body);
  const type: string = body.type ?? 'text';
  const behaviour = behaviourFor(simulation, number.id, person, body, type, endpoint);
  refuseAsTold(simulation, behaviour, person);
  const sending: Sending = { simulation, waba, number, person, body, type, endpoint };
  const { category, template } = gateMessage(sending);
  if (!acceptsFirst(behaviour.answer)) return { answer: {}, behaviour };

  const failure = behaviour.fail
    ? { code: behaviour.fail.code, details: 'The recipient is one that fails with this code.' }
    : failureOf(sending, category);
  const message = accept(sending, failure);
  const paced = template !== null && simulation.pacing.holds(template);
  afterLinks(sending, message, failure, (found) => {
    const start = (released: boolean) =>
      startCourse(sending, { message, category, template, failure: released ? found : dropped, behaviour });
    if (paced) simulation.pacing.hold(template, start);
    else start(behaviour.held !== 'dropped');
  });
  const held = paced || (template !== null && behaviour.held !== undefined);
  return { answer: answerOf(sending, message, held), behaviour };
}

/** Goes on at once when there is nothing to fetch, else once it is fetched; a link that cannot be used fails the message. */
function afterLinks(
  sending: Sending,
  message: AcceptedMessage,
  failure: Failure | null,
  goOn: (failure: Failure | null) => void,
): void {
  const { links } = sending.simulation;
  const wanted = failure ? [] : links.toFetch(linksIn(sending));
  if (wanted.length === 0) {
    goOn(failure);
    return;
  }
  void links.check(wanted, (problem) => {
    const found = problem === null ? null : { code: 131053, details: problem };
    message.failure = found?.code ?? null;
    goOn(found);
  });
}

function personAddressed({ people }: Simulation, businessId: string, body: Wire): Person {
  // With both, the phone number wins.
  if (body.to === undefined) {
    if (!/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(body.recipient))
      throw new GraphError(131009, 'recipient is not a business-scoped user id.');
    return people.byUserId(businessId, body.recipient);
  }
  const digits = body.to.replace(/[+\s()-]/g, '');
  if (body.recipient_type === 'group') throw new GraphError(131020, 'There are no groups here.');
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw new GraphError(131009, 'to is not a phone number.');
  return people.byPhone(businessId, normalise(digits));
}

function behaviourFor(
  { rules }: Simulation,
  phoneNumberId: string,
  person: Person,
  body: Wire,
  type: string,
  path: string,
): Behaviour {
  const facts = {
    path,
    recipient: person.waId,
    type,
    phoneNumberId,
    opaque: body.biz_opaque_callback_data,
  };
  return rules.pick(facts) ?? magicOf(person.waId) ?? {};
}

function refuseAsTold({ rules }: Simulation, { refuse }: Behaviour, person: Person): void {
  if (!refuse) return;
  if (refuse.times !== undefined && !rules.stillRefused(person.waId, refuse.times)) return;
  throw new GraphError(refuse.code, 'The recipient is one that is refused with this code.', {
    http: refuse.http,
    subcode: refuse.code === 190 ? 463 : undefined,
  });
}

function accept(
  { simulation, waba, number, person, body, type, endpoint }: Sending,
  failure: Failure | null,
) {
  const { random, timeline, records } = simulation;
  const nowMs = timeline.nowMs();
  const message: AcceptedMessage = {
    sequence: records.messages.total() + 1,
    id: random.messageId(person.waId, nowMs),
    wabaId: waba.id,
    businessId: waba.businessId,
    phoneNumberId: number.id,
    endpoint,
    waId: person.waId,
    userId: person.userId,
    addressedBy: body.to === undefined ? 'user_id' : 'phone',
    type,
    opaque: body.biz_opaque_callback_data ?? null,
    atMs: nowMs,
    failure: failure?.code ?? null,
    droppedMs: null,
    body,
    events: [],
  };
  records.accept(message);
  return message;
}

const dropped: Failure = { code: 132015, details: 'Held for quality assessment, then dropped.' };

type Planned = {
  message: AcceptedMessage;
  category: Category;
  template: Template | null;
  failure: Failure | null;
  behaviour: Behaviour;
};

function startCourse({ simulation, number, person }: Sending, plan: Planned): void {
  const { people, rates, timeline } = simulation;
  const { message, category, template, failure, behaviour } = plan;
  const nowMs = timeline.nowMs();
  if (!failure) people.answered(number.id, person.waId, nowMs);
  const entryPointUntilMs = people.entryPointUntilMs(number.id, person.waId, nowMs);
  const pricing = pricingOf({
    category,
    windowOpen: people.isWindowOpen(number.id, person.waId, nowMs),
    entryPointOpen: entryPointUntilMs !== null,
    serviceMessages: rates.serviceMessages(number.id, nowMs),
    nowMs,
  });
  // Counted when it is accepted to be delivered: a failed message uses up nothing.
  if (category === 'service' && !failure && message.type !== 'reaction') rates.countService(number.id, nowMs);
  follow(simulation, {
    message,
    person,
    pricing: message.type === 'reaction' ? null : { ...pricing, ...behaviour.pricing },
    entryPointUntilMs,
    behaviour,
    failure: failure && { ...failure, afterSent: behaviour.fail?.afterSent ?? false },
    ttlMs: ttlOf(template, category),
    templateId: template?.id ?? null,
  });
}

const monthMs = 30 * dayMs;
const codeMs = 10 * 60_000;

/** How long the provider tries to deliver. A marketing template's own time counts on the Marketing Messages API alone. */
function ttlOf(template: Template | null, category: Category): number {
  const own = category === 'marketing' ? null : (template?.ttlSeconds ?? null);
  if (own !== null) return own === -1 ? monthMs : own * 1000;
  return category === 'authentication' ? codeMs : monthMs;
}

function answerOf({ body, person, type }: Sending, message: AcceptedMessage, held: boolean) {
  const contact =
    body.to === undefined
      ? { input: body.recipient, user_id: person.userId }
      : { input: body.to, wa_id: person.waId };
  const status = held ? 'held_for_quality_assessment' : 'accepted';
  return {
    messaging_product: 'whatsapp',
    contacts: [contact],
    messages: [{ id: message.id, ...(type === 'template' && { message_status: status }) }],
  };
}
