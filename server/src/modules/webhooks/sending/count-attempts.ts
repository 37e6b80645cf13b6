import type { Outcome } from './attempt.ts';
import { noDurations, stepOf } from './durations.ts';

export type Counted = {
  endpointSid: string;
  day: string;
  outcome: string;
  attempts: number;
  durations: number[];
};

/** Attempts by endpoint, day and outcome; sorted, so that whoever writes them locks rows in the same order. */
export function countAttempts(attempted: { endpointSid: string; outcome: Outcome }[]): Counted[] {
  const counted = new Map<string, Counted>();
  for (const { endpointSid, outcome: ended } of attempted) {
    const day = ended.attemptedAt.toISOString().slice(0, 10);
    const outcome = ended.failure ?? 'success';
    const name = `${endpointSid} ${day} ${outcome}`;
    const one = counted.get(name) ?? { endpointSid, day, outcome, attempts: 0, durations: noDurations() };
    one.attempts += 1;
    one.durations[stepOf(ended.durationMs)]! += 1;
    counted.set(name, one);
  }
  return [...counted.keys()].sort().map((name) => counted.get(name)!);
}
