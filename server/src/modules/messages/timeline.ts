// Everything that happened to one message, in order: its events and its hand-offs to the provider.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { eventsOf, type LoggedEvent } from '../../platform/events.ts';
import { getMessage } from './messages.ts';
import type { Message, Timeline } from './schema.ts';

export async function messageTimeline(t: TenantTx, sid: string): Promise<Timeline> {
  const message = await getMessage(t, sid);
  const [events, attempts] = await Promise.all([eventsOf(t, sid), attemptsOf(t, sid)]);
  const entries: Timeline['entries'] = [
    ...rememberedBefore(message, events),
    ...events.map(({ type, createdAt, data }) => {
      const { error } = data as Message;
      return {
        kind: 'status' as const,
        at: createdAt,
        status: type.replace(/^message\./, ''),
        attempt: null,
        code: error?.code ?? null,
        providerCode: error?.providerCode ?? null,
        reason: error?.message ?? null,
        durationMs: null,
      };
    }),
    ...attempts.map(({ number, startedAt, endedAt, outcome, code, providerCode, reason }) => ({
      kind: 'attempt' as const,
      at: startedAt,
      status: outcome ?? 'open',
      attempt: number,
      code,
      providerCode,
      reason,
      durationMs: endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
    })),
  ];
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { object: 'message_timeline', messageSid: sid, status: message.status, entries };
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
  return Object.entries(instants).flatMap(([status, at]) =>
    at === null || told.has(`message.${status}`)
      ? []
      : [{ kind: 'status' as const, at, status, ...nothingMore }],
  );
}

const nothingMore = { attempt: null, code: null, providerCode: null, reason: null, durationMs: null };

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
