// Everything that happened to one message, in order: its events and its hand-offs to the provider.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { eventsOf } from '../../platform/events.ts';
import { getMessage } from './messages.ts';
import type { Message, Timeline } from './schema.ts';

export async function messageTimeline(t: TenantTx, sid: string): Promise<Timeline> {
  const { status } = await getMessage(t, sid);
  const [events, attempts] = await Promise.all([eventsOf(t, sid), attemptsOf(t, sid)]);
  const entries: Timeline['entries'] = [
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
  return { object: 'message_timeline', messageSid: sid, status, entries };
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
