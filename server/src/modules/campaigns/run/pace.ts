// How many may be admitted now: so many in a minute, counted from its first.
import type { CampaignRow } from '../resource/rows.ts';

const minuteMs = 60_000;

export type Room = { now: number; until: Date | null; from: Date | null; taken: number };

/** As many as fit into a transaction where nothing limits it. */
export function roomIn({ definition, paceFrom, paceTaken }: CampaignRow, now: Date, most: number): Room {
  const { messagesPerMinute } = definition;
  if (messagesPerMinute === undefined) return { now: most, until: null, from: null, taken: 0 };
  const ends = paceFrom === null ? null : new Date(Date.parse(paceFrom) + minuteMs);
  if (ends === null || now >= ends)
    return {
      now: Math.min(most, messagesPerMinute),
      until: new Date(now.getTime() + minuteMs),
      from: now,
      taken: 0,
    };
  const left = Math.max(0, messagesPerMinute - paceTaken);
  return { now: Math.min(most, left), until: ends, from: new Date(paceFrom!), taken: paceTaken };
}
