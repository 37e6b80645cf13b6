// Everything that happened to one message, in order: its events, its hand-offs to the provider, its money and what webhook
// endpoints were told.
//
// The statuses stand in the order of their sequence, which is the order of their commits: instants are taken when a transaction
// begins, and one that had to wait commits after a later one. Nothing else has a sequence; it stands behind the status it
// belongs to, or behind the last that was there at its instant.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { eventsOf, type LoggedEvent } from '../../platform/events.ts';
import { type Movement, movementsOf } from '../billing/index.ts';
import { type DeliveryTry, deliveryTriesOf } from '../webhooks/index.ts';
import { messageEvents } from './events.ts';
import { getMessage } from './messages.ts';
import type { Message, Timeline } from './schema.ts';

type Entry = Timeline['entries'][number];

export async function messageTimeline(t: TenantTx, sid: string): Promise<Timeline> {
  const message = await getMessage(t, sid);
  const [told, attempts, movements, tries] = await Promise.all([
    eventsOf(t, sid),
    attemptsOf(t, sid),
    movementsOf(t, sid),
    deliveryTriesOf(t, sid),
  ]);
  // A price that is told by itself is among the movements of money.
  const events = told.filter(({ type }) => type !== messageEvents.priced.name);
  const before = rememberedBefore(message, events);
  const statuses = [...before, ...events.map(statusEntry)];
  const places = placesAmong(statuses);
  const eventAt = new Map(events.map(({ sid: eventSid }, at) => [eventSid, before.length + at]));
  const placed = [
    ...statuses.map((entry, place) => ({ entry, place })),
    ...movements.map((movement) => ({
      entry: moneyEntry(movement),
      place: movement.kind === 'hold' ? 0 : places.stored(movement.at),
    })),
    ...attempts.map((attempt) => ({
      entry: attemptEntry(attempt),
      place: attempt.number === 1 ? places.sending(attempt.startedAt) : places.then(attempt.startedAt),
    })),
    ...tries.map((one) => ({
      entry: deliveryEntry(one),
      place: Math.max(eventAt.get(one.eventSid) ?? 0, places.then(one.at)),
    })),
  ];
  const isStatus = ({ kind }: Entry) => kind === 'status';
  placed.sort(
    (a, b) =>
      a.place - b.place ||
      Number(isStatus(b.entry)) - Number(isStatus(a.entry)) ||
      Date.parse(a.entry.at) - Date.parse(b.entry.at),
  );
  const entries = placed.map(({ entry }) => entry);
  return { object: 'message_timeline', messageSid: sid, status: message.status, entries };
}

/** Behind which status something stands, by its position. */
function placesAmong(statuses: Entry[]) {
  let latest = 0;
  const reached = statuses.map(({ at }) => {
    latest = Math.max(latest, Date.parse(at));
    return latest;
  });
  const then = (at: string) =>
    Math.max(
      reached.findLastIndex((instant) => instant <= Date.parse(at)),
      0,
    );
  const orThen = (found: number, at: string) => (found === -1 ? then(at) : found);
  return {
    /** The last status that was there at an instant. */
    then,
    /** The last status stored by the same transaction, which has the same instant. */
    stored: (at: string) => orThen(lastStoredAt(statuses, at), at),
    /** The status that announced the first hand-off. */
    sending: (at: string) =>
      orThen(
        statuses.findIndex(({ status }) => status === 'sending'),
        at,
      ),
  };
}

const lastStoredAt = (statuses: Entry[], at: string) => statuses.findLastIndex((status) => status.at === at);

const nothingMore = {
  attempt: null,
  code: null,
  providerCode: null,
  reason: null,
  durationMs: null,
  amount: null,
  delivery: null,
};

function statusEntry({ type, createdAt, data }: LoggedEvent): Entry {
  const { error } = data as Message;
  return {
    ...nothingMore,
    kind: 'status',
    at: createdAt,
    status: type.replace(/^message\./, ''),
    code: error?.code ?? null,
    providerCode: error?.providerCode ?? null,
    reason: error?.message ?? null,
  };
}

const attemptEntry = ({ number, startedAt, endedAt, outcome, ...rest }: Attempt): Entry => ({
  ...nothingMore,
  ...rest,
  kind: 'attempt',
  at: startedAt,
  status: outcome ?? 'open',
  attempt: number,
  durationMs: endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
});

const moved = { hold: 'held', capture: 'charged', overage: 'charged', release: 'released' };

const moneyEntry = ({ kind, amount, at }: Movement): Entry => ({
  ...nothingMore,
  kind: 'money',
  at,
  status: moved[kind],
  amount,
});

function deliveryEntry({ outcome, at, number, reason, durationMs, ...delivery }: DeliveryTry): Entry {
  const code = outcome === 'failed' ? 'WEBHOOK_DELIVERY_ERROR' : null;
  return {
    ...nothingMore,
    kind: 'delivery',
    at,
    status: outcome,
    attempt: number,
    code,
    reason,
    durationMs,
    delivery,
  };
}

const beginnings = ['queued', 'scheduled', 'deferred', 'received'].map((status) => `message.${status}`);

/** Events are not kept for ever: what is older than they are is told by the message itself, without the details. */
function rememberedBefore(message: Message, events: LoggedEvent[]): Timeline['entries'] {
  const [first] = events;
  if (first && beginnings.includes(first.type)) return [];
  const told = new Set(events.map(({ type }) => type));
  const instants = {
    ...(message.direction === 'inbound'
      ? { received: message.createdAt }
      : { queued: message.queuedAt, sent: message.sentAt }),
    delivered: message.deliveredAt,
    read: message.readAt,
    failed: message.failedAt,
    canceled: message.canceledAt,
  };
  return Object.entries(instants)
    .flatMap(([status, at]) =>
      at === null || told.has(`message.${status}`)
        ? []
        : [{ ...nothingMore, kind: 'status' as const, at, status }],
    )
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

type Attempt = {
  number: number;
  startedAt: string;
  endedAt: string | null;
  outcome: string | null;
  code: string | null;
  providerCode: number | null;
  reason: string | null;
};

function attemptsOf(t: TenantTx, sid: string): Promise<Attempt[]> {
  return t.many<Attempt>(sql`
    select number, started_at as "startedAt", ended_at as "endedAt", outcome, code, provider_code as "providerCode",
      reason
      from message_attempts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = ${sid} order by number`);
}
