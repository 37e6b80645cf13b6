// How those whom a reason stands against are left out of what is sent. Nobody who would be reached is ever left out with them.
import type { Segment, SegmentFilters } from '@godwit/sdk';
import { nameOf, type ReasonTally, type Tally } from './tally.ts';

/** What a filter of segments can say for a gate: who agreed to marketing, and whom nothing stands against. */
export type Condition = 'agreed' | 'free';

export type LeavingOut =
  | { by: Condition }
  /** Everybody else by name. */
  | { by: 'names'; contactSids: string[] }
  /** What has to come first, or stands in the way. */
  | { not: 'unfinished' | 'tooMany' };

type Told = { tally: Tally; isComplete: boolean; filters: SegmentFilters | null; isMarketing: boolean };

/** Null where nobody would be left. */
export function leavingOut(reason: ReasonTally, told: Told): LeavingOut | null {
  const { tally, isComplete } = told;
  if (isComplete && reason.contacts === tally.judged) return null;
  const condition = conditionFor(reason, told);
  if (condition) return { by: condition };
  if (tally.members === null) return { not: 'tooMany' };
  if (!isComplete) return { not: 'unfinished' };
  const others = tally.members.filter(({ against }) => !against.includes(nameOf(reason)));
  return { by: 'names', contactSids: others.map(({ contactSid }) => contactSid) };
}

/**
 * Marketing needs a yes and is stopped by whatever stands against the person, so both conditions keep out only those who are refused
 * anyway. Other messages need no yes and pass by a no to marketing: for them there is no such condition.
 */
function conditionFor({ gate, samples }: ReasonTally, { filters, isMarketing }: Told): Condition | null {
  if (!isMarketing) return null;
  if (gate === 'consent') {
    const { purpose, status } = filters?.consent ?? agreed;
    return purpose === agreed.purpose && status === agreed.status ? 'agreed' : null;
  }
  if (gate !== 'suppression' && gate !== 'risk') return null;
  // Segments know what holds for every sender, and not what holds for one.
  const isForAll = samples.every(({ evidence }) => !evidence.senderSid);
  return isForAll && filters?.suppressed !== true ? 'free' : null;
}

const agreed = { purpose: 'MARKETING', status: 'OPTED_IN' };

/** With the condition beside those the segment has; one it has already is applied anew. */
export const under = (condition: Condition, { filters }: Segment): SegmentFilters => ({
  ...filters,
  ...(condition === 'agreed' ? { consent: agreed } : { suppressed: false }),
});
