// When a saved card is tried again. The first try is made when the invoice is issued; the one after the nth failure as many
// hours later as the nth delay says. A card that was stolen or lost is not tried again, and one whose owner must agree in person
// waits for them on the hosted page.

/** What a failure means for the next try. */
export type Retry = 'later' | 'never' | 'authenticate' | 'another_way';

export type NextStep =
  | { state: 'retrying' | 'action_required'; at: Date }
  | { state: 'action_required' | 'exhausted'; at: null };

const hourMs = 3_600_000;

/** What follows the `failures`th failure, the last of which happened now. */
export function nextStep(
  failures: number,
  delaysHours: readonly number[],
  retry: Retry,
  now: Date,
): NextStep {
  // No card can be charged for it, so no try fails: it waits for somebody to pay it otherwise.
  if (retry === 'another_way') return { state: 'action_required', at: null };
  const delay = retry === 'never' ? undefined : delaysHours[failures - 1];
  if (delay === undefined) return { state: 'exhausted', at: null };
  const at = new Date(now.getTime() + delay * hourMs);
  return { state: retry === 'authenticate' ? 'action_required' : 'retrying', at };
}
