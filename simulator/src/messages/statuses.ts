// What follows acceptance: sent, delivered, read, played or failed, each a callback of its own.
import type { Behaviour, Status } from '../behaviour.ts';
import { errorItem } from '../errors.ts';
import type { Person } from '../numbers/people.ts';
import type { AcceptedMessage, MessageEvent } from '../record.ts';
import type { Simulation } from '../simulation.ts';
import { countArrived, countUndelivered } from '../templates/template-deletion.ts';
import { countDelivered } from './analytics.ts';
import type { Pricing } from './pricing.ts';

export type Course = {
  message: AcceptedMessage;
  person: Person;
  pricing: Pricing | null;
  /** The end of the free entry point the message stands in. */
  entryPointUntilMs: number | null;
  behaviour: Behaviour;
  failure: { code: number; details: string; afterSent: boolean } | null;
  /** What is not delivered by then is dropped. */
  ttlMs: number;
  templateId: string | null;
};

type Step = { status: Status | 'failed' | 'dropped'; atMs: number };

/** Plans the statuses of an accepted message; each is scheduled when the one before has gone. */
export function follow(simulation: Simulation, course: Course): void {
  const steps = stepsOf(simulation, course);
  const startMs = simulation.timeline.nowMs();
  if (course.templateId !== null) countUndelivered(simulation, course.templateId);
  const next = (i: number): void => {
    const step = steps[i];
    if (!step) return;
    // A price that is told anew comes after the first has been heard, also where everything else happens at once.
    const lasting = step.status === 'read' && course.behaviour.repricedAs !== undefined;
    const delayMs = startMs + step.atMs - simulation.timeline.nowMs();
    simulation.timeline.after(
      delayMs,
      () => {
        tell(simulation, course, step.status);
        next(i + 1);
      },
      { lasting },
    );
  };
  next(0);
}

function stepsOf({ settings }: Simulation, { message, behaviour, failure, ttlMs }: Course): Step[] {
  const slowness = behaviour.slowness ?? 1;
  const heldMs = behaviour.held ? 10 * settings.sentMs : 0;
  const delays = {
    sent: settings.sentMs,
    delivered: settings.deliveredMs,
    read: settings.readMs,
    played: settings.playedMs,
    failed: settings.deliveredMs,
  };
  const at = (ms: number) => heldMs + ms * slowness;
  if (failure) {
    const failed: Step = { status: 'failed', atMs: at(delays.failed) };
    return failure.afterSent ? [{ status: 'sent', atMs: at(delays.sent) }, failed] : [failed];
  }
  const usual = usualStatuses(message);
  const chosen = behaviour.statuses?.filter((status) => usual.includes(status)) ?? usual;
  // In whatever order they come, they come at the usual moments.
  const moments = chosen.map((status) => delays[status]).sort((a, b) => a - b);
  const offlineMs = (status: Status) => (status === 'sent' ? 0 : (behaviour.offlineMs ?? 0));
  const steps: Step[] = chosen.map((status, i) => ({ status, atMs: at(moments[i]!) + offlineMs(status) }));
  const inTime = steps.filter(({ status, atMs }) => status === 'sent' || atMs <= ttlMs);
  return inTime.length < steps.length ? [...inTime, { status: 'dropped', atMs: ttlMs }] : inTime;
}

function usualStatuses({ type, body }: AcceptedMessage): Status[] {
  if (type === 'reaction') return ['sent'];
  const isVoice = type === 'audio' && body.audio.voice === true;
  return isVoice ? ['sent', 'delivered', 'read', 'played'] : ['sent', 'delivered', 'read'];
}

function tell(simulation: Simulation, course: Course, status: Step['status']): void {
  const { timeline, records } = simulation;
  const { message, templateId } = course;
  const before = message.events.some((event) => event.status === 'delivered' || event.status === 'read');
  if (templateId !== null && status !== 'sent' && !before) countArrived(simulation, templateId);
  if (status === 'dropped') {
    message.droppedMs = timeline.nowMs();
    return; // nobody is told
  }
  const { unreported, countedAs } = course.behaviour;
  const event: MessageEvent = {
    status,
    atMs: timeline.nowMs(),
    callback: unreported ? 'NOT_SENT' : 'PENDING',
  };
  message.events.push(event);
  const arrives = status === 'delivered' || status === 'read';
  if (course.pricing && arrives && !before) countDelivered(simulation, message, course.pricing, countedAs);
  if (unreported) return;
  records.told(status);
  for (let i = 0; i < (course.behaviour.copies ?? 1); i += 1) callBack(simulation, course, event);
}

function callBack(simulation: Simulation, course: Course, event: MessageEvent): void {
  const { message, person } = course;
  const number = simulation.world.numbers.get(message.phoneNumberId);
  if (!number) return;
  simulation.notify({
    wabaId: message.wabaId,
    field: 'messages',
    kind: 'statuses',
    number,
    item: statusItem(course, event),
    contact: event.status === 'failed' ? undefined : contactItem(person, event.status !== 'sent'),
    onAnswer(ok) {
      event.callback = ok ? 'DELIVERED' : 'RETRYING';
    },
    onLost() {
      event.callback = 'NOT_SENT';
    },
  });
}

function statusItem(course: Course, event: MessageEvent) {
  const { message, person, pricing, entryPointUntilMs, failure, behaviour } = course;
  const { status } = event;
  const byPhone = message.addressedBy === 'phone';
  return {
    id: message.id,
    status,
    timestamp: String(Math.floor(event.atMs / 1000)),
    ...((byPhone || !person.hidesNumber) && { recipient_id: person.waId }),
    ...(!(status === 'failed' && byPhone) && { recipient_user_id: person.userId }),
    ...(message.opaque !== null && { biz_opaque_callback_data: message.opaque }),
    ...(entryPointUntilMs !== null &&
      status !== 'failed' && {
        conversation: {
          id: conversationId(message),
          ...(status === 'sent' && { expiration_timestamp: String(Math.floor(entryPointUntilMs / 1000)) }),
          origin: { type: 'referral_conversion' },
        },
      }),
    ...(pricing && carriesPricing(message, event) && { pricing }),
    ...(pricing &&
      behaviour.repricedAs &&
      status === 'read' && { pricing: { ...pricing, ...behaviour.repricedAs } }),
    ...(failure && status === 'failed' && { errors: [errorItem(failure.code, failure.details)] }),
  };
}

/** On `sent`, and on the first sign that it arrived. */
function carriesPricing({ events }: AcceptedMessage, event: MessageEvent): boolean {
  if (event.status === 'sent' || event.status === 'delivered') return true;
  return event.status === 'read' && !events.some(({ status }) => status === 'delivered');
}

const conversationId = ({ phoneNumberId, waId }: AcceptedMessage) =>
  Buffer.from(`${phoneNumberId}${waId}`).toString('hex').padEnd(32, '0').slice(-32);

export function contactItem(person: Person, withUsername: boolean) {
  return {
    profile: { name: person.name, ...(withUsername && person.username && { username: person.username }) },
    ...(!person.hidesNumber && { wa_id: person.waId }),
    user_id: person.userId,
  };
}
