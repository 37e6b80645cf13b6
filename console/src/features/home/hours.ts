// The messages of the last 24 hours, hour by hour, from the counts of analytics.
import type { MessageAnalytics } from '@godwit/sdk';

export type Hour = { at: Date; outgoing: number; incoming: number };
export type Totals = { sent: number; delivered: number; failed: number; received: number };

const hourMs = 3_600_000;

/** The hours that are asked for: the one that runs and the 23 before it. */
export function hoursUntil(now: Date): Date[] {
  const last = Math.floor(now.getTime() / hourMs);
  return Array.from({ length: 24 }, (_, at) => new Date((last - 23 + at) * hourMs));
}

/** The days these hours lie in, as analytics wants them. */
export const daysOf = (hours: Date[]) => ({
  from: hours[0]!.toISOString().slice(0, 10),
  to: hours.at(-1)!.toISOString().slice(0, 10),
});

const isOutgoing = ({ direction }: MessageAnalytics) => direction === 'outbound';

export function byHour(hours: Date[], counts: MessageAnalytics[]): Hour[] {
  return hours.map((at) => {
    const within = counts.filter(({ hour }) => hour !== null && new Date(hour).getTime() === at.getTime());
    return {
      at,
      outgoing: sum(within.filter(isOutgoing)),
      incoming: sum(within.filter((count) => !isOutgoing(count))),
    };
  });
}

// A message that was read was delivered before, and one that was delivered was sent.
const delivered = ['delivered', 'read'];
const sent = ['sent', ...delivered];

export function totalsOf(hours: Date[], counts: MessageAnalytics[]): Totals {
  const recent = counts.filter(({ hour }) => hour !== null && new Date(hour) >= hours[0]!);
  const outgoing = recent.filter(isOutgoing);
  const inStatus = (statuses: string[]) =>
    sum(outgoing.filter(({ status }) => status !== null && statuses.includes(status)));
  return {
    sent: inStatus(sent),
    delivered: inStatus(delivered),
    failed: inStatus(['failed']),
    received: sum(recent.filter((count) => !isOutgoing(count))),
  };
}

const sum = (counts: MessageAnalytics[]) => counts.reduce((total, { messages }) => total + messages, 0);
