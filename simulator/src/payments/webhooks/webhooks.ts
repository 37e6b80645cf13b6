// Webhooks on their way: one event a body, signed anew at each try, tried again for three days. An endpoint gets them one
// after the other in the order of events; one that it does not take is tried again later and keeps no other back.
import { Agent } from 'undici';
import { sendFaultily } from '../../callbacks/callback-faults.ts';
import { createInFlight } from '../../callbacks/in-flight.ts';
import { post } from '../../callbacks/post.ts';
import { createRing } from '../../callbacks/ring.ts';
import type { Log } from '../../log.ts';
import type { Random } from '../../random.ts';
import { later, nowS, type Payments } from '../objects/payments.ts';
import type { Endpoint, EventRow, Task } from '../objects/rows.ts';
import { keepEvent } from './events.ts';
import { signatureOf } from './signature.ts';

export type SentWebhook = {
  sequence: number;
  atMs: number;
  endpoint: string;
  url: string;
  event: string;
  type: string;
  attempt: number;
  /** The answer's HTTP status; 0 when there was none, null while it is awaited. */
  status: number | null;
  signature: string;
  body: string;
};

type Parts = { endpoints: () => Endpoint[]; dice: Random; log: Log };
type Lane = { waiting: Way[]; busy: boolean };
/** An event on its way to an endpoint. */
type Way = { endpoint: string; event: string; attempt: number };

const minute = 60_000;
const hour = 60 * minute;
const retriesMs = [
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  ...Array<number>(5).fill(12 * hour),
];
/** For how long a webhook that is to come late or in the opposite order is held back, unless a rule says. */
const heldBackMs = 4_000;

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(payments: () => Payments, { endpoints, dice, log }: Parts) {
  const agent = new Agent({ pipelining: 1, connections: 16 });
  const record = createRing<SentWebhook>({
    most: 20_000,
    mostBytes: 64 * 1024 * 1024,
    bytesOf: ({ body }) => body.length,
  });
  const counts = { events: 0, sent: 0, failures: 0, givenUp: 0, lost: 0 };
  const lanes = new Map<string, Lane>();
  const { fly, idle, isIdle } = createInFlight();
  // What waits to be sent in the opposite order, by endpoint.
  const reversed = new Map<string, (() => void)[]>();
  // Everything that is not yet delivered, given up or put off to its next try.
  const open = new Set<Way>();
  let stopped = false;

  const pump = (lane: Lane) => {
    const next = lane.waiting[0];
    if (!next || lane.busy || stopped) return;
    lane.waiting.shift();
    lane.busy = true;
    void fly(async () => {
      await deliver(next);
      lane.busy = false;
      pump(lane);
    });
  };

  const send = (way: Way) => {
    open.add(way);
    const lane = lanes.get(way.endpoint) ?? { waiting: [], busy: false };
    lanes.set(way.endpoint, lane);
    lane.waiting.push(way);
    pump(lane);
  };

  const deliver = async (way: Way): Promise<void> => {
    await attemptAt(way);
    if (!stopped) open.delete(way);
  };

  const attemptAt = async ({ endpoint: endpointId, event: eventId, attempt }: Way): Promise<void> => {
    const { livemode, settings, tables, timeline, changed } = payments();
    const endpoint = endpoints().find(({ id }) => id === endpointId);
    const event = tables.events.get(eventId);
    if (!endpoint?.enabled || !event) return; // removed since, or older than thirty days
    const text = JSON.stringify(event, null, 2);
    const signature = signatureOf(text, endpoint.secrets, nowS(payments()), livemode);
    counts.sent += 1;
    const entry: SentWebhook = {
      sequence: counts.sent,
      atMs: timeline.nowMs(),
      endpoint: endpointId,
      url: endpoint.url,
      event: eventId,
      type: event.type,
      attempt,
      status: null,
      signature,
      body: text,
    };
    record.add(entry);
    entry.status = await post(agent, {
      url: endpoint.url,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signature,
      },
      text,
      timeoutMs: settings.callbackTimeoutMs,
    });
    if (stopped) return;
    if (entry.status >= 200 && entry.status < 300) {
      event.pending_webhooks = Math.max(event.pending_webhooks - 1, 0);
      changed();
      return;
    }
    counts.failures += 1;
    if (attempt === 1) log('warn', 'a webhook was not taken', { url: endpoint.url, status: entry.status });
    const delayMs = retriesMs[attempt - 1];
    if (delayMs === undefined) counts.givenUp += 1;
    else retry(eventId, endpointId, attempt + 1, delayMs);
  };

  const retry = (event: string, endpoint: string, attempt: number, delayMs: number) =>
    later(payments(), 'deliver', event, delayMs, {
      lasting: true,
      more: { endpoint, attempt: String(attempt) },
    });

  /** Sends in the opposite order what comes to this endpoint within the time. */
  const sendReversed = (endpoint: string, delayMs: number, work: () => void) => {
    const held = reversed.get(endpoint);
    if (held) {
      held.unshift(work);
      return;
    }
    const first = [work];
    reversed.set(endpoint, first);
    payments().timeline.after(delayMs, () => {
      reversed.delete(endpoint);
      for (const each of first) each();
    });
  };

  const tell = (endpoint: string, event: EventRow) => {
    const { rules, settings, timeline } = payments();
    const way = { endpoint, event: event.id, attempt: 1 };
    const once = () => send(way);
    const { metadata } = event.data.object as { metadata?: Record<string, string> };
    const rule = rules.pick({ about: 'webhooks', path: 'webhooks', type: event.type, metadata });
    if (!rule) {
      open.add(way);
      sendFaultily({ settings, dice, timeline }, heldBackMs, once, () => {
        open.delete(way);
        counts.lost += 1;
      });
      return;
    }
    if (rule.lost) {
      counts.lost += 1;
      return;
    }
    open.add(way);
    const all = () => {
      for (let i = 0; i < (rule.copies ?? 1); i += 1) once();
    };
    if (rule.reversed) sendReversed(endpoint, rule.delayMs ?? heldBackMs, all);
    else if (rule.delayMs) timeline.after(rule.delayMs, all, { lasting: true });
    else all();
  };

  return {
    emit(type: string, object: object, previous?: object): void {
      const event = keepEvent(payments(), type, object, previous);
      counts.events += 1;
      const heard = endpoints().filter(
        ({ enabled, events }) => enabled && (events.includes('*') || events.includes(type)),
      );
      event.pending_webhooks = heard.length;
      for (const { id } of heard) tell(id, event);
    },
    /** A webhook that waited for its next try. */
    again: ({ id, more }: Task) =>
      send({ endpoint: more!.endpoint!, event: id, attempt: Number(more!.attempt) }),
    /** Sends an event once more, as people do by hand. */
    resend(event: EventRow): void {
      for (const { id, enabled } of endpoints())
        if (enabled) send({ endpoint: id, event: event.id, attempt: 1 });
    },
    idle,
    isIdle,
    record,
    counts,
    /** Forgets what is held back. */
    forget(): void {
      reversed.clear();
      open.clear();
    },
    /** What is on its way, or held back, is sent after the next start. */
    async stop(): Promise<void> {
      if (stopped) return;
      stopped = true;
      for (const { endpoint, event, attempt } of open) retry(event, endpoint, attempt, 0);
      await agent.destroy();
    },
  };
}
